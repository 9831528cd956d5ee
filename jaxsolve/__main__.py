"""Entry point of the program ``jaxsolve``, also as ``python -m jaxsolve``."""

from __future__ import annotations

import atexit
import os
import signal
from typing import NoReturn


def main() -> None:
    """Runs the command line.

    Ctrl-C while modules are imported ends the program at once, with exit code 130. At the very end
    it is ignored, because Python would restore the signal's own action, death without a code.
    """
    handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if handled:  # the signal is ignored in a background job of a shell, and must stay ignored
        signal.signal(signal.SIGINT, _leave)
        # Registered first, so it is called last.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    from jaxsolve import cli

    if handled:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        cli.main()
    except KeyboardInterrupt:  # raised outside the code that reports an interrupt itself
        _leave()


def _leave(*_: object) -> NoReturn:
    os.write(2, b"jaxsolve: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
