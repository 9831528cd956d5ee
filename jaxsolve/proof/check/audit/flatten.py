"""Flattening: writes a small proof with zones as a *plain* certificate, with every legal reply.

The proof's strategy (``Strategy``) is followed from the root against every reply, without
randomness. The plain certificate has only leaves, ``or`` nodes and ``and`` nodes. Therefore it
depends on the rules of the claim only, and not on zones, pairs, threats or simple ko. A checker
restricted to such nodes (``Plain``) must accept the file before the file gets its name.
"""

from __future__ import annotations

import array
import contextlib
import copy
import errno
import gzip
import json
import os
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from jaxsolve.proof.check.audit.certificate import Certificate
from jaxsolve.proof.check.audit.strategy import Place, Strategy
from jaxsolve.proof.check.checker import judge
from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.header import FORMAT, RESULTS, VERSION
from jaxsolve.proof.check.rules import Rules
from jaxsolve.proof.check.walk import Walk

MOST = 100_000
"""Default limit for the nodes of a plain certificate. They take 100 MB with 80 replies a node."""


class NotWritten(ValueError):
    """The plain certificate cannot be written, although the proof may be correct.

    The message is one sentence.
    """


class Plain(Walk):
    """A checking pass that accepts leaves, ``or`` nodes and ``and`` nodes only."""

    def _header(self, raw: bytes) -> None:
        super()._header(raw)
        if self._no_repeats is not None:
            raise Refused("a plain certificate is written under its own rules")
        self._rules = copy.copy(self._rules)  # a plug-in may reuse its object, so it is copied
        assert self._rules is not None
        self._rules.zones = self._rules.written = None

    def _node(self, fields: dict[str, Any], rules: Rules) -> None:
        if "threat" in fields:
            raise Refused("a plain certificate has no threats")
        super()._node(fields, rules)


class _Open(NamedTuple):
    """A position whose children are being expanded."""

    text: str  # the position under the claim's rules
    kind: str  # "or", "and" or the reason of a leaf
    # For each move: the move, the place after it, and its position's text under the claim's rules.
    edges: list[tuple[str, Place, str]]


class _Node(NamedTuple):
    text: str
    kind: str
    moves: str  # separated by blanks
    children: array.array[int]  # int64, ids


class Flat:
    """A plain proof in memory: a list of nodes, children before parents.

    Raises Refused if the strategy of ``proof`` fails against some reply, NotFollowed if it cannot
    be followed, and NotWritten if the plain proof has more than ``most`` nodes.
    """

    def __init__(self, proof: Certificate, most: int = MOST):
        self.proof, self.most = proof, most
        self.strategy = Strategy(proof)
        self.nodes: list[_Node] = []  # id - 1 -> node
        self._ids: dict[str, int] = {}  # position -> id of its finished node
        self._build()

    def _build(self) -> None:
        """Expands all positions of the strategy, each once, depth first and without recursion."""
        stack = [self._opened(self.strategy.start(), self.proof.root)]
        done = [0]  # for each position of the stack: the number of its finished children
        while stack:
            top = stack[-1]
            while done[-1] < len(top.edges) and top.edges[done[-1]][2] in self._ids:
                done[-1] += 1
            if done[-1] == len(top.edges):
                stack.pop()
                done.pop()
                self._finish(top)
                continue
            try:
                stack.append(self._opened(*top.edges[done[-1]][1:]))
            except Refused as error:
                line = " ".join(frame.edges[at][0] for frame, at in zip(stack, done, strict=True))
                raise Refused(
                    f"written out as a plain proof it fails after {line}: {error}"
                ) from None
            done.append(0)
            if len(stack) + len(self.nodes) > self.most:
                raise NotWritten(f"the plain certificate would have more than {self.most} nodes")

    def _opened(self, place: Place, text: str) -> _Open:
        strategy = self.strategy
        verdict = strategy.over(place, text)
        if verdict is not None:
            return _Open(text, verdict.reason, [])
        position = strategy.position(place.text)
        if self.proof.rules.side(position) == self.proof.claimant:
            move, after = strategy.move(place)
            return _Open(text, "or", [(move, after, strategy.after(text, move, after))])
        replies = strategy.replies(place, text)
        return _Open(
            text,
            "and",
            [
                (move, strategy.follow(place, move, known), after)
                for move, (known, after) in replies.items()
            ],
        )

    def _finish(self, node: _Open) -> None:
        if node.text in self._ids:  # the same position occurred below this node and is finished
            return
        children = array.array("q", (self._ids[text] for _, _, text in node.edges))
        self.nodes.append(
            _Node(node.text, node.kind, " ".join(move for move, _, _ in node.edges), children)
        )
        self._ids[node.text] = len(self.nodes)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yields the lines of the certificate: header, the nodes that the root needs, trailer."""
        proof, root = self.proof, self._ids[self.proof.root]
        uses = array.array("q", bytes(8 * (len(self.nodes) + 1)))
        for number in range(root, 0, -1):
            if uses[number] or number == root:
                for child in self.nodes[number - 1].children:
                    uses[child] += 1
        player, result = proof.rules.players[proof.claimant], RESULTS[0 if proof.needs_win else 1]
        header = {
            "format": FORMAT,
            "version": VERSION,
            "game": proof.game,
            "rules": proof.rule_set,
            "root": proof.root,
        }
        yield {**header, "claim": {"player": player, "result": result}}
        count = 0
        for number, node in enumerate(self.nodes[:root], 1):
            if uses[number] or number == root:
                count += 1
                edges = [list(edge) for edge in zip(node.moves.split(), node.children, strict=True)]
                why = (
                    {"or": edges[0]}
                    if node.kind == "or"
                    else {"and": edges}
                    if node.kind == "and"
                    else {"leaf": node.kind}
                )
                yield {"id": number, "n": uses[number], "pos": node.text, **why}
        yield {"end": True, "nodes": count, "root": root}


def flatten(proof: Certificate, out: str | os.PathLike[str], most: int = MOST) -> int:
    """Writes an accepted certificate as a plain certificate to the new file ``out``.

    The file is renamed to ``out`` once it is complete. Returns the number of nodes written.

    Raises:
      Refused: the strategy fails or the plain certificate is refused, so the proof is wrong.
      NotFollowed: the proof has a field that the strategy cannot follow.
      NotWritten: ``out`` exists, more than ``most`` nodes are needed, or the disk fails.
    """
    out = os.fspath(out)
    if not out:
        raise NotWritten("the plain certificate has no name")
    if os.path.lexists(out):
        raise NotWritten(f"{show(out, 200)} exists already; the plain certificate needs a new name")
    if not os.path.isdir(os.path.dirname(out) or "."):
        raise NotWritten(f"{show(out, 200)} cannot be written: there is no such folder")
    flat = Flat(proof, most)
    part = f"{out}.{os.getpid()}.part"
    try:
        with open(part, "xb") as file, _named(part, out):
            _write(file, flat)
            report = judge(part, Plain())
            if not report.accepted:
                raise Refused(f"written out as a plain proof it is {report.sentence.rstrip('.')}")
    except OSError as error:
        raise NotWritten(f"{show(out, 200)} cannot be written: {error.strerror or error}") from None
    return report.nodes


@contextlib.contextmanager
def _named(part: str, out: str) -> Iterator[None]:
    """Context manager: renames the file ``part`` to ``out`` after the block.

    Raises NotWritten if ``out`` exists by then. If the block fails, ``part`` is removed.
    """
    try:
        yield
        try:
            os.link(part, out)  # unlike a rename, a link never replaces an existing file
        except FileExistsError:
            raise NotWritten(
                f"{show(out, 200)} exists already; the plain certificate needs a new name"
            ) from None
        except OSError:  # a file system without links
            os.rename(part, out)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)


def _write(file: IO[bytes], flat: Flat) -> None:
    """Writes the lines of the plain proof to ``file`` and flushes them to the disk."""
    with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
        for line in flat.lines():
            packed.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
    file.flush()
    try:
        os.fsync(file.fileno())
    except OSError as error:
        if error.errno not in (
            errno.EINVAL,
            errno.ENOSYS,
            errno.ENOTSUP,
        ):  # the file system does not support flushing
            raise
