"""Writes a certificate (FORMAT.md): the proof graph in post-order, one JSON line a node, gzip-compressed."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jaxsolve.games.game import Game, Outcome
from jaxsolve.proof.graph import LEAF, MUST_PLAY, OR, PAIRING, ProofGraph

if TYPE_CHECKING:
    from jaxsolve.question import Claim


@dataclass(frozen=True)
class Certificate:
    """A written certificate."""

    path: Path
    nodes: int
    bytes: int


def write_certificate(game: Game, graph: ProofGraph, claim: Claim, path: Path, note: str = "") -> Certificate:
    """Writes ``graph`` as a certificate of ``claim``; the file appears under its name only when it is complete."""
    order = graph.post_order()
    uses = graph.uses()
    number = {node: i + 1 for i, node in enumerate(order)}
    result = claim.result
    temporary = path.with_name(path.name + ".part")
    with temporary.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=5, mtime=0, filename="") as packed:
        header = {
            "format": "jaxsolve-proof",
            "version": 1,
            "game": game.name,
            "rules": game.rule_set,
            "root": game.text(graph.state(game, 0)),
            "claim": {"player": game.players[claim.player], "result": result},
        }
        if note:
            header["note"] = note
        packed.write(_line(header))
        for node in order:
            packed.write(_line(_node(game, graph, node, number, uses)))
        packed.write(_line({"end": True, "nodes": len(order), "root": number[0]}))
    os.replace(temporary, path)
    return Certificate(path, len(order), path.stat().st_size)


def _line(value: dict) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _node(game: Game, graph: ProofGraph, node: int, number: dict[int, int], uses: list[int]) -> dict:
    state = graph.state(game, node)
    text = game.text(state)
    entry: dict[str, object] = {"id": number[node], "n": uses[node], "pos": text}
    kind = graph.kinds[node]
    if kind == LEAF:
        entry["leaf"] = leaf_reason(game, text, graph.outcomes[node])
        return entry
    pairs = [[game.action_text(action, state) for action in pair] for pair in graph.pairs[node]]
    if kind == PAIRING:
        entry["leaf"], entry["pairs"] = "pairing", pairs
        return entry
    moves = [[game.action_text(action, state), number[child]] for action, child in graph.children[node]]
    if kind == OR:
        entry["or"] = moves[0]
        return entry
    if graph.threats[node] >= 0:
        entry["threat"] = game.action_text(graph.threats[node], state)
        if kind == MUST_PLAY:
            entry["pairs"] = pairs
    entry["must-play" if kind == MUST_PLAY else "and"] = moves
    return entry


def leaf_reason(game: Game, text: str, outcome: int) -> str:
    """The reason FORMAT.md names for a finished game."""
    fields = dict(part.split("=", 1) for part in text.split(" ")[2:] if "=" in part)
    if game.name == "go":
        if fields.get("passes") == "2":
            return "score" if game.rule_set.startswith("go-") else "passes"
        return "captured" if fields.get("crucial") == "-" else "benson"
    if game.name == "gomoku":
        if outcome == Outcome.DRAW:
            return "full-board"
        return "two-fours" if fields.get("fours") == "2" else "five"
    return {"hex": "connection", "awari": "no-seeds"}[game.name]
