"""Judges the certificate in a file."""

from __future__ import annotations

import dataclasses
import os

from jaxsolve.proof.check.errors import Refused, Repeats, Unreadable
from jaxsolve.proof.check.reader import lines
from jaxsolve.proof.check.walk import Walk


@dataclasses.dataclass(frozen=True)
class Report:
    """What the checker says about one file."""

    accepted: bool
    readable: bool = True  # False: no certificate of a known version, nothing was judged
    reason: str = ""  # one sentence without its place; empty when accepted
    line: int | None = (
        None  # line number from 1 of what is wrong, None where the file as a whole is
    )
    node: int | None = None  # id of the node that is wrong
    nodes: int = 0  # node lines accepted
    peak_frontier: int = 0  # most nodes held at once
    game: str = ""
    rules: str = ""
    root: str = ""  # the position the claim is about
    claim: str = ""  # "white wins"
    repeats: bool = False  # refused because superko may forbid what simple ko allows: a ``Repeats``
    plugin: str = ""  # the module whose rules were played by, where they are not the checker's own

    @property
    def exit_code(self) -> int:
        """0 accepted, 1 refused, 2 unreadable."""
        return 0 if self.accepted else 1 if self.readable else 2

    @property
    def sentence(self) -> str:
        """The whole answer as one sentence."""
        if self.accepted:
            whose = f", by the rules of the plug-in {self.plugin}" if self.plugin else ""
            return f"accepted: {self.claim} under {self.rules} ({self.nodes} nodes, at most {self.peak_frontier} held at once){whose}."
        place = (
            ""
            if self.line is None
            else f" line {self.line}" + ("" if self.node is None else f", node {self.node}") + ":"
        )
        return f"{'refused' if self.readable else 'unreadable'}:{place} {self.reason}."


def check(path: str | os.PathLike[str]) -> Report:
    """Reads the certificate at ``path`` and judges it. Raises nothing, whatever the file holds."""
    return judge(path, Walk())


def judge(path: str | os.PathLike[str], walk: Walk) -> Report:
    """``check`` by a pass of the caller's, which has seen nothing yet."""
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
        if not walk.source.plugin:  # rules of the checker's own raise nothing else: a fault to be seen, not one to be called a refusal
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
