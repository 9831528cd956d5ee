"""Mutations of positions, counts and header."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

from support.mutations.base import Lines, Mutation, edges, positions_of, registry, tidy

MUTATIONS: dict[str, Mutation] = {}
mutation = registry(MUTATIONS)


def _exact(lines: Lines, rng: random.Random) -> dict[str, Any]:
    """A node whose position is determined to the last character.

    A node with a zone may prove its claim with other stones too.
    """
    return rng.choice([node for node in lines[1:-1] if "zone" not in node] or [lines[-2]])


def _mutate(node: dict[str, Any], change: Callable[[str], str]) -> bool:
    before = node["pos"]
    node["pos"] = change(before)
    return node["pos"] != before


@mutation("change a stone")
def _stone(lines: Lines, rng: random.Random) -> Lines | None:
    node = _exact(lines, rng)
    places = [index for index, c in enumerate(node["pos"].split(" ")[0]) if c not in "/,+"]
    at = rng.choice(places)

    def change(text: str) -> str:
        kinds = (".KGSBRPkgsbrp",) if lines[0]["game"] == "minishogi" else (".XO", "0123456789")
        others = next(kind for kind in kinds if text[at] in kind)
        return text[:at] + rng.choice(others.replace(text[at], "")) + text[at + 1 :]

    return lines if _mutate(node, change) else None


@mutation("change the side to move")
def _side(lines: Lines, rng: random.Random) -> Lines | None:
    node = rng.choice(lines[1:-1])
    turned = {"b": "w", "w": "b", "s": "n", "n": "s"}
    board, side, *rest = node["pos"].split(" ")
    node["pos"] = " ".join([board, turned[side], *rest])
    return lines


@mutation("change a field of a position")
def _field(lines: Lines, rng: random.Random) -> Lines | None:
    node = _exact(lines, rng)
    added = [
        " ko=A1",
        " ko=C3",
        " passes=1",
        " passes=2",
        " ply=1",
        " crucial=-",
        " fours=2",
        " fours=A1",
        " captured=1:1",
        " hands=P",
        "p",
        " ",
        "\n",
        " history=",
        "\ud800",
    ]
    head, _, last = node["pos"].rpartition(" ")
    node["pos"] = (
        head
        if "=" in last and rng.random() < 0.5
        else node["pos"] + rng.choice([extra for extra in added if not node["pos"].endswith(extra)])
    )
    return lines


@mutation("change the root in the header")
def _root(lines: Lines, rng: random.Random) -> Lines | None:
    others = [line["pos"] for line in lines[1:-2]]
    if not others:
        return None
    lines[0]["root"] = rng.choice(others)
    return lines


def _impossible(rules: str, text: str, rng: random.Random) -> str | None:
    """The text with a field changed so that no move can lead to it, or None."""
    board, side, *fields = text.split(" ")
    rows = board.split("/")
    if rules.startswith("gomoku") and "knowledge=4t" in rules:
        empty = [
            f"{'ABCDEFGHJKLMNOPQRST'[c]}{len(rows) - r}"
            for r, row in enumerate(rows)
            for c, cell in enumerate(row)
            if cell == "."
        ]
        return f"{board} {side}" if fields else f"{text} fours={rng.choice([*empty, '2'])}"
    if "ko=simple" in rules and not fields:  # a ko point is empty, and none of its neighbours is
        pairs = [
            (r, c)
            for r, row in enumerate(rows)
            for c in range(len(row) - 1)
            if row[c : c + 2] == ".."
        ]
        return (
            f"{text} ko={'ABCDEFGHJKLMNOPQRST'[(at := rng.choice(pairs))[1]]}{len(rows) - at[0]}"
            if pairs
            else None
        )
    if "ko=positional" in rules and "history" not in text:
        return f"{text} history={board}"
    if "ko=situational" in rules and not fields:
        return f"{text} history={board}:{side}"
    return None


@mutation("start at an impossible position")
def _impossible_root(lines: Lines, rng: random.Random) -> Lines | None:
    text = _impossible(lines[0]["rules"], lines[0]["root"], rng)
    if text is None:
        return None
    lines[0]["root"] = lines[-2]["pos"] = text
    return lines


@mutation("lengthen a position")
def _swell(lines: Lines, rng: random.Random) -> Lines | None:
    node = rng.choice(lines[1:-1])
    board, side, *_ = node["pos"].split(" ")
    entry = f"{board}:{side}" if "ko=situational" in lines[0]["rules"] else board
    node["pos"] += rng.choice([" " * 4000, " history=" + ";".join([entry] * 400), "0" * 4000])
    return lines


@mutation("prove a smaller position")
def _smaller(lines: Lines, rng: random.Random) -> Lines | None:
    if len(lines) < 4:
        return None
    return tidy([*lines[: rng.randrange(2, len(lines) - 1)], lines[-1]])


# ---- counts -------------------------------------------------------------------------------------
@mutation("raise n")
def _raise(lines: Lines, rng: random.Random) -> Lines | None:
    rng.choice(lines[1:-1])["n"] += rng.choice([1, 2, 10**12])
    return lines


@mutation("lower n")
def _lower(lines: Lines, rng: random.Random) -> Lines | None:
    rng.choice(lines[1:-1])["n"] -= 1
    return lines


@mutation("use an id twice")
def _same_id(lines: Lines, rng: random.Random) -> Lines | None:
    if len(lines) < 4:
        return None
    first, second = sorted(rng.sample(range(1, len(lines) - 1), 2))
    old, new = lines[second]["id"], lines[first]["id"]
    lines[second]["id"] = new
    for line in lines[second + 1 : -1]:
        for entry in edges(line):
            entry[1] = new if entry[1] == old else entry[1]
    lines[-1]["root"] = lines[-2]["id"]
    return lines


@mutation("drop a node")
def _drop_node(lines: Lines, rng: random.Random) -> Lines | None:
    if len(lines) < 4:
        return None
    lines.pop(rng.randrange(1, len(lines) - 2))
    lines[-1]["nodes"] -= 1
    return lines


@mutation("repeat a node")
def _repeat_node(lines: Lines, rng: random.Random) -> Lines | None:
    at = rng.randrange(1, len(lines) - 1)
    lines.insert(at, copy.deepcopy(lines[at]))
    lines[-1]["nodes"] += 1
    return lines


@mutation("add a node that nothing names")
def _orphan(lines: Lines, rng: random.Random) -> Lines | None:
    leaf = next(copy.deepcopy(line) for line in lines if "leaf" in line)
    lines.insert(
        rng.randrange(1, len(lines) - 1), {**leaf, "id": max(positions_of(lines)) + 1, "n": 0}
    )
    lines[-1]["nodes"] += 1
    return lines


@mutation("drop the trailer")
def _no_trailer(lines: Lines, rng: random.Random) -> Lines | None:
    return lines[:-1]


@mutation("mutate the trailer")
def _trailer(lines: Lines, rng: random.Random) -> Lines | None:
    name = rng.choice(["nodes", "root", "end", "more"])
    lines[-1][name] = {
        "nodes": lines[-1]["nodes"] + rng.choice([-1, 1]),
        "root": lines[-1]["root"] + 1,
        "end": False,
        "more": 1,
    }[name]
    return lines


@mutation("append a line")
def _append(lines: Lines, rng: random.Random) -> Lines | None:
    return [*lines, rng.choice([lines[-1], lines[-2], {}, b"\n", b" ", b"x", b'"\xff"\n'])]


@mutation("give a value another type")
def _type(lines: Lines, rng: random.Random) -> Lines | None:
    node = rng.choice(lines[1:-1])
    name = rng.choice(sorted(node))
    odd = [
        None,
        True,
        1.0,
        float("nan"),
        -1,
        "1",
        "\u0661",
        [],
        {},
        [[]],
        [None, None],
        [["pass"]],
        10**400,
    ]
    node[name] = rng.choice([value for value in odd if not (name == "and" and value == node[name])])
    return lines


@mutation("add a field")
def _more(lines: Lines, rng: random.Random) -> Lines | None:
    line = rng.choice([line for line in lines if "zone" not in line])
    line[rng.choice(["leaf", "or", "and", "zone", "", "threat"]) if "id" in line else "zone"] = (
        rng.choice([[], "B2", None])
    )
    return (
        lines
        if len({"leaf", "or", "and"} & set(line)) != 1 or {"zone", "", "threat"} & set(line)
        else None
    )


# ---- the header ----------------------------------------------------------------------------------
@mutation("flip the player of the claim")
def _flip(lines: Lines, rng: random.Random) -> Lines | None:
    claim = lines[0]["claim"]
    if len(lines) == 3 and claim["result"] == "does-not-lose":
        return None
    turned = {"black": "white", "white": "black", "south": "north", "north": "south"}
    claim["player"] = turned[claim["player"]]
    return lines


@mutation("change the result of the claim")
def _result(lines: Lines, rng: random.Random) -> Lines | None:
    drawn = any(line.get("leaf") == "full-board" for line in lines)
    lines[0]["claim"]["result"] = (
        "wins" if drawn else rng.choice(["loses", "draws", "", None, True])
    )
    return lines


@mutation("mutate the header")
def _header(lines: Lines, rng: random.Random) -> Lines | None:
    name = rng.choice(["format", "version", "game", "rules", "root", "claim"])
    if rng.random() < 0.5:
        del lines[0][name]
    else:
        lines[0][name] = rng.choice([None, 2, True, "other", [], {}, "\ud800"])
    return lines


@mutation("mutate an option")
def _option(lines: Lines, rng: random.Random) -> Lines | None:
    base, *fields = lines[0]["rules"].split(";")
    kind, _, size = base.partition("-")
    changed = [f"{kind}-{int(size) % 19 + 1}"] if size else ["oware"]
    rules = [
        ";".join([changed[0], *fields]),
        lines[0]["rules"] + ";",
        lines[0]["rules"] + ";more=true",
        f" {lines[0]['rules']}",
    ]
    for index, field in enumerate(fields):
        name, _, value = field.partition("=")
        rest = fields[:index] + fields[index + 1 :]
        rules += [
            ";".join([base, *fields[:index], text, *fields[index + 1 :]])
            for text in (f"{name}=", f"{name}={value}x", f"{name}= {value}", field.upper())
        ]
        rules += [";".join([base, *rest]), ";".join([base, *rest, field, field])]
    lines[0]["rules"] = rng.choice(rules)
    return lines


@mutation("change an option on which the proof depends")
def _other_option(lines: Lines, rng: random.Random) -> Lines | None:
    rules, player, nodes = lines[0]["rules"], lines[0]["claim"]["player"], lines[1:-1]
    leaves = {line["leaf"] for line in nodes if isinstance(line.get("leaf"), str)}
    flips = []
    if any(" ko=" in line["pos"] or " history=" in line["pos"] for line in nodes):
        flips += [
            (f"ko={old}", f"ko={new}")
            for old in ("simple", "positional", "situational")
            for new in ("simple", "positional", "situational")
        ]
    if any(" fours=" in line["pos"] for line in nodes):
        flips.append(("knowledge=4t", "knowledge=ndk"))
    if "passes" in leaves:
        flips += [("goal=live", "goal=kill"), ("goal=kill", "goal=live")]
        flips += [("passes=stones", "passes=not-achieved")] if player == "white" else []
    if "score" in leaves:
        komi = next(field for field in rules.split(";") if field.startswith("komi="))
        flips.append((komi, "komi=-400" if player == "white" else "komi=400"))
    if "crucial=any" not in rules:
        flips += [("defender=black", "defender=white"), ("defender=white", "defender=black")]
    found = sorted({rules.replace(old, new) for old, new in flips} - {rules})
    if not found:
        return None
    lines[0]["rules"] = rng.choice(found)
    return lines
