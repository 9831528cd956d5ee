"""Helpers for tests of searches: settings in turn, and a run whose certificate is checked."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from jaxsolve.games.game import Game, State
from jaxsolve.proof.check import check
from jaxsolve.search import METHODS, Claim, Limits, Result, Settings, Verdict
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.tree.tree import EVICTED

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
NAMES = tuple(METHODS)


def in_turn(*values: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Values for ``parametrize``: all combinations in the long run, else each value once."""
    lists = [list(some) for some in values]
    if LONG:
        return list(itertools.product(*lists))
    return list(
        itertools.islice(
            zip(*(itertools.cycle(some) for some in lists), strict=True),
            max(len(some) for some in lists),
        )
    )


class Setting(NamedTuple):
    """Settings of a search."""

    method: str
    wave: int | None
    max_nodes: int | None
    seed: int


def settings(
    nodes: tuple[int | None, ...] = (None, 256), waves: tuple[int | None, ...] = (1, None, 4)
) -> Iterator[Setting]:
    """All combinations of method, wave width and table size, with another seed in each round.

    Without a given wave, a search runs on the host where the game allows it.
    """
    for seed in itertools.count():
        for max_nodes, wave, method in itertools.product(nodes, waves, NAMES):
            yield Setting(method, wave, max_nodes, seed)


class Run(NamedTuple):
    """A finished search."""

    result: Result
    evicted: int

    @property
    def verdict(self) -> Verdict:
        return self.result.verdict


def run(
    game: Game,
    state: State,
    claim: Claim,
    setting: Setting,
    folder: Path,
    limit: int = 50_000,
    **options: Any,
) -> Run:
    """Searches in a new folder below ``folder`` and checks the certificate of every answer."""
    out = folder / f"{sum(1 for _ in folder.iterdir())}"
    method, wave, max_nodes, seed = setting
    job = Job(
        game,
        state,
        claims=claim,
        options=RunOptions(
            settings=Settings(
                method, Limits(nodes=limit), seed=seed, wave=wave, max_nodes=max_nodes
            ),
            out=out,
            **options,
        ),
    )
    run_jobs([job])
    evicted = (
        0
        if job.done and job.stop and job.stop.by == "memory_mb"
        else int(job.search.tree.counters[EVICTED])
    )
    (result,) = job.finish()
    if result.verdict is not Verdict.UNKNOWN:
        accepted(game, state, claim, result)
    return Run(result, evicted)


def accepted(game: Game, state: State, claim: Claim, result: Result) -> None:
    """Asserts that the answer has an accepted certificate of exactly its question."""
    assert result.certificate is not None, result.reason
    report = check(result.certificate)
    assert report.accepted, report.sentence
    proven = claim if result.verdict is Verdict.PROVED else claim.opposite(game.may_draw)
    assert (report.rules, report.root, report.claim) == (
        game.rule_set,
        game.text(state),
        proven.text(game.players),
    )


def claims(game: Game) -> list[Claim]:
    """Every claim about a game, including opposites."""
    return [
        Claim(player, result)
        for player in (0, 1)
        for result in (("wins", "does-not-lose") if game.may_draw else ("wins",))
    ]
