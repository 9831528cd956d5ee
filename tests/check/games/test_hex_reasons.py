"""The reasons of Hex: true examples, invalid fields, and the law of the local order."""

from __future__ import annotations

import os
import random

import pytest

from jaxsolve.proof.check import check
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.hex import inferior, local_order
from jaxsolve.proof.check.games.hex.local_order import Work
from jaxsolve.proof.check.games.hex.rules import Hex
from jaxsolve.proof.check.games.hex.zones import HexZones
from jaxsolve.proof.check.grid import bits
from support.oracles.hex_values import Values
from support.proofs import solver as proof_tools

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
BRIDGES = [["top", "b2", "b1"], ["top", "b2", "c1"], [0, 1]]
BRIDGES += [["bottom", "b2", "b3"], ["bottom", "b2", "a3"], [3, 4], [2, 5, "b2"]]
THREATS = [*BRIDGES[:6], ["b1", 5, "b2"], ["top", 6, "b1"], ["c1", 5, "b2"], ["top", 8, "c1"]]
THREATS += [["b3", 2, "b2"], ["bottom", 10, "b3"], ["a3", 2, "b2"], ["bottom", 12, "a3"]]


def zones(size: int) -> HexZones:
    return HexZones(Hex(f"hex-{size}"))


def leaf(text: str, steps: list, claimant: int = 0) -> int:
    found = zones(len(text.split("/")))
    return found.derived_leaf(claimant, found.rules.position(text), "vc", steps)


def test_bridges_join_a_stone_to_both_edges():
    grid = Hex("hex-3").grid
    wanted = sum(grid.bit_of[name] for name in ("b1", "c1", "a3", "b3"))
    assert leaf(".../.X./... w", BRIDGES) == wanted
    assert leaf(".../.../... b", BRIDGES) == wanted | grid.bit_of["b2"]
    with pytest.raises(Refused):
        leaf(".../.../... w", BRIDGES)


def test_a_captured_pair_and_a_dead_cell_are_filled():
    found = zones(4)
    position = found.rules.position("..../.XX./..../.... w")
    assert found.fill(0, position, [["X", "c1,d1", ""]])[0].board == "..XX/.XX./..../...."
    dead = found.rules.position("OO../O.X./..../.... w")
    with pytest.raises(Refused):
        found.fill(0, dead, [["X", "c3", ""]])


def test_a_dominated_reply_is_left_out():
    found = zones(4)
    position = found.rules.position("OOX./O..X/..../.... w")
    accepted = 0
    for reply in found.rules.replies(position):
        for other in found.rules.replies(position):
            try:
                left, zone = found.instead(0, position, [[reply, other, ""]], {reply})
            except Refused:
                continue
            accepted += 1
            assert not left and zone.bit_count() == 2
    assert accepted


INVALID = {
    "steps": [
        *(None, 5, "b1", {}, [], [5], [[]], [["b1"]], [[0, 1]], [["top", "b1", "b1", "c1"]]),
        *([["top", "bottom", None]], [["top", "left", "b1"]], [["top", [], "b1"]]),
        *([[True, "b2", "b1"]], [["top", "b2", "z9"]], [["top", 10**30, "b1"]], [[-1, -1]]),
    ],
    "fill": [
        *(None, {}, [], "X", [[]], [["X"]], [["X", "a1"]], [["O", "a1", ""]], [["XO", "a1", ""]]),
        *([["", "a1", ""]], [["X", "", ""]], [["X", "a1,", ""]], [["X", "b2", ""]]),
        *([["O", "a1,a1"]], [["X", ["a1"], ""]], [["O", 5]], [["X", "a1", "a1"]]),
        [["X", "a1", "b1,c1,a2,c2,a3,b3"]],
    ],
    "threats": [None, 5, {}, [None], [20], [-1], ["0"], [True], [[0]], [0]],
    "instead": [
        *(None, 5, {}, [[]], [["a1", "b1"]], [["a1", "a1", ""]], [["b2", "a1", ""]]),
        *([["a1,b1", "c1", ""]], [["a1", "z9", ""]], [["", "a1", ""]], [["a1", "b1", None]]),
        [["a1", "b1", "c1,a2,c2,a3,b3"]],
    ],
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_fields_are_refused_with_one_sentence(name, tmp_path):
    text = ".../.X./... w"
    header = {"format": "jaxsolve-proof", "version": 1, "game": "hex", "rules": "hex-3"}
    header |= {"root": text, "claim": {"player": "black", "result": "wins"}}

    def report(fields: dict):
        lines = [header, {"id": 1, "n": 0, "pos": text, **fields}]
        lines.append({"end": True, "nodes": 1, "root": 1})
        return check(proof_tools.write(tmp_path / "a.gz", lines))

    good = {"leaf": "vc", "steps": BRIDGES}
    if name in ("threats", "instead"):
        good = {"must-play": [], "threats": [7, 9, 11, 13], "steps": THREATS}
    assert report(good).accepted
    for value in INVALID[name]:
        found = report({**good, name: value})
        assert not found.accepted and found.line == 2 and found.reason
        assert "\n" not in found.reason and len(found.reason) < 300
    lone = {field: value for field, value in good.items() if field != "steps"}
    assert not report(lone).accepted


@pytest.mark.parametrize("size", [4, 5])
def test_the_local_order_agrees_with_exhaustive_search(size):
    """Random claims about random regions, each in random surroundings, with both sides to move."""
    values, rng, held, compared = Values(size), random.Random(size), 0, 0
    rules = values.rules
    cells = list(rules.grid.names)
    while held < (6000 if LONG else 150):
        most = rng.choice((2, 3, 4, 4, 5)) if not LONG else rng.randrange(2, 7)
        region = rng.choice(cells)
        while region.bit_count() < most:
            region |= rng.choice(list(bits(rules.near(region) & rules.grid.full & ~region)))
        inside, stones, share = list(bits(region)), [0, 0], rng.random()
        for bit in cells:
            if not bit & region and rng.random() < share:
                stones[rng.randrange(2)] |= bit
        claimant = rng.randrange(2)
        if rng.random() < 0.5:
            worse, better = (sum(rng.sample(inside, rng.choice((1, 2)))), 0), (0, 0)
        else:
            one, other = rng.sample(inside, 2)
            worse, better = (0, one), (0, other)
        position = rules.position(values.text(stones[0], stones[1], 0))
        try:
            inferior._compare(rules, position, claimant, region, (worse, better), Work())
        except Refused:
            continue
        held += 1
        for _ in range(5):
            around = list(stones)
            for bit in bits(rules.empty(position) & ~region):
                if rng.random() < (0.7 if size == 4 else 0.85):
                    around[rng.randrange(2)] |= bit
            for side in (0, 1):
                wins = []
                for content in (worse, better):
                    all_stones = list(around)
                    all_stones[claimant] |= content[0]
                    all_stones[1 - claimant] |= content[1]
                    wins.append(values.wins(*all_stones, side) == (claimant == 0))
                compared += 1
                assert wins != [True, False], (position.board, claimant, region, worse, better)
    assert compared >= 1500


def test_the_work_for_a_file_is_bounded(monkeypatch):
    """Equal comparisons count each time, so that the result does not depend on a memory."""
    works, measured = [], inferior.at_most
    filled = zones(4).rules.position("..../.XX./..../.... w")
    left = zones(4).rules.position("OOX./O..X/..../.... w")
    fills = [["X", "c1,d1", ""], ["X", "b1", ""]]
    entries = [["d4", "c4", ""], ["a3", "b3", ""]]
    cases = (
        lambda found: found.fill(0, filled, fills),
        lambda found: found.instead(0, left, entries, {"d4", "a3"}),
    )

    def at_most(*given):
        works.append(measured(*given)[1])
        return measured(*given)

    monkeypatch.setattr(inferior, "at_most", at_most)
    for act in cases:
        works.clear()
        act(zones(4))
        need = sum(works)
        assert len(works) == 2 and 1 < need < local_order.WORK_OF_LIST
        for number in (1, 3):  # lists of the file
            for spare in (0, -1):
                with monkeypatch.context() as patch:
                    patch.setattr(local_order, "WORK_OF_LIST", need - 1)
                    patch.setattr(local_order, "WORK_OF_FILE", number + spare)
                    found = zones(4)
                    for _ in range(number - 1):
                        act(found)
                    if spare < 0:
                        with pytest.raises(Refused, match="more pairs of contents"):
                            act(found)
                    else:
                        act(found)
