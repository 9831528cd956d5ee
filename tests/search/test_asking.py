"""What is refused before a search begins, in one sentence, and how what was asked comes back."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from jaxsolve.games import make
from jaxsolve.question import Problem
from jaxsolve.search import (
    METHODS,
    Claim,
    Limits,
    Settings,
    Verdict,
    solve,
    solve_pool,
    solve_value,
)
from jaxsolve.search.arguments import refuse_wrong_question
from jaxsolve.search.run.allocator import Allocator
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool
from jaxsolve.search.run.records import packed_root
from jaxsolve.search.run.search import Search
from jaxsolve.search.tree.tree import DROPPED_FLAG, NODES, SOLVED_FLAG, STALE_FLAG
from search.tree.test_bounds import Chains

HEX = make("hex-4")


@pytest.mark.parametrize("wrong", [(-1, "wins"), (2, "wins"), (0, "loses"), (0, None)])
def test_claims_other_than_the_four_are_refused(wrong):
    with pytest.raises(ValueError, match="no claim"):
        Claim(*wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"flights": 0},
        {"wave": 0},
        {"max_nodes": -1},
        {"max_nodes": 0},
        {"memory_mb": -1},
        {"seed": -1},
        {"seed": 0.5},
        {"seed": 1 << 64},
        {"seed": True},
        {"wave": "8"},
        {"zones": "no"},
        {"check": 1},
    ],
)
def test_invalid_settings_are_refused_by_name(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}="):
        solve(HEX, HEX.init(), **wrong)


def test_invalid_limits_are_refused():
    with pytest.raises(TypeError, match="Limits"):
        Settings(limits=5)
    for wrong in (
        {"cpu_seconds": -1},
        {"cpu_seconds": float("inf")},
        {"cpu_seconds": True},
        {"nodes": float("nan")},
        {"nodes": 1.5},
        {"nodes": 2.0},
        {"nodes": True},
        {"evaluations": 1.5},
        {"wall_seconds": "60"},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Limits(**wrong)


def test_limits_of_numpy_are_plain_numbers():
    """A result file is JSON, which has no other numbers."""
    limits = Limits(np.float32(5), np.float64(2.5), np.int64(5), np.uint8(7))
    assert limits == Limits(5.0, 2.5, 5, 7)
    settings = Settings(limits=limits, seed=np.uint64(2**64 - 1), memory_mb=np.int32(64))
    assert json.loads(json.dumps(settings.as_json()))["seed"] == 2**64 - 1


def test_a_limit_of_one_is_singular():
    for name, one, two in (
        ("nodes", "node", "nodes"),
        ("evaluations", "evaluation", "evaluations"),
        ("cpu_seconds", "CPU second", "CPU seconds"),
        ("wall_seconds", "second of wall time", "seconds of wall time"),
    ):
        assert Limits(**{name: 1}).reached(name) == f"The limit of 1 {one} was reached."
        assert Limits(**{name: 2}).reached(name) == f"The limit of 2 {two} was reached."


def test_a_position_of_another_game_is_refused():
    """Boards of two sizes may be arrays of one shape; such a position would be another question."""
    five = make("hex-5").parse("...../...../...../...../X...O b")
    with pytest.raises(ValueError, match="none of hex-4"):
        solve(HEX, five)


def boards(family: str) -> list[str]:
    """Rule sets of one family with boards of every size."""
    sizes = range(5 if family == "gomoku" else 2, 20)
    return [f"{family}-{size}" for size in sizes]


@pytest.mark.parametrize("family", ["hex", "go", "slither", "gomoku"])
def test_a_position_of_another_board_size(family):
    """It is refused, or has the very arrays of a position of the game: then nothing can tell it.

    A stone outside a smaller board is always seen.
    """
    games = [make(rules) for rules in boards(family)]
    for other in games:
        size = int(other.rule_set.partition(";")[0].rpartition("-")[2])
        edge = "/".join([*["." * size] * (size - 1), "." * (size - 1) + "X"])
        for number, game in enumerate(games):
            for stone, state in enumerate((other.init(), other.parse(f"{edge} w"))):
                try:
                    refuse_wrong_question(game, state)
                    words = packed_root(game, state)
                except ValueError as error:
                    assert game != other and f"none of {game.rule_set}" in str(error)
                else:
                    assert np.array_equal(words, game.host_pack(game.parse(game.text(state))))
                    assert not stone or number >= games.index(other), (game, other)


def test_a_position_of_another_game_with_as_many_words_is_refused():
    for rules, other in itertools.permutations(["slither-4", "go-4", "hex-4", "awari"], 2):
        with pytest.raises(ValueError, match="none of"):
            solve(make(rules), make(other).init())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("hex-4", HEX.init()), r"game='hex-4' is no game.*make\('hex-4'\)"),
        ((None, HEX.init()), "game=None"),
        ((HEX, "..../..../..../.... b"), "state='.*' is no position"),
        ((HEX, None), "state=None"),
    ],
)
def test_what_is_no_question_is_refused(arguments, message):
    for entry in (solve, solve_value):
        with pytest.raises(TypeError, match=message):
            entry(*arguments)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"claim": "black wins"}, "claim='black wins'"),
        ({"heads": "hex6"}, "heads='hex6'"),
        ({"method": None}, "method=None"),
        ({"settings": {"seed": 1}}, "settings="),
        ({"cpu_seconds": 3}, r"limits=Limits\(cpu_seconds=3\)"),
        ({"nodes": 1}, r"limits=Limits\(nodes=1\)"),
        ({"speed": 1}, "'speed' is no argument"),
    ],
)
def test_arguments_of_another_type_are_refused(wrong, message):
    with pytest.raises(TypeError, match=message):
        solve(HEX, HEX.init(), **wrong)


def test_resuming_needs_a_folder():
    for entry in (solve, solve_value):
        with pytest.raises(ValueError, match="needs out"):
            entry(HEX, HEX.init(), resume=True)
        with pytest.raises(ValueError, match="out=''"):
            entry(HEX, HEX.init(), out="")


@pytest.mark.parametrize("pool", [0, -1, 1.5, True, None, "2"])
def test_pools_of_no_whole_size_are_refused(pool):
    with pytest.raises(ValueError, match="pool="):
        list(solve_pool([Problem("x", HEX, HEX.init(), Claim(0))], pool=pool))


def test_ids_that_name_no_folder_of_their_own_are_refused(tmp_path):
    def problem(identifier):
        return Problem(identifier, HEX, HEX.init(), Claim(0))

    for ids, message in (
        (("a", "b", "a"), "'a' is given twice"),
        (("../evil",), "'../evil'"),
        ((str(tmp_path / "evil"),), "letters, digits"),
        (("..",), r"'\.\.'"),
        (("",), "''"),
        (("x" * 201,), "longer than 200"),
    ):
        with pytest.raises(ValueError, match=message):
            list(solve_pool(map(problem, ids), pool=1, out=tmp_path / "run"))
    assert not list(tmp_path.iterdir())
    assert len(list(solve_pool(map(problem, ["../a", "../a"]), pool=2))) == 2


def test_the_output_folder_may_be_a_string(tmp_path):
    game = make("gomoku-3;line=3;win=five-or-more;knowledge=ndk")
    assert (
        solve(HEX, HEX.init(), out=str(tmp_path / "a" / "one")).certificate
        == tmp_path / "a" / "one" / "proof.jsonl.gz"
    )
    assert solve_value(game, game.init(), out=str(tmp_path / "two")).text == "draw"
    ((_, result),) = solve_pool(
        [Problem("x", HEX, HEX.init(), Claim(0))], pool=1, out=str(tmp_path / "three")
    )
    assert result.certificate == tmp_path / "three" / "x" / "proof.jsonl.gz"


def test_wall_seconds_are_counted_per_claim():
    game = make("gomoku-3;line=3;win=five-or-more;knowledge=ndk")
    first, second = solve_value(game, game.init()).results
    assert first.wall_seconds > 0 and second.wall_seconds >= 0


def test_ctrl_c_while_a_job_is_constructed_is_raised(monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("jaxsolve.search.run.rounds.Job", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(solve_pool([Problem("x", HEX, HEX.init(), Claim(0))], pool=1))


def test_fallback_recomputes_the_proof_numbers():
    """Focused search computes a node's numbers from few moves; its fallback must not use them."""
    game = make("go-3;komi=1")
    job = Job(
        game,
        game.init(),
        claims=Claim(0),
        options=RunOptions(settings=Settings("fdfpn", Limits(nodes=1500), wave=4)),
    )
    pool = Pool(job.evaluator, 2)
    pool.submit(job)
    while pool.poll() and job.search.expanded < 600:
        pass
    search = job.search
    search.fall_back(METHODS["dfpn"])
    used = search.tree.nodes[: search.tree.counters[NODES]]
    open_nodes = used["marks"] & (SOLVED_FLAG | DROPPED_FLAG) == 0
    assert open_nodes.sum() > 20 and (used["marks"][open_nodes] & STALE_FLAG).all()
    pool.drain()
    job.close()


@pytest.mark.full
def test_lines_cut_at_the_maximal_depth_are_reported():
    """A position left open because lines are cut does not report that nothing is left to try."""
    chains = Chains()
    root = np.array([chains.LONG_LINE, 1], np.uint32)
    for max_nodes, verdict in ((256, Verdict.UNKNOWN), (1024, Verdict.PROVED)):
        search = Search(
            Allocator(chains, chains, root, (Claim(0),), 1 << 26, max_nodes),
            METHODS["dfpn"],
            sink=lambda *_: None,
            width=1,
            flights=1,
        )
        while search.verdict is None:
            states, actions, count = search.advance(0)
            if count:
                search.absorb(0, chains(states, actions))
        assert (search.verdict, search.cut) == (verdict, verdict is Verdict.UNKNOWN)
