"""Command line of the checker: ``python -m jaxsolve.proof.check FILE``.

Exit codes: 0 accepted; 1 refused; 2 unreadable, wrong options, not audited, or not written.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from jaxsolve.proof.check.errors import show

if TYPE_CHECKING:
    from jaxsolve.proof.check.audit.report import AuditReport


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Prints the usage and the error message on one line, and exits with code 2."""
        print(f"{self.format_usage().strip()} ({message})", file=sys.stderr)
        sys.exit(2)


def _count(least: int):
    def read(text: str) -> int:
        if not (
            text.isascii() and text.isdigit() and len(text) <= 20 and least <= int(text) < 1 << 64
        ):
            raise argparse.ArgumentTypeError(
                f"{show(text)} is not a number from {least}, below 2^64"
            )
        return int(text)

    return read


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m jaxsolve.proof.check",
        usage="%(prog)s FILE [--replay N] [--seed K] [--flatten OUT] [--most NODES]",
    )
    parser.add_argument("file", metavar="FILE", help="a proof.jsonl.gz")
    parser.add_argument(
        "--replay",
        type=_count(1),
        default=0,
        metavar="N",
        help="play N random defences against an accepted proof's strategy",
    )
    parser.add_argument(
        "--seed", type=_count(0), default=0, metavar="K", help="random seed of the replay"
    )
    parser.add_argument(
        "--flatten",
        metavar="OUT",
        help="write an accepted proof to OUT as a plain one, without zones",
    )
    parser.add_argument(
        "--most", type=_count(1), metavar="NODES", help="stop where the plain one needs more nodes"
    )
    return parser


def main(arguments: list[str]) -> int:
    """Checks and audits the file named in ``arguments``; prints one sentence for each result.

    Returns the exit code.
    """
    try:
        given = _parser().parse_args(arguments)
        if given.most is not None and given.flatten is None:
            _parser().error("--most goes with --flatten")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 2
    from jaxsolve.proof.check.audit.report import Audits, audit  # --help needs neither

    found = audit(given.file, Audits(given.replay, given.seed, given.flatten, given.most))
    print_report(given.file, found)
    return found.exit_code


def print_report(file: str, found: AuditReport) -> None:
    """Prints the sentences of a report to standard output.

    If the last sentence states a failure, it is printed to standard error.
    """
    *before, last = found.sentences
    for sentence in before:
        print(f"{show(file, 200)}: {sentence}")
    print(f"{show(file, 200)}: {last}", file=sys.stderr if found.exit_code else sys.stdout)


def run(arguments: list[str]) -> int:
    """Runs ``main`` and returns the exit code of the program.

    Returns 2 if the result cannot be printed. After an interrupt, prints one line and returns 130.
    """
    try:
        code = main(arguments)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"the result cannot be printed: {error.strerror or error}", file=sys.stderr)
        # Without this the interpreter would try to flush standard output again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
