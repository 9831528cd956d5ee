"""Pools: jobs run concurrently and from any thread, over one evaluator with its network."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.evaluate import Evaluator, HeadOutputs, Heads, shared_evaluator
from jaxsolve.games.go.colour_planes import ColourPlanes
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
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool, run_jobs
from support import search as search_tools
from support.oracles import minimax
from support.plain_hex import make
from support.search import LONG, NAMES, in_turn

HEX = "hex-4"


@functools.cache
def questions(count: int) -> list[tuple[str, Claim, Verdict]]:
    """(position, claim, right answer)."""
    game = make(HEX)
    oracle, texts = minimax.DepthFirst(game), minimax.random_positions(game, range(3, 9), 17)
    asked = [(text, Claim(i % 2)) for i, text in enumerate(itertools.islice(texts, count))]
    return [(text, claim, minimax.expected(oracle.holds(text, claim))) for text, claim in asked]


def until_idle(pool: Pool) -> None:
    while pool.poll():
        pass


class Crowd:
    """A pool with threads that poll it, submit and withdraw jobs, and pass on records."""

    def __init__(self, flights: int, folder: Path):
        self.game, self.flights, self.folder = make(HEX), flights, folder
        self.asked = questions(60 if LONG else 8)
        self.pool = Pool(shared_evaluator(self.game), flights)
        self.jobs: dict[
            Job, int | None
        ] = {}  # the number of its question; None of those that are to be withdrawn
        self.stop, self.errors, self.guard = threading.Event(), [], threading.Lock()

    def new_job(self, number: int | None) -> Job:
        text, claim, _ = (
            self.asked[number]
            if number is not None
            else (self.game.text(self.game.init()), Claim(1), None)
        )
        method, wave = ("dfpn", "pns", "fdfpn")[(number or 0) % 3], (5, 8, 20)[(number or 0) % 3]
        setting = Settings(method, wave=wave, flights=self.flights, seed=number or 0)
        out = None if number is None else self.folder / str(number)
        return Job(
            self.game,
            self.game.parse(text),
            claims=claim,
            options=RunOptions(settings=setting, out=out),
        )

    def thread(self, task: Callable[[], None]) -> threading.Thread:
        def work() -> None:
            try:
                task()
            except BaseException as error:  # told to the main thread
                self.errors.append(error)

        return threading.Thread(target=work)

    def poll(self) -> None:
        while not self.stop.is_set():
            self.pool.poll()

    def submit(self, numbers: range) -> None:
        rng = random.Random(str(numbers))
        for number in numbers:
            job, doomed = self.new_job(number), self.new_job(None)
            with self.guard:
                self.jobs[job], self.jobs[doomed] = number, None
            self.pool.submit(job)
            self.pool.submit(doomed)
            time.sleep(rng.random() / 50)
            for other, which in list(self.jobs.items()):
                if which == number:
                    self.pool.adopt(job, self.asked[number][1], *records_of(number))
                elif which is None and rng.random() < 0.5:
                    self.pool.withdraw(other)
        with self.guard:
            for other, which in self.jobs.items():
                if which is None:
                    self.pool.withdraw(other)

    def run(self) -> list[Job]:
        """The jobs as they were handed out, once all threads are done."""
        submitters = [
            self.thread(functools.partial(self.submit, range(i, len(self.asked), 2)))
            for i in range(2)
        ]
        threads = [self.thread(self.poll) for _ in range(3)] + submitters
        for thread in threads:
            thread.start()
        ended: list[Job] = []
        while not self.errors and (
            any(thread.is_alive() for thread in submitters) or self.pool.running
        ):
            ended += self.pool.collect()
            time.sleep(0.01)
        self.stop.set()
        for thread in threads:
            thread.join()
        return ended + self.pool.collect()


@pytest.mark.parametrize("flights", [1, 2, 5])
def test_threads_may_submit_withdraw_and_adopt_while_jobs_run(flights, tmp_path):
    """Nobody's answer or proof suffers."""
    crowd = Crowd(flights, tmp_path)
    for number in range(len(crowd.asked)):
        records_of(number)
    ended = crowd.run()
    assert not crowd.errors
    assert len(ended) == len(set(ended)) == len(crowd.jobs) == 2 * len(crowd.asked) and set(
        ended
    ) == set(crowd.jobs)
    for job, number in crowd.jobs.items():
        (result,) = job.finish()
        job.close()
        if number is not None:
            text, claim, right = crowd.asked[number]
            assert result.verdict is right, text
            search_tools.accepted(crowd.game, crowd.game.parse(text), claim, result)
        else:
            assert result.verdict is Verdict.UNKNOWN or not result.interrupted


@functools.cache
def records_of(number: int):
    """Half of what a search by another method decides of a question."""
    game = make(HEX)
    text, claim, _ = questions(60 if LONG else 8)[number]
    job = Job(
        game, game.parse(text), claims=claim, options=RunOptions(settings=Settings("mcts", seed=3))
    )
    run_jobs([job])
    parts = list(job.records[0].log.chunks())
    job.close()
    if not parts:
        return (
            np.zeros((0, game.state_words), np.uint32),
            np.zeros(0, np.int32),
            np.zeros((0, job.evaluator.layout.mask), np.uint32),
        )
    whole = [np.concatenate(part) for part in zip(*parts, strict=True)]
    return tuple(part[: len(part) // 2] for part in whole)


@pytest.mark.short(3)
@pytest.mark.parametrize(("method", "flights"), in_turn(NAMES, [1, 2, 5]))
def test_the_number_of_flights_changes_no_answer(method, flights, tmp_path):
    game = make(HEX)
    for number, (text, claim, right) in enumerate(questions(12)[:3]):
        setting = Settings(method, flights=flights, wave=(1, 7, 64)[number], seed=number)
        result = solve(
            game, game.parse(text), claim=claim, settings=setting, out=tmp_path / str(number)
        )
        assert result.verdict is right
        search_tools.accepted(game, game.parse(text), claim, result)


def test_a_pool_refuses_jobs_that_do_not_fit():
    game = make("hex-3")
    job = Job(game, game.init(), options=RunOptions(settings=Settings(flights=1)))
    pool = Pool(job.evaluator, 2)
    with pytest.raises(ValueError, match="1 waves at a time, not for 2"):
        pool.submit(job)
    with pytest.raises(ValueError, match="another evaluator"):
        Pool(Evaluator(game), 1).submit(job)
    pool = Pool(job.evaluator, 1)
    pool.submit(job)
    with pytest.raises(ValueError, match="running already"):
        pool.submit(job)
    until_idle(pool)
    assert pool.collect() == [job] and pool.collect() == []
    pool.submit(job)  # one that has ended is handed out again
    assert pool.poll() is False and pool.collect() == [job]
    assert job.finish()[0].verdict is Verdict.PROVED
    with pytest.raises(RuntimeError, match="has ended"):
        _ = job.search
    job.close()


# ---- networks ------------------------------------------------------------------------------------
def leaning(params, planes, legal):
    """Prefers low-numbered moves, and is sure of nothing."""
    weights = jnp.where(legal, jnp.exp(-params["slope"] * jnp.arange(legal.shape[1])), 0.0)
    return HeadOutputs(
        weights / jnp.maximum(weights.sum(1, keepdims=True), 1e-9),
        jnp.zeros(len(legal)),
        jnp.zeros((len(legal), 2)),
    )


HEADS = Heads(leaning, {"slope": jnp.float32(0.1)})
GUIDED = {"mcts": dataclasses.replace(METHODS["mcts"], selection="puct"), "fdfpn": METHODS["fdfpn"]}


def open_questions(count: int) -> list[tuple[str, Claim, Verdict]]:
    """Those that take a search, the start position's first."""
    start = make(HEX).text(make(HEX).init())
    fresh = [
        one
        for one in questions(12)
        if solve(make(HEX), make(HEX).parse(one[0]), claim=one[1], wave=1).nodes > 4
    ]
    return [(start, Claim(0), Verdict.PROVED), (start, Claim(1), Verdict.DISPROVED), *fresh][:count]


class Asked:
    """What an evaluator's network is asked about."""

    def __init__(self, evaluator: Evaluator):
        self.rows: list[np.ndarray] = []
        self.histories: list = []
        estimate = evaluator.estimate

        def listening(rows, which, history=None):
            self.rows += list(np.array(rows[which]))
            self.histories += (
                [None] * len(which)
                if history is None
                else list(zip(*(np.array(part) for part in history), strict=True))
            )
            return estimate(rows, which, history)

        evaluator.estimate = listening


@pytest.mark.short(2)
@pytest.mark.parametrize("method", GUIDED)
@pytest.mark.parametrize(("wave", "flights"), [(1, 1), (16, 2)])
def test_a_network_evaluates_new_undecided_positions_only(method, wave, flights, tmp_path):
    game, evaluator = make(HEX), Evaluator(make(HEX), heads=HEADS)
    asked = Asked(evaluator)
    for number, (text, claim, right) in enumerate(open_questions(3)):
        asked.rows.clear()
        settings = Settings(GUIDED[method], wave=wave, flights=flights)
        result = solve(
            game,
            game.parse(text),
            claim=claim,
            settings=settings,
            evaluator=evaluator,
            out=tmp_path / str(number),
        )
        assert result.verdict is right, text
        search_tools.accepted(game, game.parse(text), claim, result)
        at = evaluator.layout
        assert not any(
            row[at.info] & 7 or row[at.info] >> 4 & 3 for row in asked.rows[1:]
        )  # over, or won as foreseen
        assert len(asked.rows) < result.evaluations
        if wave == 1:
            states = [row[: at.state].tobytes() for row in asked.rows]
            assert len(states) == len(set(states)) == result.nodes


@pytest.mark.parametrize("method", GUIDED)
def test_pools_and_values_use_a_network(method):
    """New weights, several jobs, several claims: one evaluator each, and the right answers."""
    game = make("gomoku-3;line=3;win=five-or-more;knowledge=ndk")
    assert solve_value(game, game.init(), method=GUIDED[method], heads=HEADS).text == "draw"
    hexes = [
        Problem(str(i), make(HEX), make(HEX).parse(text), claim)
        for i, (text, claim, _) in enumerate(questions(12)[:3])
    ]
    for pool in (1, 2):
        for problem, result in solve_pool(hexes, pool=pool, method=GUIDED[method], heads=HEADS):
            assert result.verdict is questions(12)[int(problem.id)][2]
    evaluator = Evaluator(make(HEX), heads=HEADS)
    verdicts = {
        problem.id: result.verdict
        for problem, result in solve_pool(hexes, pool=2, method=GUIDED[method], evaluator=evaluator)
    }
    assert verdicts == {problem.id: questions(12)[int(problem.id)][2] for problem in hexes}
    with pytest.raises(ValueError, match="evaluator"):
        next(solve_pool([Problem("g", game, game.init(), Claim(0))], pool=1, evaluator=evaluator))
    with pytest.raises(ValueError, match="evaluator"):
        solve(game, game.init(), evaluator=evaluator)


@pytest.mark.parametrize("method", GUIDED)
def test_a_network_receives_the_boards_of_the_path(method):
    """Replayed move by move by the rules from the root to each position."""
    game = make("go-3;ko=positional;komi=0.5")

    def looking(params, planes, legal):
        return leaning(params, planes, legal)

    evaluator = Evaluator(game, heads=Heads(looking, HEADS.params, ColourPlanes(4)))
    asked = Asked(evaluator)
    settings = Settings(GUIDED[method], Limits(nodes=150), wave=8)
    solve(game, game.init(), settings=settings, evaluator=evaluator)
    root, full, short = np.asarray(game.pack(game.init())).tobytes(), 0, 0
    assert len(asked.rows) > 100
    for row, history in zip(asked.rows[1:], asked.histories[1:], strict=True):
        states, count = history
        game_back = [row[: evaluator.layout.state], *states[:count]]
        assert 1 <= count <= 3 and not states[count:].any()
        for child, parent in itertools.pairwise(game_back):
            assert np.asarray(child).tobytes() in children(game, np.asarray(parent).tobytes())
        assert count == 3 or np.asarray(game_back[-1]).tobytes() == root
        full, short = full + (count == 3), short + (count < 3)
    assert full and short


@functools.cache
def expander(game):
    def children_of(words):
        state = game.unpack(words)
        after = jax.vmap(lambda action: game.pack(game.step(state, action)))(
            jnp.arange(game.num_actions, dtype=jnp.int32)
        )
        return game.legal_mask(state), after

    return jax.jit(children_of)


@functools.cache
def children(game, words: bytes) -> set[bytes]:
    legal, after = (np.asarray(part) for part in expander(game)(np.frombuffer(words, np.uint32)))
    return {row.tobytes() for row in after[legal]}
