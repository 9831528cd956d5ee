"""Mutations of nodes: their replies, moves, children and kinds."""

from __future__ import annotations

import random

from support.mutations.base import (
    REASONS,
    Lines,
    Mutation,
    edges,
    pick,
    positions_of,
    registry,
    tidy,
)

MUTATIONS: dict[str, Mutation] = {}
mutation = registry(MUTATIONS)
ZONED = {
    "answer no reply of a must-play node",
    "use a cell in two pairs",
    "forget the pairs of a leaf",
}
WRITTEN = {
    "list the points of a zone in another order",
    "list a point of a zone twice",
    "write an invalid zone",
    "forget the zone of a child",
}
"""Mutations that apply only to certificates with written zones."""


def _bound(lines: Lines) -> set[int]:
    """Nodes to which only their own position leads.

    Another move may lead to a node with a zone and still prove the claim.
    """
    return {node["id"] for node in lines[1:-1] if "zone" not in node}


@mutation("drop a reply")
def _drop_reply(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: node.get("and"))
    if node is None:
        return None
    node["and"].pop(rng.randrange(len(node["and"])))
    return tidy(lines)


@mutation("duplicate a reply")
def _duplicate_reply(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: node.get("and") or node.get("must-play"))
    if node is None:
        return None
    edges(node).append(list(rng.choice(edges(node))))
    return tidy(lines)


@mutation("replace a reply by a copy of another")
def _copy_reply(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: len(node.get("and", ())) > 1)
    if node is None:
        return None
    first, second = rng.sample(range(len(node["and"])), 2)
    node["and"][first] = list(node["and"][second])
    return tidy(lines)


@mutation("swap the moves of two replies")
def _swap_replies(lines: Lines, rng: random.Random) -> Lines | None:
    bound = _bound(lines)
    node = pick(
        lines,
        rng,
        lambda node: (
            len({child for _, child in node.get("and", ())}) > 1
            and all(child in bound for _, child in node["and"])
        ),
    )
    if node is None:
        return None
    first = rng.choice(node["and"])
    second = rng.choice([entry for entry in node["and"] if entry[1] != first[1]])
    first[0], second[0] = second[0], first[0]
    return lines


@mutation("change a move")
def _change_move(lines: Lines, rng: random.Random) -> Lines | None:
    moves = sorted({move for node in lines[1:-1] for move, _ in edges(node)})
    node = pick(lines, rng, edges)
    if node is None:
        return None
    entry = rng.choice(edges(node))
    moves = moves if entry[1] in _bound(lines) else []
    others = [move for move in [*moves, "Z9", "", "pass ", "A0"] if move != entry[0]]
    # Only Awari has different moves to one position (by laps); its moves become invalid pits.
    entry[0] = "Z9" if lines[0]["game"] == "awari" else rng.choice(others)
    return lines


@mutation("redirect a child")
def _redirect(lines: Lines, rng: random.Random) -> Lines | None:
    texts, node = positions_of(lines), pick(lines, rng, edges)
    if node is None:
        return None
    entry = rng.choice(edges(node))
    earlier = [
        number for number in texts if number != node["id"] and texts[number] != texts[entry[1]]
    ]
    before = set()
    for line in lines[1:]:
        if line is node:
            break
        before.add(line["id"])
    others = [number for number in earlier if number in before & _bound(lines)]
    if not others:
        return None
    entry[1] = rng.choice(others)
    return tidy(lines)


@mutation("name a child that does not exist")
def _no_child(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, edges)
    if node is None:
        return None
    rng.choice(edges(node))[1] = rng.choice([0, -1, max(positions_of(lines)) + 1, 10**30])
    return lines


@mutation("name itself as child")
def _cycle(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, edges)
    if node is None:
        return None
    rng.choice(edges(node))[1] = node["id"]
    for other in lines[1:-1]:
        other["n"] = sum(child == other["id"] for line in lines[1:-1] for _, child in edges(line))
    return lines


@mutation("parent before child")
def _reorder(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines[:-2] + lines[-1:], rng, edges)
    if node is None:
        return None
    lines.remove(node)
    child = rng.choice(edges(node))[1]
    at = next(index for index, line in enumerate(lines) if line.get("id") == child)
    lines.insert(at, node)
    return lines


# ---- kinds ---------------------------------------------------------------------------------------
@mutation("make a node a leaf")
def _to_leaf(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: "leaf" not in node)
    if node is None:
        return None
    for name in ("or", "and", "threat", "must-play", "pairs", "zone"):
        node.pop(name, None)
    own = [line["leaf"] for line in lines[1:-1] if "leaf" in line]
    node["leaf"] = rng.choice([*own, *REASONS])
    return tidy(lines)


@mutation("make a leaf an and node")
def _leaf_to_and(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: "leaf" in node)
    assert node is not None
    del node["leaf"]
    node["and"] = []
    return tidy(lines)


@mutation("change a leaf's reason")
def _reason(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: "leaf" in node)
    assert node is not None
    node["leaf"] = rng.choice(
        [reason for reason in [*REASONS, "", "won", None, 5, [], {}] if reason != node["leaf"]]
    )
    return lines


@mutation("turn an or into an and")
def _or_to_and(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: "or" in node)
    if node is None:
        return None
    node["and"] = [node.pop("or")]
    return tidy(lines)


@mutation("turn an and into an or")
def _and_to_or(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: node.get("and"))
    if node is None:
        return None
    node.pop("threat", None)
    node["or"] = rng.choice(node.pop("and"))
    return tidy(lines)


@mutation("move a threat")
def _threat(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: "threat" in node and node.get("and"))
    if node is None:
        return None
    node["threat"] = rng.choice(
        [move for line in lines[1:-1] for move, _ in edges(line) if move != node["threat"]]
        or ["a19", "T19"]
    )
    return lines


@mutation("answer no reply of a must-play node")
def _no_replies(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: node.get("must-play"))
    if node is None:
        return None
    node["must-play"] = []
    node.pop("threat", None)
    node.pop("pairs", None)
    return tidy(lines)


@mutation("use a cell in two pairs")
def _shared_cell(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: node.get("pairs"))
    if node is None:
        return None
    cell = rng.choice([cell for pair in node["pairs"] for cell in pair])
    rng.choice([pair for pair in node["pairs"] if cell not in pair] or [node["pairs"][0]])[
        rng.randrange(2)
    ] = cell
    pairs = [cell for pair in node["pairs"] for cell in pair]
    return lines if len(set(pairs)) < len(pairs) else None


@mutation("forget the pairs of a leaf")
def _no_pairs(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: node.get("leaf") == "pairing")
    if node is None:
        return None
    node["pairs"] = []
    return lines


@mutation("list the points of a zone in another order")
def _unordered(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: "," in node.get("zone", ""))
    if node is None:
        return None
    points = node["zone"].split(",")
    while ",".join(points) == node["zone"]:
        rng.shuffle(points)
    node["zone"] = ",".join(points)
    return lines


@mutation("list a point of a zone twice")
def _twice(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: "zone" in node)
    if node is None:
        return None
    points = node["zone"].split(",")
    at = rng.randrange(len(points))
    node["zone"] = ",".join(points[: at + 1] + points[at:])
    return lines


@mutation("write an invalid zone")
def _no_zone(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(lines, rng, lambda node: "zone" in node)
    if node is None:
        return None
    node["zone"] = rng.choice(
        [
            "",
            "all",
            "pass",
            "a1",
            "Z9",
            "A0",
            "A1,",
            ",A1",
            "A1, B1",
            "A1;B1",
            None,
            1,
            True,
            [],
            ["A1"],
            {},
        ]
    )
    return lines


@mutation("forget the zone of a child")
def _forget_zone(lines: Lines, rng: random.Random) -> Lines | None:
    needed = {child for node in lines[1:-1] if "zone" in node for _, child in edges(node)}
    node = pick(lines, rng, lambda node: "zone" in node and node["id"] in needed)
    if node is None:
        return None
    del node["zone"]
    return lines


@mutation("forget a threat")
def _no_threat(lines: Lines, rng: random.Random) -> Lines | None:
    node = pick(
        lines,
        rng,
        lambda node: (
            "threat" in node and " fours=" not in node["pos"] and node["pos"].count(".") > 1
        ),
    )
    if node is None:
        return None
    del node["threat"]
    return lines
