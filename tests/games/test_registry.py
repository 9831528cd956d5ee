"""The registry: ids and games correspond; mistakes give one sentence with the valid choices."""

import shlex
import subprocess
import sys

import pytest

from jaxsolve import games
from jaxsolve.games import Awari, Entry, available, describe, make, register, registry
from jaxsolve.games.options import choice
from jaxsolve.proof.check.registry import find
from support.cli import run

TRIED = {
    "komi": ("-0", "0", "0.50", "7", "-3.5", "999.5", "-999.5", "1000", "1e2", "1e6", "0.1", "inf"),
    "line": ("-1", "0", "1", "2", "3", "05", "5", "7", "15", "19"),
    "crucial": ("A1", "b2,A1", "A1,A1", "A1, B1", "", "-", "any", "I1", "A0", "B2,A2,C1"),
    "region": ("A1", "b2,A1", "A1,A1", "", "all", "A2,A1,B2"),
}


def test_importing_the_package_does_not_import_jax():
    code = (
        "import sys, jaxsolve, jaxsolve.games, jaxsolve.games.registry, jaxsolve.proof.check; "
        "import jaxsolve.view; sys.exit('jax' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("awari", "awari;rules=ludii"),
        ("go-9", "go-9;ko=simple;komi=7.5"),
        ("go-19", "go-19;ko=simple;komi=7.5"),
        ("gomoku-15", "gomoku-15;line=5;win=five-or-more;knowledge=ndk"),
        ("gomoku-15-exact5", "gomoku-15;line=5;win=exact5;knowledge=ndk"),
        ("hex-5", "hex-5"),
        ("knightthrough-8", "knightthrough-8;rules=forward"),
        ("loa-8", "loa-8;simultaneous=draw;no_moves=pass"),
        ("minishogi", "minishogi;repetition=none"),
        ("killallgo-7", "killallgo-7;ko=simple;passes=not-achieved;fill_eyes=true"),
        ("killallgo-9", "killallgo-9;ko=simple;passes=not-achieved;fill_eyes=true"),
        (
            "tsumego-13",
            "tsumego-13;ko=simple;passes=not-achieved;fill_eyes=true;goal=live;defender=black;"
            "crucial=any;region=all;ko_black=allow;ko_white=allow",
        ),
    ],
)
def test_short_ids_name_the_defaults(short, full):
    assert make(short).rule_set == full
    assert make(full) == make(short) and hash(make(full)) == hash(make(short))


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("go_9x9", "go-9"),
        ("go_19x19", "go-19"),
        ("hex", "hex-11"),
        ("go", "go-19"),
        ("gomoku", "gomoku-15"),
        ("killallgo", "killallgo-7"),
        ("knightthrough", "knightthrough-8"),
        ("loa;no_moves=loss", "loa-8;no_moves=loss"),
        ("slither", "slither-8"),
        ("tsumego", "tsumego-9"),
    ],
)
def test_a_family_has_a_default_size_and_names_of_pgx_are_known(short, full):
    assert make(short) == make(full)


def test_the_package_lists_its_public_names():
    code = "import jaxsolve.games as g, sys; print(*dir(g)); assert 'jax' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = done.stdout.split()
    assert set(names) == set(games.__all__)
    assert {"Env", "Game", "Go", "Hex", "auto_reset", "make"} <= set(names)
    assert not [name for name in names if "lazy" in name]


@pytest.mark.parametrize(
    "rule_set",
    [
        "go-5;ko=positional;komi=0.5",
        "go-2;ko=situational;komi=7.5",
        "go-7;ko=simple;komi=-3",
        "killallgo-9;ko=simple;passes=stones;fill_eyes=false",
        "killallgo-7;ko=simple;passes=stones;fill_eyes=true",
        "gomoku-5;line=4;win=exact5;knowledge=4t",
        "hex-1",
        "hex-19",
        "knightthrough-4;rules=all",
        "loa-7;simultaneous=mover;no_moves=loss",
        "minishogi;repetition=none",
        "slither-1",
        "slither-19",
        "tsumego-9;ko=positional;passes=not-achieved;fill_eyes=false;goal=kill;defender=black;"
        "crucial=A1,B2;region=A1,B1,A2,B2,C3;ko_black=forbid;ko_white=allow",
    ],
)
def test_a_full_id_is_the_rule_set_of_its_game(rule_set):
    assert make(make(rule_set).rule_set) == make(rule_set)
    assert make(rule_set).rule_set == rule_set


def test_every_option_value_that_is_listed_round_trips():
    for base in available():
        entry = describe(base)
        short = base if entry.sizes is None else f"{entry.stem}{min(5, entry.sizes[-1])}"
        for option in entry.options:
            key = option.name
            for value in option.values.split("|") if "|" in option.values else ():
                game = make(f"{short};{key}={value}")
                assert f";{key}={value}" in game.rule_set
                assert make(game.rule_set) == game == make(short, **{key: option.parse(value)})


def test_what_an_option_says_of_itself_is_so():
    for base in available():
        entry = describe(base)
        short = base if entry.sizes is None else f"{entry.stem}{min(5, entry.sizes[-1])}"
        assert entry.summary and entry.example and "\n" not in entry.summary + entry.example
        shown = make(short).rule_set
        assert shown == ";".join(
            [short, *(f"{option.name}={option.default}" for option in entry.options)]
        )
        for option in entry.options:
            assert option.meaning.endswith(".") and option.values and "\n" not in option.meaning
            assert (
                f";{option.name}={option.example}"
                in make(f"{short};{option.name}={option.example}").rule_set
            )
            assert option.example != option.default or "|" not in option.values


@pytest.mark.parametrize(
    ("text", "bases"),
    [
        ("tsumego", ("tsumego-N",)),
        ("tsumego-N", ("tsumego-N",)),
        ("tsumego-9;goal=kill", ("tsumego-N",)),
        ("killallgo", ("killallgo-7", "killallgo-9")),
        ("killallgo-7", ("killallgo-7",)),
        ("awari", ("awari",)),
        ("gomoku-15-exact5", ("gomoku-N",)),
    ],
)
def test_a_person_may_name_a_family_or_any_of_its_ids(text, bases):
    assert registry.named(text) == bases


def test_a_family_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="did you mean 'tsumego-"):
        registry.named("tsumgo")


def test_options_may_be_keywords():
    assert make("go-9", komi=6.5, ko="positional") == make("go-9;ko=positional;komi=6.5")
    assert make("killallgo-9", fill_eyes=False) == make("killallgo-9;fill_eyes=false")
    with pytest.raises(ValueError, match="contradicts"):
        make("go-9;komi=6.5", komi=7.5)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("awary", "did you mean 'awari'"),
        ("LOA-8", "did you mean 'loa-8'"),
        ("gomuku-15", "did you mean 'gomoku-15'"),
        ("killallgo-8", "did you mean 'killallgo-"),
        ("hex-20", "hex-1..19"),
        ("loa-9", "loa-4..8"),
        ("loa-8;simultaneous=both", "simultaneous may be draw|mover"),
        ("hex-05", "unknown game 'hex-05'"),
        ("goo", "go-2..19"),
        ("", "unknown game ''"),
        ("go-9;kom=6.5", "did you mean 'komi'"),
        ("go-9;ko=simpel", "did you mean 'simple'"),
        ("go-9;komi=many", "komi may be a number"),
        ("go-9;komi=nan", "komi"),
        ("go-9;ko", "key=value"),
        ("go-9;ko=simple;ko=simple", "twice"),
        ("awari;rules=abapa", "rules may be ludii"),
        ("minishogi;repetition=draw", "repetition may be none"),
        ("hex-5;swap=true", "hex-N has the options: none"),
        ("gomoku-15;line=1", "line"),
        ("gomoku-5;line=6", "line=5"),
        ("gomoku-3", "give line=3"),
        ("gomoku-4;line=20", "line=20 is outside 3..15"),
        ("tsumego-9;crucial=Z9", "Z9"),
    ],
)
def test_mistakes_are_refused_with_one_sentence(wrong, says):
    with pytest.raises(ValueError) as refusal:  # the whole message is checked below
        make(wrong)
    message = str(refusal.value)
    assert says in message and message[-1] not in ".!" and "\n" not in message


def test_the_checker_accepts_every_rule_set_of_the_registry():
    """A rule set that the checker would refuse must be refused before a search begins."""
    accepted = refused = 0
    for base in available():
        entry = describe(base)
        ids = (
            [base]
            if entry.sizes is None
            else [
                f"{entry.stem}{size}" for size in range(min(entry.sizes), max(entry.sizes) + 1, 3)
            ]
        )
        for short in ids:
            for key, option in entry.by_name.items():
                for value in (
                    option.values.split("|") if "|" in option.values else TRIED.get(key, ())
                ):
                    try:
                        game = make(f"{short};{key}={value}")
                    except ValueError:
                        refused += 1
                        continue
                    find(game.name).rules(game.rule_set)
                    assert make(game.rule_set).rule_set == game.rule_set
                    accepted += 1
    assert accepted > 150 and refused > 30
    for komi in ("1000", "-1000", "1e3", "999.7"):
        with pytest.raises(ValueError, match="komi"):
            make(f"go-3;komi={komi}")


def test_registering_a_game():
    register(
        Entry(
            "sown",
            Awari,
            [choice("rules", "ludii", meaning="Source of the rules.")],
            summary="a second name",
        )
    )
    try:
        assert (
            make("sown;rules=ludii") == Awari()
            and "sown" in available()
            and describe("sown").summary == "a second name"
        )
        with pytest.raises(ValueError, match="already registered"):
            register(Entry("sown", Awari))
    finally:
        registry.unregister("sown")
    assert "sown" not in available()
    with pytest.raises(ValueError, match="unknown game 'sown'"):
        make("sown")
    with pytest.raises(ValueError, match="no game is registered"):
        registry.unregister("sown")
    for bad in ("Sown", "so wn", "so;wn", ""):
        with pytest.raises(ValueError, match="lower-case"):
            register(Entry(bad, Awari))
    with pytest.raises(ValueError, match="-N"):
        register(Entry("sown", Awari, sizes=range(1, 3)))


@pytest.mark.parametrize(
    "base",
    [
        base
        for base in available()
        if describe(base).example and ".sgf" not in describe(base).example
    ],
)
def test_example_arguments_of_the_registry_are_valid(base):
    result = run("show", *shlex.split(describe(base).example))
    assert result.exit_code == 0, result.output
