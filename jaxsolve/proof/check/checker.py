"""``check``: checks the certificate in a file and reports the result."""

from __future__ import annotations

import dataclasses
import os

from jaxsolve.proof.check.errors import Refused, Repeats, Unreadable
from jaxsolve.proof.check.reader import lines
from jaxsolve.proof.check.walk import Walk


@dataclasses.dataclass(frozen=True)
class Report:
    """The result of checking one file."""

    accepted: bool
    readable: bool = True  # False: the file is not a certificate of a known version
    reason: str = ""  # one sentence without line and node; empty if accepted
    line: int | None = None  # number of the refused line, from 1; None: the whole file
    node: int | None = None  # id of the refused node
    nodes: int = 0  # node lines accepted
    peak_frontier: int = 0  # most nodes held at once
    game: str = ""
    rules: str = ""
    root: str = ""  # the position of the claim
    claim: str = ""  # "white wins"
    repeats: bool = False  # refused only because superko forbids a board that may repeat
    plugin: str = ""  # the plug-in's module with the rules; "" for built-in rules

    @property
    def exit_code(self) -> int:
        """Exit code of the program for this result: 0 accepted, 1 refused, 2 unreadable."""
        return 0 if self.accepted else 1 if self.readable else 2

    @property
    def sentence(self) -> str:
        """The result as one sentence."""
        if self.accepted:
            rules = f", by the rules of the plug-in {self.plugin}" if self.plugin else ""
            return (
                f"accepted: {self.claim} under {self.rules}"
                f" ({self.nodes} nodes, at most {self.peak_frontier} held at once){rules}."
            )
        place = (
            ""
            if self.line is None
            else f" line {self.line}" + ("" if self.node is None else f", node {self.node}") + ":"
        )
        return f"{'refused' if self.readable else 'unreadable'}:{place} {self.reason}."


def check(path: str | os.PathLike[str]) -> Report:
    """Checks the certificate at ``path``, a file name or an open binary file.

    Any fault of the file gives a report and no exception.
    """
    return judge(path, Walk())


def judge(path: str | os.PathLike[str], walk: Walk) -> Report:
    """Checks the certificate at ``path``, like ``check``, with the checking pass ``walk``.

    ``walk`` is a new object of ``Walk`` or of a subclass. A subclass can collect the nodes or add
    conditions.
    """
    accepted, readable, repeats, reason = False, True, False, ""
    try:
        for line in lines(path):
            walk.line(line)
        walk.close()
        accepted = True
    except Unreadable as error:
        readable, reason = False, str(error)
    except Refused as error:
        reason, repeats = str(error), isinstance(error, Repeats)
    except Exception as error:
        if not walk.source.plugin:  # an error of the checker itself must not appear as a refusal
            raise
        reason = str(walk.source.broken(error))
    return Report(
        accepted=accepted,
        readable=readable,
        reason=reason,
        line=None if accepted else walk.number or None,
        node=None if accepted else walk.node,
        nodes=walk.nodes,
        peak_frontier=walk.peak,
        game=walk.game,
        rules=walk.rule_set,
        root=walk.root,
        claim=walk.claim,
        repeats=repeats,
        plugin=walk.source.plugin,
    )
