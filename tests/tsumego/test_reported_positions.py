"""Records of users that an earlier version answered wrongly."""

from __future__ import annotations

import json

import pytest

from support.tsumego_command import run

CASES = {
    # White lives in ko from B7, a point of capture that only captures make accessible.
    "a side part next to the wall": (
        "(;GM[1]FF[4]SZ[7]AB[aa][ca][fa][bb][cb][fb][fc][ad][bd][cd][dd][ed][fd]"
        "AW[ea][ab][eb][ac][bc][cc][dc][ec]TR[ac]PL[B])",
        {"white": ("lives in ko", ["B7"])},
    ),
    # Black's only move takes a ko, so it is illegal in some questions. White never ends that ko.
    "a move that takes a ko": (
        "(;GM[1]FF[4]SZ[5]TR[da]AB[aa][ab][bb][bc][bd][cd][dd][ed]"
        "AW[ba][da][ea][eb][ec][cb][cc][dc]PL[B])",
        {"black": ("dies", ["C5"])},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_status_and_the_right_moves(name, tmp_path):
    text, wanted = CASES[name]
    file = tmp_path / "problem.sgf"
    file.write_text(text)
    found = json.loads(run(file, "--json").stdout)
    for side, (status, right) in wanted.items():
        first = found[f"{side}_first"]
        assert first["status"] == status
        assert [move["move"] for move in first["moves"] if move["right"]] == right
    assert all(row["checked"] for row in found["questions"])
