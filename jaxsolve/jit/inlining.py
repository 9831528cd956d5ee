"""What numba makes of a function that only ever becomes part of others: code to take in, no machine code.

Numba treats every function as one that may be called: it is optimised, turned into machine code and handed to the engine, and its code is optimised
once more in whatever takes it in, and again in what takes that in. Of a host loop built from some hundred small functions, that is most of the
compilation. Here a part is only made smaller, once; the function that takes it in is optimised as a whole.

It reaches into numba (``CodeLibrary``, ``CompilerBase``, ``CompileResult``), as ``compiled`` does; the versions are those of the constraints file.
"""

from __future__ import annotations

from typing import Any

from llvmlite.binding import parse_bitcode
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result

KIND = "part"


class _WithoutAddresses:
    """A code generator of whose functions none has an address; all else is the generator's that it stands for."""

    def __init__(self, codegen: Any):
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, env_name: str, env: Any) -> None:
        """Nothing to do: the place of its environment is in the machine code that takes it in, where ``compiled`` sets it."""


class Part(JITCodeLibrary):
    """The code of one function that others take in."""

    @property
    def codegen(self) -> Any:
        """The code generator, which knows no address of what is in here."""
        return _WithoutAddresses(self._codegen)

    def _optimize_final_module(self) -> None:
        """Takes in the parts of this part; neither nothing at all nor all that LLVM can do came out faster (1.25, 1.35 times the time)."""
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0, numba's word for a function that has no address."""
        return 0

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Name, kind and LLVM bitcode: there is no object code."""
        return self.name, KIND, self._final_module.as_bitcode()

    @classmethod
    def from_bitcode(cls, codegen: Any, name: str, bitcode: bytes) -> Part:
        """The part that ``serialize_using_object_code`` was asked of."""
        part = cls(codegen, name)
        part._final_module = parse_bitcode(bitcode)
        part._finalize_final_module()
        return part


class PartCompiler(Compiler):
    """Numba's compiler with a ``Part`` for what it makes."""

    def __init__(self, typing_context: Any, target_context: Any, library: Any, *rest: Any):
        library = library or Part(target_context.codegen(), "part")
        super().__init__(typing_context, target_context, library, *rest)


def rebuilt(target_context: Any, reduced: tuple[Any, ...]) -> CompileResult:
    """What ``CompileResult._reduce`` gave away, of a part or of any other function."""
    (
        (name, kind, bitcode),
        fndesc,
        environment,
        signature,
        objectmode,
        lifted,
        type_annotation,
        reload_init,
        referenced_envs,
    ) = reduced
    if kind != KIND:
        return CompileResult._rebuild(target_context, *reduced)
    part = Part.from_bitcode(target_context.codegen(), name, bitcode)
    return compile_result(
        typing_context=target_context.typing_context,
        target_context=target_context,
        entry_point=target_context.get_executable(part, fndesc, environment),
        type_annotation=type_annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        fndesc=fndesc,
        library=part,
        environment=environment,
        reload_init=reload_init,
        referenced_envs=referenced_envs,
    )
