"""``python -m jaxsolve.proof.check FILE``: exit 0 accepted, 1 refused, 2 unreadable."""

from __future__ import annotations

import sys

from jaxsolve.proof.check.checker import check
from jaxsolve.proof.check.errors import show


def main(arguments: list[str]) -> int:
    """Checks the one file named in ``arguments``, prints one sentence and returns the exit code."""
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print("usage: python -m jaxsolve.proof.check FILE", file=sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    report = check(arguments[0])
    print(f"{show(arguments[0], 200)}: {report.sentence}", file=sys.stdout if report.accepted else sys.stderr)
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
