"""Each condition of the reasons of Hex is necessary.

Without it the checker accepts a certificate of a false claim, which the whole checker refuses.
"""

from __future__ import annotations

import importlib
import inspect
import os
import random
import types

import pytest

from jaxsolve.proof.check import check, must_play, walk
from jaxsolve.proof.check.games.hex import derivation, inferior, local_order
from jaxsolve.proof.check.games.hex import rules as hex_rules
from jaxsolve.proof.check.games.hex import zones as hex_zones
from support.oracles.hex_values import Values
from support.proofs import solver as proof_tools
from support.proofs.hex_reasons import Prover

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
VALUES = {size: Values(size) for size in (3, 4)}

CONDITIONS = {
    "C1 a full half": (derivation, "if not step.full:", "if False:"),
    "C2 a name touches": (
        derivation,
        "if not self.groups.touch(end, middle):",
        "if end == middle:",
    ),
    "C2 a number has the end": (
        derivation,
        "if middle not in step.ends:",
        "if False:",
    ),
    "C3 disjoint": (derivation, "if first & second:", "if False:"),
    "C4 semi": (derivation, "full=middle < 0", "full=True"),
    "C4 key": (derivation, "key = max(middle, 0)", "key = 0"),
    "C5 the same ends": (derivation, "if part.ends != parts[0].ends:", "if False:"),
    "C6 no common cell": (derivation, "if common:", "if False:"),
    "empty or the claimant's": (
        derivation,
        "= groups, empty",
        "= groups, groups.rules.grid.full & ~(groups.bodies[0] | groups.bodies[1])",
    ),
    "C7, C8 the edges": (derivation, "if step.ends != (~1, ~0):", "if False:"),
    "C7 full": (hex_zones, "if position.side != claimant and not step.full:", "if False:"),
    "C8 inside": (
        must_play,
        "left = zoned.uncovered(claimant, left, won, zone)",
        "left = zoned.uncovered(claimant, left, won, 0)",
    ),
    "C8 zone": (
        must_play,
        "    for won, zone in threats:\n        null |= zone\n",
        "    for won, zone in threats:\n",
    ),
    "F2 empty, once": (inferior, "if not bit & empty & ~mask:", "if False:"),
    "F4 the claimant's": (
        inferior,
        "_compare(rules, position, claimant, region, ((cells, 0), (0, 0)), work)",
        "0",
    ),
    "F4 zone": (
        inferior,
        "            zone |= region\n        position =",
        "        position =",
    ),
    "I2": (
        inferior,
        "_compare(rules, position, claimant, region, ((0, other), (0, bit)), work)",
        "0",
    ),
    "I2 in this direction": (inferior, "((0, other), (0, bit))", "((0, bit), (0, other))"),
    "I3": (inferior, "if instead in still:", "if False:"),
    "I zone": (inferior, "still.discard(reply)\n        zone |= region", "still.discard(reply)"),
    "order: moves of P": (
        local_order,
        "and all(self.moving(Content(one.own | cell, one.other), two) for cell in own)",
        "",
    ),
    "order: moves of Q": (
        local_order,
        "and all(self.moving(one, Content(two.own, two.other | cell)) for cell in other)",
        "",
    ),
    "order: whole": (local_order, "(bool(own and other) or self.moving(one, two))", "True"),
    "order: unknown cells": (inferior, "ends += bits(rules.near(cell) & unknown)", "pass"),
    "order: groups": (
        inferior,
        "known = sum(1 << number for end, number in numbers.items() if end < 0)",
        "known = (1 << len(numbers)) - 1",
    ),
    "order: P's pairs": (local_order, "self._pairs(0, one.own) & ~self._pairs(0, two.own)", "0"),
    "order: Q's pairs": (
        local_order,
        "self._pairs(1, two.other) & ~self._pairs(1, one.other)",
        "0",
    ),
    "order: monotony": (
        local_order,
        "if not (one.own & ~two.own or two.other & ~one.other):",
        "if not two.other & ~one.other:",
    ),
}  # the module with the condition, its text, and the text without the condition

HAND = {
    "C2 a number has the end": (
        "..O/.../... b",
        [["bottom", "b3", "a3"], ["bottom", "b3", "c3"], [1, 0], ["top", 2, "a1"]],
    ),
    "C3 disjoint": (
        "OOXO/O..X/OX.X/OOOX w",
        [
            *(["top", "b3", "b2"], ["top", "b3", "c2"], [0, 1]),
            *(["bottom", "b3", "c2"], ["bottom", "b3", "c3"], [3, 4]),
            [2, 5, "b3"],
        ],
    ),
    "C6 no common cell": (
        "../.. w",
        [["b1", "bottom", "a2"], ["b1", "bottom", "b2"], [0, 1], ["top", 2, "b1"], [3, 3]],
    ),
}  # false leaves of Black's that only a checker without the condition accepts

_IMPORTED = {
    derivation: (("zones", "Derivation"),),
    inferior: (("zones", "filled"), ("zones", "left_out")),
    local_order: (("inferior", "at_most"),),
    hex_zones: (("rules", "HexZones"),),
}
_HEX = "jaxsolve.proof.check.games.hex"


def weaken(monkeypatch, module: types.ModuleType, old: str, new: str) -> None:
    """Replaces the text ``old`` of a module, where the checker uses the module."""
    source, changed = inspect.getsource(module), types.ModuleType(module.__name__)
    assert source.count(old) == 1, f"the condition stands {source.count(old)} times: {old}"
    exec(compile(source.replace(old, new), "weakened", "exec"), changed.__dict__)
    if module is must_play:
        monkeypatch.setattr(walk, "must_play", changed.must_play)
    for user, name in _IMPORTED.get(module, ()):
        monkeypatch.setattr(importlib.import_module(f"{_HEX}.{user}"), name, getattr(changed, name))


def one_leaf(text: str, steps: list, **more) -> list:
    """A certificate of one leaf ``vc``: Black wins the position."""
    size = len(text.split("/"))
    node = {"id": 1, "n": 0, "pos": text, "leaf": "vc", "steps": steps, **more}
    header = {"format": "jaxsolve-proof", "version": 1, "game": "hex", "rules": f"hex-{size}"}
    claim = {"player": "black", "result": "wins"}
    return [{**header, "root": text, "claim": claim}, node, {"end": True, "nodes": 1, "root": 1}]


def drawn(rng: random.Random, size: int):
    """A random position in which the game goes on, its text, and the winner."""
    values = VALUES[size]
    while True:
        stones, share = [0, 0], rng.uniform(0.1, 0.7) if size == 3 else rng.uniform(0.5, 0.8)
        for bit in values.rules.grid.names:
            if rng.random() < share:
                stones[rng.randrange(2)] |= bit
        text = values.text(stones[0], stones[1], rng.randrange(2))
        position = values.rules.position(text)
        if values.rules.verdict(position) is None:
            return text, values.winner(position)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_each_condition_is_necessary(condition, monkeypatch, tmp_path):
    rng = random.Random(7)
    with monkeypatch.context() as patch:
        weaken(patch, *CONDITIONS[condition])
        for _ in range(1 if condition in HAND else 3000):
            if condition in HAND:
                lines = one_leaf(*HAND[condition])
            else:
                text, winner = drawn(rng, 3)
                lines = Prover(3, 1 - winner, rng).certificate(text)
            if lines is not None:
                path = proof_tools.write(tmp_path / "a.gz", lines)
                if check(path).accepted:
                    break
        else:
            raise AssertionError("no false certificate has been found")
    report = check(path)
    assert not report.accepted, lines


@pytest.mark.parametrize("size", [3, 4])
def test_an_accepted_certificate_is_true(size, tmp_path):
    rng, seen = random.Random(size), dict.fromkeys(("fill", "steps", "threats", "instead"), 0)
    for _ in range((20_000 if LONG else 800) // (1 if size == 3 else 4)):
        text, winner = drawn(rng, size)
        claimant = rng.randrange(2)
        lines = Prover(size, claimant, rng).certificate(text)
        if lines is None:
            continue
        report = check(proof_tools.write(tmp_path / "a.gz", lines))
        assert report.accepted, report.reason
        assert winner == claimant, lines
        for name in seen:
            seen[name] += any(name in line for line in lines)
    assert size == 4 or min(seen.values()) > 5, seen
    assert hex_rules.HexZones is hex_zones.HexZones
