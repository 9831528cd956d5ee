"""What a process does about its own limits."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp

from jaxsolve.core import process


def compile_some(count: int) -> None:
    for number in range(count):
        jax.jit(lambda x, number=number: jnp.sort(x + number))(
            jnp.arange(4 + number)
        ).block_until_ready()


def test_what_is_compiled_takes_mappings_and_gives_them_back(monkeypatch) -> None:
    before = process.mappings()
    compile_some(20)
    held = process.mappings()
    assert held > before + 20
    process.release_compiled_code()
    assert process.mappings() >= held, "below the limit everything stays"
    monkeypatch.setattr(process, "MAX_MAPPINGS", before)
    process.release_compiled_code()
    assert process.mappings() < held - 20
    compile_some(1)


def program(text: str) -> str:
    """Standard output of a program that ends well."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_interruption_waits_until_jax_is_imported():
    said = program("""
        import os, signal, sys
        from jaxsolve.core import process

        class Interrupting:
            def find_spec(self, name, path=None, target=None):
                if name.startswith("jaxlib."):
                    os.kill(os.getpid(), signal.SIGINT)

        sys.meta_path.insert(0, Interrupting())
        try:
            process.import_jax()
        except KeyboardInterrupt:
            print("interrupted", "jax" in sys.modules and sys.modules["jax"].__version__ is not None)
    """)
    assert said == "interrupted True\n"


def test_of_what_was_put_off_nothing_is_lost():
    """In the background of a shell SIGINT is ignored, and must not hide the SIGTERM that comes after it."""
    said = program("""
        import os, signal
        from jaxsolve.core import process

        came = []
        signal.signal(signal.SIGTERM, lambda number, frame: came.append(number))
        for kept in (signal.SIG_IGN, lambda number, frame: came.append(number)):
            signal.signal(signal.SIGINT, kept)
            with process.defer_interrupts():
                os.kill(os.getpid(), signal.SIGINT)
                os.kill(os.getpid(), signal.SIGTERM)
                print(came)
            print([number.name for number in map(signal.Signals, came)], signal.getsignal(signal.SIGINT) is kept)
            came.clear()
    """)
    assert said.splitlines() == ["[]", "['SIGTERM'] True", "[]", "['SIGINT', 'SIGTERM'] True"]
