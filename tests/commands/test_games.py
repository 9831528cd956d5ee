"""The command ``games``: rule sets, their options and example positions."""

from __future__ import annotations

import shlex

from jaxsolve.games import registry
from support.cli import one_object, run


def test_games_lists_every_rule_set_with_its_options():
    listed = one_object(run("games", "--json"))
    assert {"awari", "hex-1..19", "killallgo-9"} <= set(listed)
    assert listed["killallgo-9"]["options"]["ko"]["values"] == "simple|positional|situational"
    lines = run("games").stdout.splitlines()
    assert (
        sum(line.startswith("killallgo-9 ") for line in lines) == 1
        and sum(not line.startswith(" ") for line in lines) == len(listed) + 2
    )


def test_games_describes_meaning_default_and_example_of_every_option():
    page = run("games", "tsumego").stdout
    words = " ".join(page.split())
    options = one_object(run("games", "tsumego", "--json"))["tsumego-2..19"]["options"]
    assert list(options) == [
        "ko",
        "passes",
        "fill_eyes",
        "goal",
        "defender",
        "crucial",
        "region",
        "ko_black",
        "ko_white",
    ]
    for name, option in options.items():
        assert name in page and option["meaning"] in words and option["default"] in page
        assert (
            f"--rule {name}={option['example']}" in page or option["example"] == option["default"]
        )
    assert "--json" in page and max(map(len, page.splitlines())) <= 200  # commands are not wrapped
    refused = run("games", "tsumgo", "--json")
    assert refused.exit_code == 2 and "did you mean" in one_object(refused)["error"]


def test_the_example_of_every_game_is_a_position(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "position.sgf").write_text("(;GM[1]SZ[7];B[dd];W[];B[cc])")
    for base in set(registry.available()) - {"killallgo-9"}:
        words = shlex.split(registry.describe(base).example)
        shown = one_object(run("show", *words, "--json"))
        assert shown["rules"].startswith(registry.describe(base).stem)
