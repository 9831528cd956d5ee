"""Leaves of the manager's tree: their selection and evaluation, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import jax
import numpy as np

from jaxsolve.evaluate import BATCH_SIZES, Evaluator, History, Offsets
from jaxsolve.games.game import Game
from jaxsolve.games.row_words import INFO_MOVER
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.lines import inform
from jaxsolve.search.run.network_input import fresh_leaves, leaf_history
from jaxsolve.search.tree.tree import ACTION, NONE

MOST_AT_ONCE = 256  # leaves that are selected before the first of them is sent


@dataclass(eq=False)
class RunningJob:
    """A job of the manager, and its flights without a leaf. A flight has one path."""

    job: Job
    free: list[int]
    busy: int = 0  # flights with a leaf
    root: str = ""  # the root as text; "" if the text does not give the same position
    root_worker: str = ""  # the worker that has searched the root last; "": none
    root_may_help: bool = False  # whether to search the root once more

    def inform(self, numbers: Sequence[tuple[int, int, int]]) -> None:
        """Gives the root the numbers that a search of it has found for its moves."""
        if numbers and not self.job.done:
            inform(self.job.search, None, np.array(numbers, np.int64))


class Leaf(NamedTuple):
    """A leaf, and the flight that waits for it."""

    owner: RunningJob
    flight: int
    row: np.ndarray  # uint32[1, width], of the evaluator

    def absorb(self, numbers: Sequence[tuple[int, int, int]] = ()) -> None:
        """Backs the leaf up, and frees its flight. ``numbers`` are those of ``lines.inform``."""
        search = self.owner.job.search
        search.absorb(self.flight, self.row)
        if numbers and search.verdict is None:
            inform(search, self.flight, np.array(numbers, np.int64))
        self.owner.free.append(self.flight)
        self.owner.busy -= 1

    def line(self) -> tuple[tuple[int, ...], np.ndarray]:
        """Returns the k moves from the root to the leaf, and the positions uint32[k, S] before."""
        search, path = self.owner.job.search, self.flight
        paths, tree = search.work.paths, search.tree
        nodes = paths.nodes[path, : paths.depth[path] + 1]
        edges = tree.nodes[nodes]["edges"] + paths.edges[path, : len(nodes)]
        actions = tree.edges[edges]["action"] & ACTION
        return tuple(actions.tolist()), tree.states[nodes].copy()

    def is_new(self) -> bool:
        """Whether the leaf is undecided and not in the tree."""
        return len(fresh_leaves(self.owner.job.search, self.row)) > 0


@dataclass(frozen=True)
class JobRule:
    """Which leaves become jobs. The manager expands the others itself.

    Args:
      opponent_only: only leaves with the opponent of the or-player to move ("and-player jobs").
      most_cost: largest cost (log10) that a network predicts for a job; None, or a network that
        predicts no costs: any.
    """

    opponent_only: bool = False
    most_cost: float | None = None

    def allows(self, leaf: Leaf, offsets: Offsets) -> bool:
        """Whether a leaf becomes a job. ``offsets`` are those of the evaluator's layout."""
        player, row = leaf.owner.job.current.searched.player, leaf.row[0]
        mover = int(row[offsets.info]) >> INFO_MOVER & 1
        if self.opponent_only and mover == player:
            return False
        if self.most_cost is None:
            return True
        return float(row.view(np.float32)[offsets.costs + player]) <= self.most_cost

    def refuse_unfit(self, offsets: Offsets) -> None:
        """Raises ValueError if the rule needs costs, and the evaluator's rows have none."""
        if self.most_cost is not None and offsets.costs == NONE:
            raise ValueError(
                f"most_cost={self.most_cost}: the network predicts no costs; give one with a cost"
                " head, such as killallgo7-pcn"
            )


def select(jobs: Sequence[RunningJob], most: int, evaluator: Evaluator) -> list[Leaf]:
    """Takes up to ``most`` flights to leaves and evaluates them. Jobs with few leaves come first.

    Returns fewer leaves, or none, if no job has another leaf now. All leaves must be absorbed.
    """
    taken: list[tuple[RunningJob, int]] = []
    states: list[np.ndarray] = []
    actions: list[np.ndarray] = []
    blocked: set[int] = set()
    while len(taken) < min(most, MOST_AT_ONCE, BATCH_SIZES[-1]):
        open_jobs = [
            each for each in jobs if each.free and not each.job.done and id(each) not in blocked
        ]
        if not open_jobs:
            break
        owner = min(open_jobs, key=lambda each: each.busy)
        flight = owner.free[-1]
        state, action, count = owner.job.advance(flight, 1)
        owner.job.check_limits()
        if not count:
            blocked.add(id(owner))
            continue
        owner.free.pop()
        owner.busy += 1
        taken.append((owner, flight))
        states.append(state.copy())
        actions.append(action.copy())
    if not taken:
        return []
    pending = evaluator.submit(
        np.concatenate(states), np.concatenate(actions), taken[0][0].job.search.seed
    )
    rows = evaluator.collect(pending, len(taken))
    found = [
        Leaf(owner, flight, rows[number : number + 1])
        for number, (owner, flight) in enumerate(taken)
    ]
    return found if evaluator.heads is None else _estimated(found, evaluator)


def _estimated(leaves: list[Leaf], evaluator: Evaluator) -> list[Leaf]:
    """Adds the output of the network to the rows of new leaves."""
    heads = evaluator.heads
    assert heads is not None
    rows = np.concatenate([leaf.row for leaf in leaves])
    new = np.array([number for number, leaf in enumerate(leaves) if leaf.is_new()], np.int64)
    history = None
    if heads.boards > 1 and len(new):
        parts = [
            leaf_history(
                leaves[number].owner.job.search,
                leaves[number].flight,
                np.zeros(1, np.int64),
                heads.boards,
            )
            for number in new
        ]
        history = History(*(np.concatenate([part[i] for part in parts]) for i in range(2)))
    rows = evaluator.fill(rows, evaluator.estimate(rows, new, history))
    return [leaf._replace(row=rows[number : number + 1]) for number, leaf in enumerate(leaves)]


class PositionTexts:
    """Texts of packed positions, if parsing the text gives the same position.

    Under superko, for example, a text lacks the earlier boards. Parsing takes longer than all else
    that the manager does for a job. So after ``CHECKED`` positions without a failure only one of
    ``SAMPLE`` is parsed. A text of another position would cost the time of its job.
    """

    CHECKED, SAMPLE = 256, 64

    def __init__(self, game: Game):
        self._game = game
        self._right = 0  # checks since the last failure

    def text(self, words: np.ndarray) -> str | None:
        """Returns a packed position uint32[S] as text; None if the text gives another one."""
        game = self._game
        states = game.host_unpack(words[None])
        text = game.text(jax.tree.map(lambda each: np.asarray(each)[0], states))
        self._right += 1
        if self._right > self.CHECKED and self._right % self.SAMPLE:
            return text
        if self.gives(text, words):
            return text
        self._right = 0
        return None

    def gives(self, text: str, words: np.ndarray) -> bool:
        """Whether a text gives a packed position uint32[S]."""
        try:
            return np.array_equal(self._game.host_pack(self._game.parse(text)), words)
        except ValueError:
            return False
