"""Plain-Python solver for tiny positions, with the checker's own rules.

It makes certificates for tests of the checker. It is exhaustive and slow on purpose, and shares no
code with the package's searches.
"""

from __future__ import annotations

import gzip
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from jaxsolve.proof.check import registry as checkers
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.rules import Rules

RESULTS = {"wins": True, "does-not-lose": False}


def refused(call, *arguments):
    """The result of the call, or None if it refuses its input."""
    try:
        return call(*arguments)
    except ValueError:
        return None


def rules_of(game: str, rules: str) -> Rules:
    """The checker's rule set."""
    return checkers.find(game).rules(rules)


def random_game(
    rules: Rules, text: str, rng: random.Random, check: Callable[..., None], plies: int = 400
) -> list[str]:
    """Plays at random from ``text`` and returns the moves.

    Calls ``check(text, position, verdict, replies)`` at every position.
    """
    moves = []
    for _ in range(plies):
        position = rules.root(text)
        verdict = rules.verdict(position)
        replies = {} if verdict else rules.replies(position)
        check(text, position, verdict, replies)
        if verdict is not None:
            break
        for move, child in replies.items():
            assert rules.child(position, move) == child
        moves.append(rng.choice(sorted(replies)))
        text = replies[moves[-1]]
    return moves


def reachable(rules: Rules, root: str, limit: int = 200_000) -> dict[str, Any]:
    """Every position that play from ``root`` can reach.

    Text -> Verdict if the game is over, otherwise {move: text}.
    """
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


def attractor(
    rules: Rules, positions: dict[str, Any], claimant: int, needs_win: bool
) -> dict[str, int]:
    """Text -> number of the step at which the claim became certain there.

    Positions where it never does are omitted.
    """
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
    game: str,
    rule_set: str,
    root: str,
    player: str,
    result: str = "wins",
    threats: bool = False,
    limit: int = 200_000,
) -> list[dict[str, Any]] | None:
    """The lines of a certificate by exhaustion, or None if the claim does not hold.

    ``threats``: use threat nodes wherever one is allowed.
    """
    rules = rules_of(game, rule_set)
    rules.root(root)
    return prove(
        rules, (game, rule_set, root, player, result), reachable(rules, root, limit), threats
    )


def prove(
    rules: Rules,
    claim: tuple[str, str, str, str, str],
    positions: dict[str, Any],
    threats: bool = False,
) -> list[dict[str, Any]] | None:
    """The lines of a certificate for the claim, or None.

    The claim is (game, rule set, root, player, result), in a graph of positions of ``reachable``.
    """
    _, _, root, player, result = claim
    claimant = rules.players.index(player)
    ranks = attractor(rules, positions, claimant, RESULTS[result])
    if root not in ranks:
        return None
    reasons: dict[str, Reason] = {}
    todo = [root]
    while todo:
        text = todo.pop()
        if text not in reasons:
            reasons[text] = _reason(rules, positions, ranks, text, claimant, threats)
            todo.extend(child for _, child in reasons[text].edges)
    return assemble(
        *claim, {text: reasons[text] for text in sorted(reasons, key=ranks.__getitem__)}
    )


class Reason(NamedTuple):
    """The reason why the claim holds at a position."""

    kind: str  # "leaf", "or", "and", "threat"
    word: str  # the leaf's reason or the threat's move
    edges: list[tuple[str, str]]  # moves and the texts they lead to


def _reason(
    rules: Rules,
    positions: dict[str, Any],
    ranks: dict[str, int],
    text: str,
    claimant: int,
    threats: bool,
) -> Reason:
    value = positions[text]
    if not isinstance(value, dict):
        return Reason("leaf", value.reason, [])
    position = rules.position(text)
    if rules.side(position) == claimant:
        move = min(
            (move for move in value if value[move] in ranks), key=lambda move: ranks[value[move]]
        )
        return Reason("or", "", [(move, value[move])])
    for move, left in _threats(rules, position, value if threats else ()):
        if all(child in ranks and ranks[child] < ranks[text] for child in left.values()):
            return Reason("threat", move, list(left.items()))
    return Reason("and", "", list(value.items()))


def _threats(
    rules: Rules, position: Any, moves: Iterable[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    for move in moves:
        try:
            yield move, rules.threat(position, move)
        except Refused:
            continue


def assemble(
    game: str, rule_set: str, root: str, player: str, result: str, reasons: dict[str, Reason]
) -> list[dict[str, Any]]:
    """Lines from reasons in post-order that all serve the root, which is the last."""
    ids = {text: number for number, text in enumerate(reasons, 1)}
    uses = Counter(child for reason in reasons.values() for _, child in reason.edges)
    nodes: list[dict[str, Any]] = []
    for text, (kind, word, edges) in reasons.items():
        moves = [[move, ids[child]] for move, child in edges]
        why = {
            "leaf": {"leaf": word},
            "or": {"or": moves[:1] and moves[0]},
            "and": {"and": moves},
            "threat": {"threat": word, "and": moves},
        }[kind]
        nodes.append({"id": ids[text], "n": uses[text], "pos": text, **why})
    header = {
        "format": "jaxsolve-proof",
        "version": 1,
        "game": game,
        "rules": rule_set,
        "root": root,
        "claim": {"player": player, "result": result},
    }
    return [header, *nodes, {"end": True, "nodes": len(nodes), "root": ids[root]}]


class DepthFirst:
    """Depth-first solver for positions with a large reachable set.

    The number of the claimant's moves is bounded, and optionally their choice.
    """

    def __init__(
        self,
        game: str,
        rule_set: str,
        player: str,
        result: str = "wins",
        threats: bool = False,
        candidates: Sequence[str] | None = None,
    ):
        self.names = (game, rule_set)
        self.claim = (player, result)
        self.rules = rules_of(game, rule_set)
        self.claimant = self.rules.players.index(player)
        self.threats = threats
        self.candidates = candidates
        self.proven: dict[str, Reason] = {}
        self.failed: dict[str, int] = {}

    def certificate(self, root: str, moves: int) -> list[dict[str, Any]] | None:
        """The lines of a certificate, or None.

        The claimant makes at most ``moves`` moves on any path.
        """
        self.rules.root(root)
        if not self._prove(root, moves):
            return None
        needed, todo = set(), [root]
        while todo:
            text = todo.pop()
            if text not in needed:
                needed.add(text)
                todo.extend(child for _, child in self.proven[text].edges)
        return assemble(
            *self.names,
            root,
            *self.claim,
            {text: reason for text, reason in self.proven.items() if text in needed},
        )

    def _prove(self, text: str, moves: int) -> bool:
        if text in self.proven:
            return True
        if self.failed.get(text, -1) >= moves:
            return False
        reason = self._search(text, moves)
        if reason is None:
            self.failed[text] = moves
            return False
        self.proven[text] = reason
        return True

    def _search(self, text: str, moves: int) -> Reason | None:
        position = self.rules.position(text)
        verdict = self.rules.verdict(position)
        if verdict is not None:
            holds = verdict.winner == self.claimant or (
                verdict.winner is None and self.claim[1] == "does-not-lose"
            )
            return Reason("leaf", verdict.reason, []) if holds else None
        replies = self.rules.replies(position)
        if self.rules.side(position) != self.claimant:
            for move, left in _threats(self.rules, position, replies if self.threats else ()):
                if all(self._prove(child, moves) for child in left.values()):
                    return Reason("threat", move, list(left.items()))
            return (
                Reason("and", "", list(replies.items()))
                if all(self._prove(child, moves) for child in replies.values())
                else None
            )
        for move in () if moves == 0 else replies if self.candidates is None else self.candidates:
            if move in replies and self._prove(replies[move], moves - 1):
                return Reason("or", "", [(move, replies[move])])
        return None


def encode(lines: list[Any]) -> bytes:
    """The uncompressed file: each line is a JSON value, or bytes that are written unchanged."""
    return b"".join(
        line
        if isinstance(line, bytes)
        else json.dumps(line, separators=(",", ":")).encode() + b"\n"
        for line in lines
    )


def write(path: str | os.PathLike[str], lines: list[Any]) -> str:
    """Writes the lines as a certificate file and returns its path."""
    with open(path, "wb") as file:
        file.write(gzip.compress(encode(lines), compresslevel=1, mtime=0))
    return os.fspath(path)
