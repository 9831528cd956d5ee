"""Functions that are only inlined: compiled to LLVM bitcode, not to machine code.

Numba treats every function as one that may be called: it optimises it, generates machine code,
loads it, and optimises its code again in every function that inlines it, and in the callers of
these. For a host loop of some hundred small functions that is most of the compilation time. Here an
inlined function is only simplified, once; the function that inlines it is optimised as a whole.

Numba's internals used here are listed in ``tests/jit/test_internals.py``.
"""

# numba has no types for its internals:
# pyright: reportAttributeAccessIssue=false, reportIncompatibleMethodOverride=false
# pyright: reportPrivateImportUsage=false, reportCallIssue=false

from __future__ import annotations

from typing import Any

from llvmlite.binding import parse_bitcode
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result

KIND = "inlined"


class _AddresslessCodegen:
    """Proxy of a code generator whose functions have no addresses."""

    def __init__(self, codegen: Any):
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, env_name: str, env: Any) -> None:
        """Does nothing: ``compiled`` sets the environment in the code that inlines the function."""


class InlinedLibrary(JITCodeLibrary):
    """Bitcode of one function that others inline."""

    @property
    def codegen(self) -> Any:
        """The code generator, without addresses of this library's functions."""
        return _AddresslessCodegen(self._codegen)

    def _optimize_final_module(self) -> None:
        """Inlines what this function calls.

        No passes at all, and all passes of LLVM, made compilation slower (1.25 and 1.35 times).
        """
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0: numba's value for a function without an address."""
        return 0

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Name, kind and LLVM bitcode; there is no object code."""
        return self.name, KIND, self._final_module.as_bitcode()

    @classmethod
    def from_bitcode(cls, codegen: Any, name: str, bitcode: bytes) -> InlinedLibrary:
        """Inverse of ``serialize_using_object_code``."""
        library = cls(codegen, name)
        library._final_module = parse_bitcode(bitcode)
        library._finalize_final_module()
        return library


class InlinedCompiler(Compiler):
    """Numba's compiler, with an ``InlinedLibrary`` as its result."""

    def __init__(self, typing_context: Any, target_context: Any, library: Any, *rest: Any):
        library = library or InlinedLibrary(target_context.codegen(), "inlined")
        super().__init__(typing_context, target_context, library, *rest)


def rebuilt(target_context: Any, reduced: tuple[Any, ...]) -> CompileResult:
    """Inverse of ``CompileResult._reduce``, for inlined and other functions."""
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
    library = InlinedLibrary.from_bitcode(target_context.codegen(), name, bitcode)
    return compile_result(
        typing_context=target_context.typing_context,
        target_context=target_context,
        entry_point=target_context.get_executable(library, fndesc, environment),
        type_annotation=type_annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        fndesc=fndesc,
        library=library,
        environment=environment,
        reload_init=reload_init,
        referenced_envs=referenced_envs,
    )
