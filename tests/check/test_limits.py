"""Bounds on lines and positions, and the memory of the checker at those bounds."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc

import pytest

from jaxsolve.proof.check import check
from support.proofs import corpus as check_corpus
from support.proofs import solver as proof_tools

RULES = {
    "hex": "hex-19",
    "slither": "slither-19",
    "gomoku": "gomoku-19;line=5;win=exact5;knowledge=4t",
    "awari": "awari;rules=ludii",
    "knightthrough": "knightthrough-8;rules=forward",
    "loa": "loa-8;simultaneous=draw;no_moves=pass",
    "minishogi": "minishogi;repetition=none",
    "go": "go-19;ko=simple;komi=7.5",
    "tsumego": check_corpus.tsumego(19, "live", "black", "A1,B1"),
    "killall": "killallgo-9;ko=situational;passes=stones;fill_eyes=true",
}
# Games without stones: the start position and a finished position.
ENDS = {
    "awari": ("4,4,4,4,4,4/4,4,4,4,4,4 s captured=0:0", "1,1,1,0,0,0/0,0,0,1,1,1 s captured=24:18"),
    "minishogi": (
        "rbsgk/....p/...../P..../KGSBR b",
        "k..../G..../P..../...../....K w hands=RRBBGSSP",
    ),
}
EMPTY = "/".join(["." * 19] * 19)


def header(game: str, rules: str, root: str) -> dict:
    return {
        "format": "jaxsolve-proof",
        "version": 1,
        "game": game,
        "rules": rules,
        "root": root,
        "claim": {"player": "black", "result": "wins"},
    }


@pytest.mark.parametrize("name", RULES)
def test_a_text_longer_than_its_rule_set_allows_is_refused(name, tmp_path):
    game = (
        name
        if name in ("hex", "gomoku", "slither", "knightthrough", "loa", "minishogi", "awari")
        else "go"
    )
    rules = proof_tools.rules_of(game, RULES[name])
    first, ended = ENDS[game] if game in ENDS else (f"{EMPTY[: rules.grid.length]} b", "")
    long = first + "x" * rules.longest
    lines = [
        {**header(game, RULES[name], long), "claim": {"player": rules.players[0], "result": "wins"}}
    ]
    report = check(proof_tools.write(tmp_path / "root.gz", lines))
    assert (
        report.exit_code == 1 and report.line == 1 and f"at most {rules.longest}" in report.reason
    )
    text = (
        ended
        or "XXXO" + "/".join([("X" * 3 + "." * 16)[: rules.grid.size]] * rules.grid.size)[4:] + " w"
    )
    lines[0]["root"] = text
    for node in (
        {"id": 1, "n": 0, "pos": long, "leaf": "five"},
        {"id": 1, "n": 0, "pos": text, "leaf": "x" * (rules.longest + 70_000)},
    ):
        report = check(proof_tools.write(tmp_path / "node.gz", [lines[0], node]))
        assert report.exit_code == 1 and (
            "characters" in report.reason or "bytes" in report.reason
        ), report


def test_every_reached_text_is_within_its_bound():
    """Random play with the longest fields never exceeds the bound of the rule set."""
    for case in check_corpus.drawn(3):
        rules = proof_tools.rules_of(case.game, case.rules)

        def short(text, position, verdict, replies, rules=rules):
            assert len(text) <= rules.longest

        proof_tools.random_game(rules, case.root, random.Random(case.rules), short, 60)


def test_memory_stays_within_its_bound(tmp_path):
    """A small file of many long positions that are held at once.

    The checker needs the documented memory: their texts and little more.
    """
    rule_set, held = "go-9;ko=positional;komi=0.5", 60
    rules = proof_tools.rules_of("go", rule_set)
    board = "/".join(["X" * 8 + "."] * 9)
    boards = [board[:k] + "." + board[k + 1 :] for k in range(8)]
    history = ";".join((boards * 99)[:324])
    text = f"{board} b passes=2 history={history}"
    assert rules.longest - 40 < len(text) <= rules.longest
    nodes = [{"id": k, "n": 1, "pos": text, "leaf": "score"} for k in range(1, held + 1)]
    path = tmp_path / "a.gz"
    with gzip.open(path, "wt") as file:
        for line in [header("go", rule_set, f"{board} b"), *nodes]:
            file.write(json.dumps(line) + "\n")
    assert path.stat().st_size < 30_000
    tracemalloc.start()
    report = check(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (
        report.nodes == held
        and report.peak_frontier == held
        and "without a trailer" in report.reason
    )
    assert peak < held * (rules.longest + 300) + 2_000_000


def test_a_long_line_is_refused_before_it_is_parsed(tmp_path):
    """Four million bytes of brackets in a node are refused before JSON parsing."""
    path = tmp_path / "a.gz"
    with gzip.open(path, "wt") as file:
        file.write(json.dumps(header("hex", "hex-2", "../.. b")) + "\n")
        file.write('{"id":1,"n":1,"pos":"../.. b","and":[' + ",".join(["[]"] * 1_300_000) + "]}\n")
    tracemalloc.start()
    report = check(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert report.exit_code == 1 and "bytes" in report.reason and peak < 20_000_000
