"""What is refused before a search begins, in one sentence, and how what was asked comes back."""

from __future__ import annotations

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
from jaxsolve.search.run.allocator import Allocator
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool
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
        {"wave": "8"},
    ],
)
def test_invalid_settings_are_refused_by_name(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}="):
        solve(HEX, HEX.init(), **wrong)


def test_invalid_limits_are_refused():
    with pytest.raises(TypeError, match="Limits"):
        Settings(limits=5)
    for wrong in ({"cpu_seconds": -1}, {"nodes": float("nan")}, {"wall_seconds": "60"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Limits(**wrong)


def test_a_position_of_another_game_is_refused():
    """Boards of two sizes may be arrays of one shape; such a position would be another question."""
    five = make("hex-5").parse("...../...../...../...../X...O b")
    with pytest.raises(ValueError, match="none of hex-4"):
        solve(HEX, five)


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
            states, actions, count = search.select(0)
            if count:
                search.absorb(0, chains(states, actions))
        assert (search.verdict, search.cut) == (verdict, verdict is Verdict.UNKNOWN)
