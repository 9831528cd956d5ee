"""Memory mappings and interrupts of a process."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import pytest

from jaxsolve.core import process


def compile_some(count: int) -> None:
    for number in range(count):
        jax.jit(lambda x, number=number: jnp.sort(x + number))(
            jnp.arange(4 + number)
        ).block_until_ready()


@pytest.mark.full
def test_released_code_gives_its_memory_mappings_back(monkeypatch) -> None:
    before = process.mappings()
    compile_some(20)
    held = process.mappings()
    assert held > before + 20
    process.release_compiled_code()
    process.release_compiled_code(1 << 50)
    # Other memory of the process may come and go meanwhile.
    assert process.mappings() > held - 10, "below the limits everything stays"
    monkeypatch.setattr(process, "MAX_MAPPINGS", before)
    process.release_compiled_code()
    assert process.mappings() < held - 20
    compile_some(1)


def test_code_is_released_above_either_limit_only(monkeypatch) -> None:
    cleared = []
    monkeypatch.setattr(jax, "clear_caches", lambda: cleared.append(1))
    monkeypatch.setattr(process, "mappings", lambda: process.MAX_MAPPINGS)
    monkeypatch.setattr(process, "resident_bytes", lambda: 1000)
    for most in (None, 1000, 999):
        process.release_compiled_code(most)
    assert cleared == [1]
    monkeypatch.setattr(process, "mappings", lambda: process.MAX_MAPPINGS + 1)
    process.release_compiled_code()
    assert cleared == [1, 1]


def program(text: str) -> str:
    """Standard output of a program that must succeed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_interrupt_waits_until_jax_is_imported():
    output = program("""
        import os, signal, sys
        from jaxsolve.core import process

        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background

        class Interrupting:
            def find_spec(self, name, path=None, target=None):
                if name.startswith("jaxlib."):
                    os.kill(os.getpid(), signal.SIGINT)

        sys.meta_path.insert(0, Interrupting())
        try:
            process.import_jax()
        except KeyboardInterrupt:
            imported = "jax" in sys.modules and sys.modules["jax"].__version__ is not None
            print("interrupted", imported)
    """)
    assert output == "interrupted True\n"


def test_every_deferred_signal_takes_effect():
    """A background process of a shell ignores SIGINT; a later SIGTERM must still take effect."""
    output = program("""
        import os, signal
        from jaxsolve.core import process

        came = []
        signal.signal(signal.SIGTERM, lambda number, frame: came.append(number))
        for handler in (signal.SIG_IGN, lambda number, frame: came.append(number)):
            signal.signal(signal.SIGINT, handler)
            with process.defer_interrupts():
                os.kill(os.getpid(), signal.SIGINT)
                os.kill(os.getpid(), signal.SIGTERM)
                print(came)
            restored = signal.getsignal(signal.SIGINT) is handler
            print([signal.Signals(number).name for number in came], restored)
            came.clear()
    """)
    assert output.splitlines() == ["[]", "['SIGTERM'] True", "[]", "['SIGINT', 'SIGTERM'] True"]
