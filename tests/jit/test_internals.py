"""Everything private that ``jaxsolve.jit`` uses of numba and JAX, and the reason for each use."""

from __future__ import annotations

import importlib
import importlib.metadata
import re

import pytest

from support.paths import ROOT

NUMBA = {
    "numba.core.caching._Cache": "numba 0.68 looks up machine code through this base class only.",
    "numba.core.bytecode.FunctionIdentity._unique_ids": (
        "Up to numba 0.68 symbols contain this count, which is equal in different processes."
    ),
    "numba.core.compiler.CompileResult._reduce": (
        "numba 0.68 serialises a compiled function by this method only."
    ),
    "numba.core.compiler.CompileResult._rebuild": "The inverse of ``_reduce`` in numba 0.68.",
    "numba.core.compiler.CompileResult._find_referenced_environments": (
        "numba 0.68 sets environments of inlined functions only when it links their machine code."
    ),
    "numba.core.compiler.Compiler": "numba 0.68 takes another code library only by a subclass.",
    "numba.core.compiler.compile_result": "numba 0.68 makes a result from bitcode only by this.",
    "numba.core.codegen.JITCodeLibrary._optimize_final_module": (
        "numba 0.68 optimises each inlined function fully unless this is overridden."
    ),
    "numba.core.codegen.JITCodeLibrary._finalize_final_module": (
        "numba 0.68 generates machine code for each inlined function unless this is overridden."
    ),
    "numba.core.codegen.JITCodeLibrary._finalize_dynamic_globals": (
        "Called by the overridden ``_finalize_final_module`` as in numba 0.68."
    ),
    "numba.core.codegen.JITCodeLibrary._verify_declare_only_symbols": (
        "Called by the overridden ``_finalize_final_module`` as in numba 0.68."
    ),
    "numba.core.codegen.CPUCodegen._module_pass_manager": (
        "numba 0.68 builds LLVM's passes with other settings only by this method."
    ),
    "numba.core.compiler_lock.global_compiler_lock": (
        "numba 0.68 compiles under it; seconds of compilation are measured under it too."
    ),
    "numba.core.runtime.rtsys": (
        "A full refresh of numba 0.68's context imports scipy; initialising this does not."
    ),
    "numba.core.serialize.dumps": "numba 0.68 pickles types and closures by this function.",
    "numba.core.typing.templates.AttributeTemplate": (
        "numba 0.68 has no public way to give fields to a type whose names are known late."
    ),
    "numba.core.cgutils": "LLVM helpers that numba's extension guide uses (numba 0.68).",
    "numba.extending.lower_getattr_generic": "Reads a field by pointer (numba 0.68).",
}
JAX = {
    "jax.experimental.serialize_executable": (
        "Up to JAX 0.12 only this module stores a whole executable."
    ),
    "jax.experimental.compilation_cache.compilation_cache.reset_cache": (
        "Up to JAX 0.12 an executable from JAX's cache cannot be serialised again, and JAX looks "
        "for its cache once."
    ),
}
ELSEWHERE = {  # outside ``jit``, by file: what they use
    "bench/measure.py": "JAX's cache on disk is reset, to measure compilation.",
}


def found(name: str) -> bool:
    """Whether a dotted name of a module's attribute exists."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            if not hasattr(value, part):
                return False
            value = getattr(value, part)
        return True
    return False


@pytest.mark.parametrize("name", [*NUMBA, *JAX])
def test_each_internal_exists_in_the_installed_version(name):
    versions = [f"{package} {importlib.metadata.version(package)}" for package in ("numba", "jax")]
    assert found(name), f"{name} is gone in {versions}. It is used because: {(NUMBA | JAX)[name]}"


def test_only_jit_reaches_into_numba_and_jax():
    internals = re.compile(
        r"^\s*(?:from|import) (?:numba\.|llvmlite|jax\._src|jaxlib"
        r"|jax\.experimental(?: import serialize|\.compilation_cache))",
        re.MULTILINE,
    )
    package = ROOT / "jaxsolve"
    users = {
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if internals.search(file.read_text())
    }
    assert {user for user in users if not user.startswith("jit/")} <= set(ELSEWHERE)


def test_every_import_of_internals_in_jit_has_its_reason():
    named = " ".join([*NUMBA, *JAX])
    for file in (ROOT / "jaxsolve/jit").glob("*.py"):
        imports = re.findall(
            r"from (numba\.core\.[\w.]+|jax\.experimental[\w.]*)", file.read_text()
        )
        for module in imports:
            assert module in named, f"{file.name} imports from {module}: say why"
