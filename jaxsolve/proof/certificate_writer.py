"""Writes a proof graph as a certificate: a gzip file of JSON lines (``proof/FORMAT.md``)."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.games.game import Game, HasRelaxation, HasZones, ShowsKnowledge
from jaxsolve.games.threats import Branch, ThreatTree, decode_tree
from jaxsolve.proof.graph import KNOWN, LEAF, MUST_PLAY, OR, PAIRING, THREAT, ProofGraph

if TYPE_CHECKING:
    from jaxsolve.proof.decided import Decided

LINES = 256  # lines between two calls of ``stop``


@dataclass(frozen=True)
class Certificate:
    """Result of ``write_certificate``."""

    path: Path
    nodes: int
    bytes: int  # size of the file


def write_certificate(
    found: Decided,
    graph: ProofGraph,
    path: Path,
    order: np.ndarray | None = None,
    stop: Callable[[], None] = lambda: None,
) -> Certificate:
    """Writes ``graph`` as the certificate of ``found``.

    The file is renamed to ``path`` once it is complete.

    Args:
      found: the decided claim.
      graph: its proof.
      path: the file to write.
      order: result of ``graph.post_order()``, if the caller has it.
      stop: called at least every 0.2 s; may raise.

    Raises:
      OSError: the file cannot be written.
    """
    game = found.game
    order = graph.post_order() if order is None else order
    uses, number = graph.uses(), np.empty(len(order), np.int32)
    number[order] = np.arange(1, len(order) + 1)
    zoned = game if isinstance(game, HasZones) else None
    has_knowledge = found.evaluator.has_knowledge
    temporary = path.with_name(path.name + ".part")
    try:
        with (
            temporary.open("wb") as raw,
            gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=5, mtime=0, filename="") as packed,
        ):
            packed.write(_line(_header(found, graph) | _by(found, graph, order, stop)))
            for at in range(0, len(order), LINES):
                stop()
                packed.write(
                    b"".join(
                        _line(
                            _node(game, graph, node, number, int(uses[node]), zoned)
                            | (
                                _shown(game, graph, node, found.claim.player)
                                if has_knowledge
                                else {}
                            )
                        )
                        for node in order[at : at + LINES].tolist()
                    )
                )
            packed.write(_line({"end": True, "nodes": len(order), "root": int(number[0])}))
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return Certificate(path, len(order), path.stat().st_size)


def _header(found: Decided, graph: ProofGraph) -> dict[str, object]:
    game, claim = found.game, found.claim
    header: dict[str, object] = {
        "format": "jaxsolve-proof",
        "version": 1,
        "game": game.name,
        "rules": game.rule_set,
        "root": game.text(graph.state(game, 0)),
        "claim": {"player": game.players[claim.player], "result": claim.result},
    }
    return header | ({"note": found.note} if found.note else {})


def _by(
    found: Decided, graph: ProofGraph, order: np.ndarray, stop: Callable[[], None]
) -> dict[str, object]:
    """Returns the header fields of a proof under a relaxation of the claim's rules.

    The fields are the claim's ``rules`` and ``root``, ``by`` and ``again`` (``proof/FORMAT.md``).
    Without a relaxation the result is empty.
    """
    game, original = found.game, found.original
    if original is None:
        return {}
    again = _again(found, graph, order, stop)
    header: dict[str, object] = {
        "rules": original.game.rule_set,
        "root": original.game.text(original.state),
        "by": game.rule_set,
    }
    return header | (
        {"again": game.zone_text(again)} if again and isinstance(game, HasZones) else {}
    )


def _threat(tree: ThreatTree, named: Callable[[int], str]) -> list[object]:
    """Converts a threat tree to JSON values of the certificate; ``named`` names an action."""
    if not isinstance(tree, Branch):
        return [named(action) for action in tree]
    return [
        named(tree.move),
        [named(action) for action in tree.line],
        [[named(reply), _threat(answer, named)] for reply, answer in tree.answers],
    ]


def _again(
    found: Decided, graph: ProofGraph, order: np.ndarray, stop: Callable[[], None]
) -> list[int]:
    """Returns the points of the header field ``again`` (``proof/FORMAT.md``).

    A point belongs to the field if the claimant plays it at some node of the proof, and has had a
    stone on it before. An earlier stone is one at the node of the move, at a node above it, or on a
    board of the root's history.
    """
    game, original, player = found.game, found.original, found.claim.player
    assert original is not None
    assert isinstance(game, HasRelaxation) and isinstance(original.game, HasRelaxation)
    plays: dict[int, int] = {}  # node -> bit set over actions
    again = 0
    for count, node in enumerate(order.tolist()):
        if count % LINES == 0:
            stop()
        played = 0
        for action, child in graph.children(node):
            played |= plays[child] | (1 << action if graph.kinds[node] == OR else 0)
        plays[node] = played
        again |= played & game.stones_of(graph.state(game, node), player)
    for stones in original.game.earlier_stones_of(original.state, player):
        again |= plays[0] & stones
    return [action for action in range(again.bit_length()) if again >> action & 1]


def _line(value: dict) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


KINDS = {KNOWN: "known", OR: "or", MUST_PLAY: "must-play"}


def _shown(game: Game, graph: ProofGraph, node: int, player: int) -> dict:
    """Returns the fields that the game shows of its knowledge (``ShowsKnowledge``)."""
    kind = KINDS.get(int(graph.kinds[node]))
    if kind is None or not isinstance(game, ShowsKnowledge):
        return {}
    return game.node_fields(graph.state(game, node), kind, player)


def _node(
    game: Game,
    graph: ProofGraph,
    node: int,
    number: np.ndarray,
    uses: int,
    zoned: HasZones | None,
) -> dict:
    state = graph.state(game, node)
    text, kind = game.text(state), graph.kinds[node]
    entry: dict[str, object] = {"id": int(number[node]), "n": uses, "pos": text}
    if zoned is not None and (zone := zoned.zone_text(graph.zone(game, node))):
        entry["zone"] = zone
    if kind == KNOWN:
        return entry  # the game adds the reason
    if kind == LEAF:
        entry["leaf"] = game.leaf_reason(state, int(graph.outcomes[node]))
        return entry
    pairs = [[game.action_text(action, state) for action in pair] for pair in graph.pairs(node)]
    if kind == PAIRING:
        entry["leaf"], entry["pairs"] = "pairing", pairs
        return entry
    moves = [
        [game.action_text(action, state), int(number[child])]
        for action, child in graph.children(node)
    ]
    if kind == OR:
        entry["or"] = moves[0]
        return entry
    if kind == THREAT and (code := graph.tree(node)):
        entry["threat"] = _threat(decode_tree(code), lambda action: game.action_text(action, state))
    elif graph.threats[node] >= 0:
        entry["threat"] = game.action_text(int(graph.threats[node]), state)
        if kind == MUST_PLAY:
            entry["pairs"] = pairs
    entry["must-play" if kind == MUST_PLAY else "and"] = moves
    return entry
