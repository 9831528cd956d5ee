"""Single steps of certificates with Go zones, tested by enumeration.

An oracle for the checker's zones.

A step is one node with the positions and zones of its children. The law of zones follows from its
steps (FORMAT.md). The soundness of a step can be tested without solving a game: list every position
that agrees with the node's on its zone, and play the rules of ``oracles/go.py`` on it.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.go.rules import Go
from jaxsolve.proof.check.games.go.zones import GoZones
from jaxsolve.proof.check.zones import Child
from support.oracles import go as go_oracle
from support.oracles.go import Position

play = functools.cache(go_oracle.play)
benson = functools.cache(go_oracle.benson)
is_true_eye = functools.cache(go_oracle.is_true_eye)
PASS = "pass"


class Step(NamedTuple):
    """One node: ``kind`` is "leaf", "or" or "must-play".

    ``edges`` are (move, child's text, child's zone); zones are text, "" for none.
    """

    rules: str
    claimant: int
    kind: str
    pos: str
    zone: str
    edges: tuple[tuple[str, str, str], ...] = ()
    reason: str = ""


@functools.cache
def checker(rules: str) -> Go:
    return Go(rules)


def accepts(step: Step, zones: type[GoZones] = GoZones) -> bool:
    """Whether the checker, with these zones, accepts the step as part of a certificate."""
    return why_not(step, zones) == ""


def why_not(step: Step, zones: type[GoZones] = GoZones) -> str:
    """The checker's message, "" if it accepts."""
    rules = checker(step.rules)
    tests = zones(rules)
    try:
        position = rules.position(step.pos)
        zone = tests.read(position, step.zone) if step.zone else 0
        edges = [
            (move, Child(text, tests.read(rules.position(text), part) if part else 0))
            for move, text, part in step.edges
        ]
        if step.kind == "leaf":
            verdict = rules.verdict(position)
            if verdict is None or (verdict.winner, verdict.reason) != (step.claimant, step.reason):
                return "the leaf does not hold"
            tests.leaf(step.claimant, position, step.reason, zone)
        elif step.kind == "must-play":
            tests.must_play(step.claimant, position, edges, zone)
        else:
            ((move, child),) = edges
            after = rules.child(position, move)
            if after != child.text and not (
                child.zone
                and tests.covers(
                    step.claimant, rules.position(after), rules.position(child.text), child.zone
                )
            ):
                return "the move does not lead to its child"
            if zone:
                tests.or_node(step.claimant, position, move, child, zone)
    except Refused as error:
        return str(error)
    return ""


class Twin:
    """A rule set in plain Python: reads ids and texts, plays, tests covering and enumerates.

    Points are numbered by row from the bottom.
    """

    def __init__(self, rules: str):
        base, *fields = rules.split(";")
        self.n = int(base.split("-")[1])
        options = dict(field.split("=") for field in fields)
        self.names = [
            "ABCDEFGHJKLMNOPQRST"[p % self.n] + str(p // self.n + 1) for p in range(self.n**2)
        ]
        region = options.get("region", "all")
        self.region = frozenset(range(self.n**2)) if region == "all" else self.points(region)
        self.fill_eyes = options["fill_eyes"] == "true"
        self.no_ko = tuple(options.get(f"ko_{side}") == "forbid" for side in ("black", "white"))
        kos = [options.get(f"ko_{side}", "").partition("-") for side in ("black", "white")]
        counts = [int(count) if kind == "threats" else 0 for kind, _, count in kos]
        self.threats = sum(counts)
        self.threatening = counts.index(self.threats) if self.threats else None
        self.crucial = (
            None if options.get("crucial", "any") == "any" else self.points(options["crucial"])
        )
        self.defender = ("black", "white").index(options.get("defender", "white"))

    def points(self, text: str) -> frozenset[int]:
        return frozenset(map(self.names.index, text.split(","))) if text else frozenset()

    def listing(self, points) -> str:
        return ",".join(self.names[p] for p in sorted(points))

    def parse(self, text: str) -> Position:
        board, side, *fields = text.split(" ")
        found = dict(field.split("=") for field in fields)
        cells = tuple(".XO".index(c) for row in reversed(board.split("/")) for c in row)
        crucial = self.crucial or frozenset()
        if "crucial" in found:
            crucial = self.points(found["crucial"].strip("-"))
        return Position(
            cells,
            "bw".index(side),
            self.names.index(found["ko"]) if "ko" in found else None,
            int(found.get("passes", 0)),
            3,
            crucial,
            threats=int(found.get("threats", self.threats)),
        )

    def text(self, p: Position) -> str:
        rows = [
            "".join(".XO"[c] for c in p.board[r * self.n : (r + 1) * self.n])
            for r in reversed(range(self.n))
        ]
        fields = ["/".join(rows), "bw"[p.side]]
        fields += [f"ko={self.names[p.ko]}"] if p.ko is not None else []
        fields += [f"passes={p.passes}"] if p.passes else []
        if self.crucial is not None and p.crucial != self.crucial:
            fields.append("crucial=" + (self.listing(p.crucial) or "-"))
        fields += [f"threats={p.threats}"] if p.threats != self.threats else []
        return " ".join(fields)

    # ---- rules -----------------------------------------------------------------------------------
    def can_play(self, p: Position, point: int) -> bool:
        if p.board[point] or point not in self.region:
            return False
        if point == p.ko and not self.retakes(p, point):
            return False
        if not self.fill_eyes and is_true_eye(self.n, p.board, p.side, point):
            return False
        played = play(self.n, p.board, p.side, point)
        return played is not None and not (self.no_ko[p.side] and played.ko is not None)

    def retakes(self, p: Position, point: int) -> bool:
        """Whether the side to move has a ko threat and captures at its ko point."""
        played = play(self.n, p.board, p.side, point)
        has_threat = p.side == self.threatening and p.threats > 0
        return has_threat and played is not None and played.captured > 0

    def moves(self, p: Position) -> list[str]:
        return [PASS, *(self.names[point] for point in range(self.n**2) if self.can_play(p, point))]

    def after(self, p: Position, move: str) -> Position:
        if move == PASS:
            waits = self.threats > 0 and p.ko is not None
            return p._replace(side=1 - p.side, ko=None, passes=0 if waits else p.passes + 1)
        point = self.names.index(move)
        played = play(self.n, p.board, p.side, point)
        return Position(
            played.board,
            1 - p.side,
            played.ko,
            0,
            3,
            frozenset(x for x in p.crucial if played.board[x] == self.defender + 1),
            threats=p.threats - (point == p.ko),
        )

    def won_by(self, p: Position, player: int) -> bool:
        """By life or capture."""
        if self.crucial is not None and not p.crucial:
            return player != self.defender
        alive = benson(self.n, p.board, self.defender + 1)
        return player == self.defender and bool(
            alive if self.crucial is None else alive & p.crucial
        )

    def has_ko(self, p: Position) -> bool:
        """Whether a lone stone of the side that moved last has the ko point as its only liberty.

        All points beside the ko point hold stones of that side, and its other chains there have
        another liberty. Without a ko the result is True.
        """
        if p.ko is None:
            return True
        beside = go_oracle.neighbours(self.n, p.ko)
        if p.board[p.ko] or any(p.board[q] != 2 - p.side for q in beside):
            return False
        chains = {go_oracle.component(self.n, p.board, q)[0] for q in beside}
        tight = [
            chain
            for chain in chains
            if go_oracle.liberties(self.n, p.board, next(iter(chain))) == {p.ko}
        ]
        return len(tight) == 1 and len(tight[0]) == 1

    # ---- covering --------------------------------------------------------------------------------
    def covers(self, q: Position, p: Position, zone: frozenset[int], claimant: int) -> bool:
        if q.side != p.side or q.passes == 2:
            return False
        if any(
            q.board[point] != p.board[point] or (point in q.crucial) != (point in p.crucial)
            for point in zone
        ):
            return False
        mine = claimant == self.threatening
        if q.threats < p.threats if mine else q.threats > p.threats:
            return False
        if q.side != claimant:
            return q.passes == 0 and p.passes == 0 and (p.ko not in zone or q.ko == p.ko)
        return q.ko not in zone or q.ko == p.ko

    def sound(self, board: tuple[int, ...]) -> bool:
        """Whether every chain has a liberty."""
        return _sound(self.n, board)

    def alike(self, p: Position, zone: frozenset[int], claimant: int) -> Iterator[Position]:
        """Every position that covers ``p`` on the zone and has no chain without a liberty.

        With every ko, pass and number of threats that play could have left.
        """
        free = [point for point in range(self.n**2) if point not in zone]
        for colours in itertools.product((0, 1, 2), repeat=len(free)):
            cells = list(p.board)
            for point, colour in zip(free, colours, strict=True):
                cells[point] = colour
            board = tuple(cells)
            if not self.sound(board):
                continue
            loose = [
                x for x in (self.crucial or ()) if x not in zone and board[x] == self.defender + 1
            ]
            for left in itertools.product((False, True), repeat=len(loose)):
                crucial = (p.crucial & zone) | {
                    x for x, kept in zip(loose, left, strict=True) if kept
                }
                if any(board[x] != self.defender + 1 for x in crucial):
                    continue
                for ko in (None, *(point for point in range(self.n**2) if board[point] == 0)):
                    for passes, threats in itertools.product(
                        (0, 1) if ko is None else (0,), range(self.threats + 1)
                    ):
                        q = Position(
                            board, p.side, ko, passes, 3, frozenset(crucial), threats=threats
                        )
                        if self.threats and not self.has_ko(q):
                            continue
                        if self.covers(q, p, zone, claimant):
                            yield q


@functools.cache
def _sound(n: int, board: tuple[int, ...]) -> bool:
    return all(not board[point] or go_oracle.liberties(n, board, point) for point in range(n * n))


def broken(step: Step) -> str:
    """A position on which the step is unsound, and the failure there; "" if there is none."""
    twin = twin_of(step.rules)
    p = twin.parse(step.pos)
    if not step.zone:
        return _broken_at(twin, step, p)
    for q in twin.alike(p, twin.points(step.zone), step.claimant):
        failure = _broken_at(twin, step, q)
        if failure:
            return failure
    return ""


@functools.cache
def twin_of(rules: str) -> Twin:
    return Twin(rules)


def _broken_at(twin: Twin, step: Step, q: Position) -> str:
    if step.kind == "leaf":
        return "" if twin.won_by(q, step.claimant) else f"not won: {twin.text(q)}"
    children = [(twin.parse(text), twin.points(zone), text) for _, text, zone in step.edges]
    legal = twin.moves(q)
    if step.kind == "or":
        legal = [move for move in legal if move == step.edges[0][0]]
        if not legal:
            return f"not legal: {twin.text(q)}"
    for move in legal:
        after = twin.after(q, move)
        if not any(
            twin.text(after) == text or (zone and twin.covers(after, child, zone, step.claimant))
            for child, zone, text in children
        ):
            return f"{move} leads to no child: {twin.text(q)}"
    return ""


# ---- random steps --------------------------------------------------------------------------------
def sample(rng: random.Random, points, least: int, most: int) -> frozenset[int]:
    points = sorted(points)
    return frozenset(rng.sample(points, min(len(points), rng.randint(least, most))))


def random_position(rng: random.Random, twin: Twin, side: int) -> Position:
    """A board of random stones, usually without a chain that lacks a liberty.

    Sometimes it has a ko, made by taking it.
    """
    while True:
        weights = [rng.random() + 0.1 for _ in range(3)]
        board = tuple(rng.choices((0, 1, 2), weights, k=twin.n**2))
        if twin.sound(board) or rng.random() < 0.02:
            break
    crucial = frozenset(
        x for x in (twin.crucial or ()) if board[x] == twin.defender + 1 and rng.random() < 0.8
    )
    p = Position(board, side, None, rng.choice((0, 0, 0, 0, 1)), 3, crucial)
    p = p._replace(threats=rng.randint(0, twin.threats))
    empty = [point for point, colour in enumerate(board) if not colour]
    if twin.threats and empty and rng.random() < 0.3:  # a ko at which there may be no stone to take
        return p._replace(ko=rng.choice(empty), passes=0)
    takes = []
    if rng.random() < 0.5 and twin.sound(board):
        other = p._replace(side=1 - side, passes=0)
        takes = [
            after for move in twin.moves(other) if (after := twin.after(other, move)).ko is not None
        ]
    return rng.choice(takes) if takes else p


def disguised(rng: random.Random, twin: Twin, p: Position, zone: frozenset[int]) -> Position:
    """Often ``p`` itself, otherwise a position that differs in ko, passes or outside the zone."""
    if not zone or rng.random() < 0.5:
        return p
    cells = tuple(
        c if x in zone or rng.random() < 0.6 else rng.randrange(3) for x, c in enumerate(p.board)
    )
    empty = [x for x, c in enumerate(cells) if not c]
    ko = p.ko if p.ko is None or cells[p.ko] == 0 else None
    if rng.random() < 0.3 and empty:
        ko = rng.choice([None, rng.choice(empty)])
    passes = rng.choice((p.passes, p.passes, 0, 1)) if ko is None else 0
    crucial = frozenset(
        x
        for x in (twin.crucial or ())
        if (x in p.crucial if x in zone and rng.random() < 0.9 else rng.random() < 0.7)
    )
    threats = p.threats if rng.random() < 0.7 else rng.randint(0, twin.threats)
    return Position(cells, p.side, ko, passes, 3, crucial, threats=threats)


def random_or(rng: random.Random, rules: str, claimant: int, free: int) -> Step | None:
    twin = twin_of(rules)
    p = random_position(rng, twin, claimant)
    moves = [move for move in twin.moves(p) if move != PASS]
    if not moves:
        return None
    if twin.sound(p.board):  # rare moves are as likely as common ones
        taking = [
            move
            for move in moves
            if sum(map(bool, twin.after(p, move).board)) <= sum(map(bool, p.board))
        ]
        moves = taking if taking and rng.random() < 0.5 else moves
    move = rng.choice([*moves * 8, PASS])
    zone = sample(rng, range(twin.n**2), twin.n**2 - free, twin.n**2 - 1)
    if move != PASS and rng.random() < 0.95:
        zone |= {twin.names.index(move)}
    inside = sample(
        rng, zone if rng.random() < 0.95 else range(twin.n**2), rng.random() < 0.98, len(zone)
    )
    after = twin.after(p, move)
    if after.ko is not None and inside and rng.random() < 0.5:
        inside |= {after.ko}
    child = disguised(rng, twin, after, inside)
    return Step(
        rules,
        claimant,
        "or",
        twin.text(p),
        twin.listing(zone),
        ((move, twin.text(child), twin.listing(inside)),),
    )


def random_must_play(rng: random.Random, rules: str, claimant: int, free: int) -> Step | None:
    twin = twin_of(rules)
    p = random_position(rng, twin, 1 - claimant)
    if p.passes and rng.random() < 0.8:
        p = p._replace(passes=0)
    zone = sample(rng, range(twin.n**2), twin.n**2 - free, twin.n**2 - 1)
    edges, children = [], []
    order = twin.moves(p)
    rng.shuffle(order)
    for move in order:
        after = twin.after(p, move)
        if (
            any(twin.covers(after, child, part, claimant) for child, part in children)
            and rng.random() < 0.9
        ):
            continue
        part = sample(
            rng,
            zone if rng.random() < 0.98 else range(twin.n**2),
            rng.random() < 0.98,
            rng.choice((2, 4, len(zone))),
        )
        child = disguised(rng, twin, after, part)
        if rng.random() < 0.02:
            continue
        edges.append((move, twin.text(child), twin.listing(part)))
        children.append((child, part))
    return Step(rules, claimant, "must-play", twin.text(p), twin.listing(zone), tuple(edges))


def random_leaf(rng: random.Random, rules: str, claimant: int, free: int) -> Step | None:
    twin = twin_of(rules)
    p = random_position(rng, twin, rng.randrange(2))
    reason = "benson" if claimant == twin.defender else "captured"
    if not twin.won_by(p, claimant):
        return None
    zone = sample(rng, range(twin.n**2), twin.n**2 - free, twin.n**2 - 1)
    return Step(rules, claimant, "leaf", twin.text(p), twin.listing(zone), reason=reason)
