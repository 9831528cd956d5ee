"""Plain-Python solver for tiny positions, built on the checker's own rules: certificates to test the checker with.

It is exhaustive and slow on purpose; the product's searches share nothing with it.
"""

from __future__ import annotations

import gzip
import json
import os
from typing import Any

from jaxsolve.proof.check.checker import GAMES
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.rules import Rules

RESULTS = {"wins": True, "does-not-lose": False}


def rules_of(game: str, rules: str) -> Rules:
    """The checker's rule set."""
    return GAMES[game](rules)


def reachable(rules: Rules, root: str, limit: int = 200_000) -> dict[str, Any]:
    """Every position that play from ``root`` can reach: text -> Verdict where the game is over, else {move: text}."""
    found: dict[str, Any] = {}
    todo = [root]
    while todo:
        text = todo.pop()
        if text in found:
            continue
        position = rules.position(text)
        verdict = rules.verdict(position)
        found[text] = verdict if verdict is not None else rules.replies(position)
        if verdict is None:
            todo.extend(found[text].values())
        if len(found) > limit:
            raise MemoryError(f"more than {limit} positions")
    return found


def attractor(rules: Rules, positions: dict[str, Any], claimant: int, needs_win: bool) -> dict[str, int]:
    """Text -> number of the step at which the claim became certain there; positions where it never does are left out."""
    parents: dict[str, list[str]] = {}
    open_replies: dict[str, int] = {}
    ranks: dict[str, int] = {}
    todo: list[str] = []
    for text, value in positions.items():
        if isinstance(value, dict):
            answers = rules.side(rules.position(text)) == claimant
            open_replies[text] = 1 if answers else len(value)
            for child in value.values():
                parents.setdefault(child, []).append(text)
        elif value.winner == claimant or (value.winner is None and not needs_win):
            ranks[text] = len(ranks)
            todo.append(text)
    for text in todo:
        for parent in parents.get(text, ()):
            open_replies[parent] -= 1
            if open_replies[parent] == 0:
                ranks[parent] = len(ranks)
                todo.append(parent)
    return ranks


def certificate(
    game: str, rule_set: str, root: str, player: str, result: str = "wins", threats: bool = False, limit: int = 200_000
) -> list[dict[str, Any]] | None:
    """The lines of a certificate, or None where the claim does not hold. ``threats``: use threat nodes wherever one is allowed."""
    rules = rules_of(game, rule_set)
    rules.root(root)
    claimant = rules.players.index(player)
    positions = reachable(rules, root, limit)
    ranks = attractor(rules, positions, claimant, RESULTS[result])
    if root not in ranks:
        return None
    header = {"format": "jaxsolve-proof", "version": 1, "game": game, "rules": rule_set, "root": root, "claim": {"player": player, "result": result}}
    nodes = _nodes(rules, positions, ranks, root, claimant, threats)
    return [header, *nodes, {"end": True, "nodes": len(nodes), "root": nodes[-1]["id"]}]


def _nodes(rules: Rules, positions: dict[str, Any], ranks: dict[str, int], root: str, claimant: int, threats: bool) -> list[dict[str, Any]]:
    reasons: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {}
    todo = [root]
    while todo:
        text = todo.pop()
        if text not in reasons:
            reasons[text] = _reason(rules, positions, ranks, text, claimant, threats)
            todo.extend(child for _, child in reasons[text][1])
    order = sorted(reasons, key=ranks.__getitem__)
    ids = {text: number for number, text in enumerate(order, 1)}
    uses = dict.fromkeys(order, 0)
    for _, edges in reasons.values():
        for _, child in edges:
            uses[child] += 1
    nodes = []
    for text in order:
        fields, edges = reasons[text]
        moves = [[move, ids[child]] for move, child in edges]
        kind = {"or": moves[0]} if "or" in fields else {**fields, "and": moves} if "and" in fields else fields
        nodes.append({"id": ids[text], "n": uses[text], "pos": text, **{k: v for k, v in kind.items() if k != "and"}})
        if "and" in kind:
            nodes[-1]["and"] = moves
    return nodes


def _reason(
    rules: Rules, positions: dict[str, Any], ranks: dict[str, int], text: str, claimant: int, threats: bool
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    value = positions[text]
    if not isinstance(value, dict):
        return {"leaf": value.reason}, []
    position = rules.position(text)
    if rules.side(position) == claimant:
        move = min((move for move in value if value[move] in ranks), key=lambda move: ranks[value[move]])
        return {"or": True}, [(move, value[move])]
    for move in value if threats else ():
        try:
            left = rules.threat(position, move)
        except Refused:
            continue
        if all(child in ranks and ranks[child] < ranks[text] for child in left.values()):
            return {"threat": move, "and": True}, list(left.items())
    return {"and": True}, list(value.items())


def encode(lines: list[Any]) -> bytes:
    """The uncompressed file: each line a JSON value, or bytes to be taken as they are."""
    return b"".join(line if isinstance(line, bytes) else json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)


def write(path: str | os.PathLike[str], lines: list[Any]) -> str:
    """Writes the lines as a certificate file and returns its path."""
    with open(path, "wb") as file:
        file.write(gzip.compress(encode(lines), compresslevel=1, mtime=0))
    return os.fspath(path)
