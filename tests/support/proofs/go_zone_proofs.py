"""Certificates with Go zones, made from plain ones by exhaustion.

The zones are as small as the checker accepts, and nodes are shared where possible.
"""

from __future__ import annotations

import functools
import random
from typing import Any, NamedTuple

from support import mutations
from support.proofs import solver as proof_tools
from support.proofs.go_zone_steps import PASS, Step, accepts, twin_of

LEAVES = ("benson", "captured")


class Made(NamedTuple):
    """A node with its new reason; ``zone`` is "" for none."""

    id: int
    text: str
    zone: str
    why: dict[str, Any]


class Zoner:
    """Adds zones to the nodes of one plain certificate, children first."""

    def __init__(self, lines: list[dict[str, Any]], seed: int = 0, sharing: bool = True):
        self.header, *self.nodes, self.trailer = lines
        self.rules = self.header["rules"]
        self.claimant = ("black", "white").index(self.header["claim"]["player"])
        self.twin = twin_of(self.rules)
        self.rng = random.Random(seed)
        self.sharing = sharing
        self.kept: list[Made] = []
        self.made: dict[int, Made] = {}  # by the id in the plain certificate

    def lines(self) -> list[dict[str, Any]]:
        """The certificate."""
        for node in self.nodes:
            last = node is self.nodes[-1]
            found = None if last or not self.sharing else self.found(node["pos"])
            if found is None:
                found = self.make(node)
                self.kept.append(found)
            self.made[node["id"]] = found
        nodes = [
            {
                "id": made.id,
                "n": 1,
                "pos": made.text,
                **made.why,
                **({"zone": made.zone} if made.zone else {}),
            }
            for made in self.kept
        ]
        return mutations.tidy([self.header, *nodes, self.trailer])

    def found(self, text: str) -> Made | None:
        """A node that also proves this position."""
        q = self.twin.parse(text)
        for made in self.kept:
            if made.zone and self.twin.covers(
                q, self.twin.parse(made.text), self.twin.points(made.zone), self.claimant
            ):
                return made
        return None

    def make(self, node: dict[str, Any]) -> Made:
        kind = next(kind for kind in ("leaf", "or", "and") if kind in node)
        edges = [node["or"]] if kind == "or" else node.get("and", [])
        children = [(move, self.made[child]) for move, child in edges]
        if kind == "and":
            children = self.needed(node["pos"], children)
        step = Step(
            self.rules,
            self.claimant,
            "must-play" if kind == "and" else kind,
            node["pos"],
            self.twin.listing(range(self.twin.n**2)),
            tuple((move, child.text, child.zone) for move, child in children),
            node.get("leaf", ""),
        )
        zone = self.shrunk(step) if accepts(step) else ""
        listed = [[move, child.id] for move, child in children]
        why = (
            {"leaf": node["leaf"]}
            if kind == "leaf"
            else {"or": listed[0]}
            if kind == "or"
            else {"must-play": listed}
        )
        return Made(node["id"], node["pos"], zone, why)

    def needed(self, text: str, children: list[tuple[str, Made]]) -> list[tuple[str, Made]]:
        """The replies that no other reply leaves out, the pass first."""
        listed: list[tuple[str, Made]] = []
        p = self.twin.parse(text)
        self.rng.shuffle(children)
        for move, child in sorted(children, key=lambda entry: entry[0] != PASS):
            after = self.twin.after(p, move)
            zones = ((other, self.twin.points(other.zone)) for _, other in listed if other.zone)
            if not any(
                self.twin.covers(after, self.twin.parse(other.text), zone, self.claimant)
                for other, zone in zones
            ):
                listed.append((move, child))
        return listed

    def shrunk(self, step: Step) -> str:
        points = step.zone.split(",")
        for point in self.rng.sample(points, len(points)):
            fewer = step._replace(
                zone=",".join(other for other in step.zone.split(",") if other != point)
            )
            if fewer.zone and accepts(fewer):
                step = fewer
        return step.zone


def steps(lines: list[dict[str, Any]]) -> list[Step]:
    """The nodes of a certificate as steps."""
    nodes = {node["id"]: node for node in lines[1:-1]}
    claimant = ("black", "white").index(lines[0]["claim"]["player"])
    found = []
    for node in nodes.values():
        kind = next(kind for kind in ("leaf", "or", "must-play") if kind in node)
        edges = [] if kind == "leaf" else [node["or"]] if kind == "or" else node["must-play"]
        children = tuple(
            (move, nodes[child]["pos"], nodes[child].get("zone", "")) for move, child in edges
        )
        found.append(
            Step(
                lines[0]["rules"],
                claimant,
                kind,
                node["pos"],
                node.get("zone", ""),
                children,
                node.get("leaf", ""),
            )
        )
    return found


@functools.cache
def zoned(rules: str, root: str, player: str, seed: int = 0, limit: int = 60_000) -> Any:
    """A certificate with zones, or None if the claim does not hold or is too hard."""
    try:
        lines = proof_tools.certificate("go", rules, root, player, limit=limit)
    except MemoryError:
        return None
    return lines and Zoner(lines, seed).lines()
