"""Questions under superko on tiny boards, their values by exhaustion, and proofs under simple ko.

The proofs are plain or have zones.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from jaxsolve.proof.check.games.go.rules import Go
from jaxsolve.proof.check.grid import bits
from support import mutations
from support.proofs import corpus as check_corpus
from support.proofs import solver as proof_tools
from support.proofs.go_zone_proofs import Zoner

MOST = 3_000  # positions that play under simple ko may reach


class Question(NamedTuple):
    """A position under superko."""

    rules: str
    root: str

    @property
    def by(self) -> str:
        """The same rules with simple ko."""
        return self.rules.replace("ko=positional", "ko=simple").replace(
            "ko=situational", "ko=simple"
        )


def questions(rng: random.Random, size: int, free: tuple[int, int]) -> Iterator[Question]:
    """Endless random problems with ``free`` points in the region, after moves under superko."""
    points = [f"{column}{row}" for row in range(1, size + 1) for column in "ABCDE"[:size]]
    while True:
        region = sorted(rng.sample(points, rng.randint(*free)), key=points.index)
        crucial = rng.choice(points)
        options = {
            name: rng.choice(("allow", "allow", "forbid")) for name in ("ko_black", "ko_white")
        }
        goal, defender = rng.choice(("live", "kill")), rng.choice(("black", "white"))
        ko, eyes = rng.choice(("positional", "situational")), rng.choice(("true", "false"))
        rules = check_corpus.tsumego(
            size, goal, defender, crucial, ",".join(region), ko=ko, fill_eyes=eyes, **options
        )
        checker = Go(rules)
        text = _start(rng, checker, points, crucial, defender)
        for _ in range(rng.randint(0, 12) if text else 0):
            position = checker.position(text)
            replies = {} if checker.verdict(position) else checker.replies(position)
            moves = [move for move in replies if move != "pass"] or list(replies)
            text = replies[rng.choice(moves)] if replies else text
        if text and checker.verdict(checker.position(text)) is None:
            yield Question(rules, text)


def _start(
    rng: random.Random, checker: Go, points: list[str], crucial: str, defender: str
) -> str | None:
    """A random board whose crucial stone is there; outside the region it is full or nearly so."""
    size = checker.grid.size
    stones = {}
    for point in points:
        free = checker.grid.point(point) & checker.options.region
        stones[point] = (
            rng.choice("..XO") if free else rng.choice("XO" if rng.random() < 0.9 else ".")
        )
    stones[crucial] = "XO"[checker.players.index(defender)]
    rows = [
        "".join(stones[f"{column}{row}"] for column in "ABCDE"[:size]) for row in range(size, 0, -1)
    ]
    text = f"{'/'.join(rows)} {rng.choice('bw')}"
    try:
        checker.root(text)
    except ValueError:
        return None
    return text


def simple_root(question: Question) -> str:
    """The root as written in nodes under simple ko."""
    checker = Go(question.rules)
    return checker.written_under(checker.root(question.root), 0, question.by, None)[1]


def proofs(question: Question, player: str, rng: random.Random) -> list[list[dict[str, Any]]]:
    """Proofs under simple ko that ``player`` wins, with the header's claim under superko.

    Without zones and with zones; none if there is no proof.
    """
    rules = Go(question.by)
    root = simple_root(question)
    try:
        positions = proof_tools.reachable(rules, root, MOST)
    except MemoryError:
        return []
    ranks = proof_tools.attractor(rules, positions, rules.players.index(player), True)
    if root not in ranks:
        return []
    plain = wandering(rules, (question.by, root, player), positions, ranks, rng)
    return [
        claimed(lines, question)
        for lines in (plain, Zoner(plain, rng.randrange(1 << 30), sharing=False).lines())
    ]


def wandering(
    rules: Go,
    claim: tuple[str, str, str],
    positions: dict[str, Any],
    ranks: dict[str, int],
    rng: random.Random,
) -> list[dict[str, Any]]:
    """A proof in which boards repeat.

    The claimant plays arbitrary winning moves before it plays straight for the end.
    """
    rule_set, root, player = claim
    claimant, levels = rules.players.index(player), rng.randint(0, 6)
    ids: dict[tuple[str, int], int] = {}
    nodes: list[dict[str, Any]] = []
    todo: list[tuple[str, int, dict[str, Any] | None]] = [(root, levels, None)]
    while todo:
        text, level, node = todo.pop()
        if (text, level) in ids:
            continue
        if node is None:
            node = _reason(rules, positions, ranks, text, level, claimant, rng)
        edges = [node["or"]] if "or" in node else node.get("and", [])
        below = max(0, level - 1)
        missing = [child for _, child in edges if (child, below) not in ids]
        if missing:
            todo.append((text, level, node))
            todo += [(child, below, None) for child in missing]
            continue
        ids[text, level] = len(nodes) + 1
        named = [[move, ids[child, below]] for move, child in edges]
        why = {"or": named[0]} if "or" in node else {"and": named} if "and" in node else node
        nodes.append({"id": len(nodes) + 1, "n": 1, "pos": text, **why})
    header = {
        "format": "jaxsolve-proof",
        "version": 1,
        "game": "go",
        "rules": rule_set,
        "root": root,
    }
    return mutations.tidy(
        [
            {**header, "claim": {"player": player, "result": "wins"}},
            *nodes,
            {"end": True, "nodes": 0, "root": 0},
        ]
    )


def _reason(
    rules: Go,
    positions: dict[str, Any],
    ranks: dict[str, int],
    text: str,
    level: int,
    claimant: int,
    rng: random.Random,
) -> dict[str, Any]:
    """A node's reason, with texts in the place of ids."""
    value = positions[text]
    if not isinstance(value, dict):
        return {"leaf": value.reason}
    if rules.side(rules.position(text)) != claimant:
        return {"and": sorted(value.items())}
    winning = sorted((move, child) for move, child in value.items() if child in ranks)
    return {
        "or": list(rng.choice(winning))
        if level
        else list(min(winning, key=lambda edge: ranks[edge[1]]))
    }


def claimed(lines: list[dict[str, Any]], question: Question) -> list[dict[str, Any]]:
    """The certificate with the header of a claim under superko.

    The header names the points that are played again.
    """
    header, *rest = lines
    header = {**header, "rules": question.rules, "root": question.root, "by": question.by}
    again = played_again(lines, question)
    return [{**header, **({"again": again} if again else {})}, *rest]


def played_again(lines: list[dict[str, Any]], question: Question) -> str:
    """Points that the claimant plays again, by sets of names.

    It plays them at a node or below, and has a stone there at that node or in the history.
    """
    checker = Go(question.by)
    claimant = checker.players.index(lines[0]["claim"]["player"])
    plays: dict[int, set[str]] = {}
    found: set[str] = set()
    for node in lines[1:-1]:
        edges = [node["or"]] if "or" in node else node.get("and", node.get("must-play", []))
        plays[node["id"]] = set().union(*(plays[child] for _, child in edges)) | (
            {node["or"][0]} - {"pass"} if "or" in node else set()
        )
        found |= plays[node["id"]] & _names(checker, node["pos"].split(" ")[0], claimant)
    history = question.root.partition(" history=")[2]
    for entry in history.split(";") if history else []:
        found |= plays[lines[-2]["id"]] & _names(checker, entry.partition(":")[0], claimant)
    return checker.grid.list(sum(checker.grid.point(name) for name in found))


def _names(checker: Go, board: str, player: int) -> set[str]:
    return {checker.grid.names[bit] for bit in bits(checker.grid.stones(board)[player])}


def tidy(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines with counts corrected after a change."""
    return mutations.tidy(lines)
