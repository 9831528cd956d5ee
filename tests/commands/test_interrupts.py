"""Ctrl-C at any time: the program ends with one sentence and the results so far."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import time
import weakref

import pytest

from jaxsolve import cli, search
from jaxsolve.commands import signals
from jaxsolve.search import Result, Verdict
from support.cli import WIN, run


def stopped(*_, claim=None, **__):
    return Result(Verdict.UNKNOWN, claim, "Interrupted.", interrupted=True)


def test_an_interrupted_search_is_reported(monkeypatch):
    monkeypatch.setattr(search, "solve", stopped)
    result = run("solve", WIN, "--game", "hex-3")
    assert result.exit_code == 130
    assert "Interrupted." in result.stdout


def _press():
    signal.raise_signal(signal.SIGINT)


def _in_finalizer():
    class Pressing:
        def __del__(self):
            _press()

    Pressing()


def _in_weak_reference():
    class Thing:
        pass

    thing = Thing()
    watch = weakref.ref(thing, lambda _: _press())
    del thing
    return watch


def _in_garbage_collection():
    gc.callbacks.append(lambda phase, _: _press() if phase == "stop" else None)
    try:
        gc.collect()
    finally:
        gc.callbacks.pop()


@pytest.mark.parametrize("swallow", [_in_finalizer, _in_weak_reference, _in_garbage_collection])
def test_ctrl_c_is_not_lost_where_exceptions_are_swallowed(swallow):
    """JAX has a garbage-collector callback; Python swallows exceptions raised there."""
    kept, hook = (
        {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)},
        sys.unraisablehook,
    )
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signals.stop_on_terminate()
        swallow()
        with pytest.raises(KeyboardInterrupt):
            time.sleep(30)
    finally:
        sys.unraisablehook = hook
        for number, handler in kept.items():
            signal.signal(number, handler)


def test_handlers_of_interruptions_are_installed_before_imports(monkeypatch):
    """Importing JAX installs a garbage-collector callback; our handlers must come first."""
    kept, hook, seen = signal.getsignal(signal.SIGTERM), sys.unraisablehook, []
    monkeypatch.setattr(cli, "app", lambda **_: seen.append(type(sys.unraisablehook).__name__))
    try:
        cli.main()
    finally:
        sys.unraisablehook = hook
        signal.signal(signal.SIGTERM, kept)
    assert seen == ["_RaiseAgain"]


def test_ctrl_c_before_the_search_is_no_traceback(monkeypatch):
    def press(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "solve", press)
    result = run("solve", WIN, "--game", "hex-3")
    assert (result.exit_code, result.stderr) == (130, "jaxsolve: interrupted\n")


AT_IMPORT = """
import signal, sys

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run in the background
from jaxsolve import __main__ as program
module = sys.argv.pop()
sys.meta_path.insert(0, Press())
program.main()
"""


@pytest.mark.parametrize(
    "module", ["jaxsolve.cli", "typer", "rich", "jax", "jaxsolve.commands.solve"]
)
def test_ctrl_c_during_an_import_leaves_no_traceback(module):
    words = [sys.executable, "-c", AT_IMPORT, "solve", "start", "--game", "hex-3", module]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "jaxsolve: interrupted\n")


AT_THE_END = """
import atexit, os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run in the background

class AtTheEnd:
    def __del__(self, kill=os.kill, me=os.getpid()):  # after the functions of ``atexit``
        kill(me, 2)

if sys.argv.pop() == "atexit":
    register = atexit.register
    def late(*words):  # called before the program's own function
        register(*words)
        register(signal.raise_signal, signal.SIGINT)
        atexit.register = register
    atexit.register = late
else:
    sys.at_the_end = AtTheEnd()
from jaxsolve import __main__ as program
program.main()
"""


@pytest.mark.parametrize(("when", "code"), [("atexit", 130), ("later", 0)])
def test_ctrl_c_after_the_output_is_an_exit_code(when, code):
    words = [sys.executable, "-c", AT_THE_END, "games", when]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (code, "")
    assert "tsumego" in done.stdout
