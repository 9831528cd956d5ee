"""Functions that are only inlined: compiled to LLVM bitcode, not to machine code.

Numba optimises every function, generates its machine code and loads this code, even if the function
is only inlined. It then optimises the inlined code again in every caller, and in the callers of
these. For a host loop of some hundred small functions this takes most of the compilation time. With
this module an inlined function is only simplified, once. Only the function that inlines it is fully
optimised.

``tests/jit/test_internals.py`` lists the internals of numba that this module uses.
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
    """Proxy of numba's code generator, for functions without addresses."""

    def __init__(self, codegen: Any):
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, env_name: str, env: Any) -> None:
        """Does nothing. ``CodeCache`` sets the environments of the inlining function instead."""


class InlinedLibrary(JITCodeLibrary):
    """Bitcode of a function that other functions inline."""

    @property
    def codegen(self) -> Any:
        """The code generator, as a proxy that needs no addresses of this library's functions."""
        return _AddresslessCodegen(self._codegen)

    def _optimize_final_module(self) -> None:
        """Inlines the functions that this function calls, with the cheapest passes of LLVM.

        With no passes compilation took 1.25 times as long, with all passes 1.35 times.
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
        """Returns 0, numba's value for a function without an address."""
        return 0

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Returns (name, KIND, LLVM bitcode), since there is no object code."""
        return self.name, KIND, self._final_module.as_bitcode()

    @classmethod
    def from_bitcode(cls, codegen: Any, name: str, bitcode: bytes) -> InlinedLibrary:
        """Makes a library from its name and bitcode: inverse of ``serialize_using_object_code``."""
        library = cls(codegen, name)
        library._final_module = parse_bitcode(bitcode)
        library._finalize_final_module()
        return library


class InlinedCompiler(Compiler):
    """Numba's compiler, with an ``InlinedLibrary`` as the library of the compiled function."""

    def __init__(self, typing_context: Any, target_context: Any, library: Any, *rest: Any):
        library = library or InlinedLibrary(target_context.codegen(), "inlined")
        super().__init__(typing_context, target_context, library, *rest)


def rebuilt(target_context: Any, reduced: tuple[Any, ...]) -> CompileResult:
    """Rebuilds a compiled function, inlined or not: the inverse of ``CompileResult._reduce``."""
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
