"""Types and helpers of the mutations of certificates."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

Lines = list[Any]
Mutation = Callable[[Lines, random.Random], Lines | None]
REASONS = (
    "five",
    "two-fours",
    "connection",
    "benson",
    "captured",
    "passes",
    "score",
    "full-board",
    "no-moves",
    "no-seeds",
)


def registry(mutations: dict[str, Mutation]) -> Callable[[str], Callable[[Mutation], Mutation]]:
    """A decorator that registers a mutation under a name in ``mutations``.

    The mutation changes its lines and returns them, or returns None if it does not apply.
    """

    def mutation(name: str) -> Callable[[Mutation], Mutation]:
        def register(function: Mutation) -> Mutation:
            mutations[name] = function
            return function

        return register

    return mutation


def edges(node: dict[str, Any]) -> list[list[Any]]:
    """The [move, child] entries of a node, not copied."""
    return [node["or"]] if "or" in node else node.get("and", node.get("must-play", []))


def tidy(lines: Lines) -> Lines:
    """Drops nodes that the root does not need, and corrects use counts and trailer."""
    header, *nodes, trailer = lines
    needed, uses = {nodes[-1]["id"]}, Counter()
    for node in reversed(nodes):
        if node["id"] in needed:
            for _, child in edges(node):
                uses[child] += 1
                needed.add(child)
    kept = [node for node in nodes if node["id"] in needed]
    for node in kept:
        node["n"] = uses[node["id"]]
    return [header, *kept, {**trailer, "nodes": len(kept), "root": kept[-1]["id"]}]


def pick(
    lines: Lines, rng: random.Random, wanted: Callable[[dict[str, Any]], Any]
) -> dict[str, Any] | None:
    found = [node for node in lines[1:-1] if wanted(node)]
    return rng.choice(found) if found else None


def positions_of(lines: Lines) -> dict[int, str]:
    return {node["id"]: node["pos"] for node in lines[1:-1]}
