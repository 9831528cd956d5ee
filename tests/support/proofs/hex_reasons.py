"""Random certificates of Hex with steps, threats, fills and replies left out.

The prover asks the checker's own functions for every node. With a checker that lacks a condition it
finds certificates of false claims.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

from jaxsolve.proof.check import walk
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.hex import rules as hex_rules
from jaxsolve.proof.check.games.hex.rules import HexPosition
from jaxsolve.proof.check.grid import bits
from jaxsolve.proof.check.must_play import Edges
from jaxsolve.proof.check.zones import Child

EDGES = (["top", "bottom"], ["left", "right"])


class Prover:
    """Proves claims about small positions, with reasons drawn at random."""

    def __init__(self, size: int, claimant: int, rng: random.Random):
        self.rules = hex_rules.Hex(f"hex-{size}")
        self.claimant, self.rng = claimant, rng
        self.zones = self.rules.zones
        self.nodes: list[dict[str, Any]] = []
        self._known: dict[str, tuple[int, int] | None] = {}

    def certificate(self, root: str, tries: int = 60) -> list[Any] | None:
        """Lines of a certificate, or None if the prover finds none."""
        self.left = tries
        return None if self.prove(root) is None else self._lines(root)

    def _lines(self, root: str) -> list[Any]:
        header = {
            "format": "jaxsolve-proof",
            "version": 1,
            "game": "hex",
            "rules": f"hex-{self.rules.grid.size}",
            "root": root,
            "claim": {"player": self.rules.players[self.claimant], "result": "wins"},
        }
        uses = dict.fromkeys(range(1, len(self.nodes) + 1), 0)
        kept = {len(self.nodes)}
        for node in reversed(self.nodes):
            if node["id"] in kept:
                for _, child in [node["or"]] if "or" in node else node.get("must-play", []):
                    uses[child] += 1
                    kept.add(child)
        nodes = [{**node, "n": uses[node["id"]]} for node in self.nodes if node["id"] in kept]
        return [header, *nodes, {"end": True, "nodes": len(nodes), "root": len(self.nodes)}]

    def lone(self, text: str) -> list[Any] | None:
        """Lines of a certificate of one leaf ``vc``, or None if no steps are found."""
        position = self.rules.position(text)
        steps = self.steps(position)
        try:
            self.zones.derived_leaf(self.claimant, position, "vc", steps)
        except Refused:
            return None
        self._node(text, 0, {"leaf": "vc", "steps": steps})
        return self._lines(text)

    def prove(self, text: str) -> tuple[int, int] | None:
        """Id and zone of a new node of the position, or None."""
        if text not in self._known:
            self.left -= 1
            self._known[text] = None if self.left < 0 else self._prove(text)
        return self._known[text]

    def _node(self, text: str, zone: int, fields: dict[str, Any]) -> tuple[int, int]:
        number = len(self.nodes) + 1
        self.nodes.append({"id": number, "n": 0, "pos": text, **fields})
        return number, zone

    def _prove(self, text: str) -> tuple[int, int] | None:
        position, regions, extra = self.rules.position(text), 0, {}
        verdict = self.rules.verdict(position)
        if verdict is None and self.rng.random() < 0.5:
            extra, position, regions = self.fills(position)
            verdict = self.rules.verdict(position)
        if verdict is not None:
            if verdict.winner != self.claimant:
                return None
            return self._node(text, regions, {"leaf": "connection", **extra})
        steps = self.steps(position) if self.rng.random() < 0.6 else []
        if steps:
            try:
                zone = self.zones.derived_leaf(self.claimant, position, "vc", steps)
                return self._node(text, zone | regions, {"leaf": "vc", "steps": steps, **extra})
            except Refused:
                pass
        replies = list(self.rules.replies(position).items())
        self.rng.shuffle(replies)
        if position.side == self.claimant:
            for move, child in replies:
                found = self.prove(child)
                if found:
                    zone = self.zones.or_node(self.claimant, position, move, found[1])
                    return self._node(text, zone | regions, {"or": [move, found[0]], **extra})
            return None
        return self._opponent(text, position, dict(replies), (regions, steps, extra))

    def _opponent(
        self, text: str, position: HexPosition, left: dict[str, str], so_far: Any
    ) -> tuple[int, int] | None:
        regions, steps, extra = so_far
        fields: dict[str, Any] = {"must-play": []}
        if steps:
            fields |= {"threats": [len(steps) - 1], "steps": steps}
            try:
                for won, zone in self.zones.threats(
                    self.claimant, position, fields["threats"], steps
                ):
                    left = self.zones.uncovered(self.claimant, left, won, zone)
            except Refused:
                return None
            if self.rng.random() < 0.3:
                left = {}  # the checker decides whether the threats answer every reply
        open_replies, children = dict(left), {}
        for move, child in left.items():
            if move in open_replies and (found := self.prove(child)):
                children[move] = found
                fields["must-play"].append([move, found[0]])
                open_replies.pop(move)
                open_replies = self.zones.uncovered(self.claimant, open_replies, child, found[1])
        if open_replies:
            entries = self.instead(position, set(open_replies))
            if entries is None:
                return None
            fields["instead"] = entries

        def follow(rules: Any, move: str, number: int, expected: str) -> Child:
            return Child(expected, children[move][1])

        try:
            zone = walk.must_play(self.rules, self.claimant, position, fields, Edges(tuple, follow))
        except Refused:
            return None
        return self._node(text, zone | regions, {**fields, **extra})

    # ---- reasons ---------------------------------------------------------------------------------
    def _others(self, position: HexPosition, cells: int) -> str:
        """A random text of cells near ``cells``."""
        found = 0
        for _ in range(self.rng.randrange(3)):
            near = self.rules.near(cells | found) & self.rules.empty(position) & ~(cells | found)
            if near:
                found |= self.rng.choice(list(bits(near)))
        return ",".join(self.rules.grid.names[bit] for bit in bits(found))

    def fills(self, position: HexPosition) -> tuple[dict[str, Any], HexPosition, int]:
        """Random accepted fills, the position after them, and their regions."""
        fills, regions = [], 0
        for _ in range(3):
            empty = list(bits(self.rules.empty(position)))
            if not empty:
                break
            if self.rng.random() < 0.1:
                empty = list(self.rules.grid.names)  # the checker refuses taken cells
            cells = self.rng.sample(empty, min(len(empty), self.rng.choice((1, 1, 2))))
            names = ",".join(self.rules.grid.names[bit] for bit in cells)
            fill = ["XO"[self.claimant], names, self._others(position, sum(cells))]
            if self.rng.random() < 0.1:
                fill = ["OX"[self.claimant], names]
            try:
                position, region = self.zones.fill(self.claimant, position, [fill])
            except Refused:
                continue
            fills.append(fill)
            regions |= region
        return ({"fill": fills} if fills else {}), position, regions

    def instead(self, position: HexPosition, left: set[str]) -> list[list[str]] | None:
        """Entries that leave out all replies of ``left``, or None."""
        entries: list[list[str]] = []
        bit_of = self.rules.grid.bit_of
        names = [self.rules.grid.names[bit] for bit in bits(self.rules.empty(position))]
        pairs = list(itertools.product(sorted(left), names))
        self.rng.shuffle(pairs)
        for reply, other in pairs[:12]:
            if reply not in left:
                continue
            entry = [reply, other, self._others(position, bit_of[reply] | bit_of[other])]
            try:
                left, _ = self.zones.instead(self.claimant, position, [entry], left)
                entries.append(entry)
            except Refused:
                continue
        return None if left else entries

    def steps(self, position: HexPosition) -> list[list[Any]]:
        """Random steps that the checker accepts, up to the first that joins the edges, or []."""
        grid, empty = self.rules.grid, self.rules.empty(position)
        stones = position.stones[self.claimant]
        names = [*EDGES[self.claimant], *(grid.names[bit] for bit in bits(empty | stones))]
        names += [grid.names[bit] for bit in bits(position.stones[1 - self.claimant])][:1]
        steps: list[list[Any]] = []
        derivation = self.zones._derivation(self.claimant, position, [])
        derived = derivation.steps
        for _ in range(80):
            middle = self.rng.choice(names)
            halves = [*range(len(steps)), *self.rng.sample(names, 3)]
            step = [*self.rng.choices(halves, k=2), middle]
            if self.rng.random() < 0.3 and len(steps) > 1:
                step = self.rng.sample(range(len(steps)), min(len(steps), self.rng.choice((2, 3))))
                same = [i for i, one in enumerate(derived) if one.ends == derived[step[0]].ends]
                if len(same) > 1 and self.rng.random() < 0.9:
                    step = self.rng.sample(same, min(len(same), self.rng.choice((2, 2, 3))))
            try:
                derivation.add(step)
            except Refused:
                continue
            if derived[-1] in derived[:-1] or derived[-1].ends[0] == derived[-1].ends[1]:
                derived.pop()
                continue
            steps.append(step)
            try:
                last = derivation.edges(len(steps) - 1)
            except Refused:
                continue
            if last.full or self.rng.random() < 0.3 or position.side == self.claimant:
                return needed(steps)
        return []


def needed(steps: list[list[Any]]) -> list[list[Any]]:
    """The steps that the last one rests on, with new numbers."""
    kept = {len(steps) - 1}
    for number in range(len(steps) - 1, -1, -1):
        if number in kept:
            kept |= {part for part in steps[number] if isinstance(part, int)}
    order = sorted(kept)
    return [
        [order.index(part) if isinstance(part, int) else part for part in steps[number]]
        for number in order
    ]
