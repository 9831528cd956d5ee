"""``python -m jaxsolve.proof.check FILE``: exit 0 accepted, 1 refused, 2 unreadable, bad words or nothing written."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from jaxsolve.proof.check.audit.report import AuditReport, Audits, audit
from jaxsolve.proof.check.errors import show


class _Words(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line."""
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


def _words() -> argparse.ArgumentParser:
    words = _Words(
        prog="python -m jaxsolve.proof.check",
        usage="%(prog)s FILE [--replay N] [--seed K] [--flatten OUT] [--most NODES]",
    )
    words.add_argument("file", metavar="FILE", help="a proof.jsonl.gz")
    words.add_argument(
        "--replay",
        type=_count(1),
        default=0,
        metavar="N",
        help="play N random defences against an accepted proof's strategy",
    )
    words.add_argument(
        "--seed", type=_count(0), default=0, metavar="K", help="random seed of the replay"
    )
    words.add_argument(
        "--flatten",
        metavar="OUT",
        help="write an accepted proof to OUT as a plain one, without zones",
    )
    words.add_argument(
        "--most", type=_count(1), metavar="NODES", help="stop where the plain one needs more nodes"
    )
    return words


def main(arguments: list[str]) -> int:
    """Checks the one file named in ``arguments``, prints one sentence for each thing asked and returns the exit code."""
    try:
        given = _words().parse_args(arguments)
        if given.most is not None and given.flatten is None:
            _words().error("--most goes with --flatten")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 2
    found = audit(given.file, Audits(given.replay, given.seed, given.flatten, given.most))
    print_report(given.file, found)
    return found.exit_code


def print_report(file: str, found: AuditReport) -> None:
    """Prints an answer: what was accepted and done to standard output, what was not to standard error."""
    *before, last = found.sentences
    for sentence in before:
        print(f"{show(file, 200)}: {sentence}")
    print(f"{show(file, 200)}: {last}", file=sys.stderr if found.exit_code else sys.stdout)


def run(arguments: list[str]) -> int:
    """``main`` as a program: an answer that cannot be printed is no refusal (2), and an interruption is one line (130)."""
    try:
        code = main(arguments)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"the answer cannot be printed: {error.strerror or error}", file=sys.stderr)
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # the interpreter would try again at its end
        return 2


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
