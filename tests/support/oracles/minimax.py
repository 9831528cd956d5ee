"""Exhaustive oracles for searches: slow, complete, independent of the package's host code.

``DepthFirst`` plays the checker's rules in games without repetition. ``Graph`` expands every
reachable position with the kernels and solves claims by retrograde analysis, which also finds the
positions that endless repetition leaves undecided. ``Bounded`` plays the checker's rules to a
limited depth and size, for late positions of games that may repeat.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.game import Game, Outcome, State
from jaxsolve.games.random_play import random_legal_action
from jaxsolve.proof.check import registry as checkers
from jaxsolve.proof.check import rules
from jaxsolve.search import Claim, Verdict

BATCH = 128  # most graphs are small, and a batch is filled up with copies
FOR_EVER = 1 << 30  # plies


class TooLarge(RuntimeError):
    """The game tree is larger than the limit."""


def _meets(verdict: rules.Verdict, claim: Claim) -> bool:
    """Whether a finished game satisfies the claim, by the checker's verdict."""
    return verdict.winner == claim.player or (
        verdict.winner is None and claim.result == "does-not-lose"
    )


class DepthFirst:
    """Minimax with a table over the checker's rules, for games without repetition.

    Superko, Hex, Gomoku.
    """

    def __init__(self, game: Game, limit: int = 200_000):
        self.rules = checkers.find(game.name).rules(game.rule_set)
        self.limit = limit
        self._known: dict[tuple[str, Claim], bool] = {}
        self._left = 0

    def holds(self, text: str, claim: Claim) -> bool:
        """Whether the claimant can force the claim.

        Raises TooLarge after ``limit`` new positions, or if play is too deep.
        """
        self._left = self.limit
        try:
            return self._holds(text, claim)
        except RecursionError:
            raise TooLarge from None

    def _holds(self, text: str, claim: Claim) -> bool:
        found = self._known.get((text, claim))
        if found is not None:
            return found
        self._left -= 1
        if self._left < 0:
            raise TooLarge
        position = self.rules.position(text)
        verdict = self.rules.verdict(position)
        if verdict is not None:
            answer = _meets(verdict, claim)
        else:
            claims = self.rules.side(position) == claim.player
            children = self.rules.replies(position).values()
            found = any(self._known.get((child, claim)) is claims for child in children)
            answers = (self._holds(child, claim) for child in children)
            answer = claims if found else any(answers) if claims else all(answers)
        self._known[text, claim] = answer
        return answer


class Bounded:
    """Results that either side can force within some plies, by the checker's rules.

    For positions near the end of games that may repeat positions.
    """

    def __init__(self, game: Game, limit: int = 3000):
        self.rules = checkers.find(game.name).rules(game.rule_set)
        self.limit = limit
        self._least: dict[
            tuple[str, Claim], int
        ] = {}  # plies within which the claim is known to be forced
        self._not: dict[tuple[str, Claim], int] = {}  # plies within which it is known not to be
        self._left = 0

    def answer(self, text: str, claim: Claim, plies: int) -> tuple[Verdict, int] | None:
        """(PROVED or DISPROVED, least number of plies that force it), or None. Raises TooLarge."""
        self._left = self.limit
        for depth in range(plies + 1):
            for asked, verdict in ((claim, Verdict.PROVED), (claim.opposite(), Verdict.DISPROVED)):
                if self._forced(text, asked, depth):
                    return verdict, depth
        return None

    def _forced(self, text: str, claim: Claim, depth: int) -> bool:
        key = (text, claim)
        if self._least.get(key, depth + 1) <= depth:
            return True
        if self._not.get(key, -1) >= depth:
            return False
        self._left -= 1
        if self._left < 0:
            raise TooLarge
        position = self.rules.position(text)
        verdict = self.rules.verdict(position)
        if verdict is not None:
            answer = _meets(verdict, claim)
            depth = 0 if answer else FOR_EVER
        elif depth == 0:
            answer = False
        else:
            children = (
                self._forced(child, claim, depth - 1)
                for child in self.rules.replies(position).values()
            )
            answer = any(children) if self.rules.side(position) == claim.player else all(children)
        (self._least if answer else self._not)[key] = depth
        return answer


def late_positions(game: Game, plies: int, seed: int, games: int = 64) -> Iterator[State]:
    """Endless positions 1 to ``plies`` plies before the end of random games."""
    step = jax.jit(
        jax.vmap(
            lambda state, key: game.step(state, random_legal_action(key, game.legal_mask(state)))
        )
    )
    outcome = jax.jit(jax.vmap(game.outcome))
    for batch in itertools.count():
        key = jax.random.key(seed + batch)
        states = jax.tree.map(lambda x: np.repeat(np.asarray(x)[None], games, axis=0), game.init())
        before: list[list[State]] = [[] for _ in range(games)]
        going = np.ones(games, bool)
        for ply in itertools.count():
            key, drawn = jax.random.split(key)
            for number in np.flatnonzero(going):
                before[number] = [
                    *before[number][1 - plies :],
                    jax.tree.map(lambda x, number=number: x[number], states),
                ]
            states = jax.tree.map(np.asarray, step(states, jax.random.split(drawn, games)))
            going &= np.asarray(outcome(states)) == Outcome.ONGOING
            if not going.any() or ply == 2000:
                break
        for number, states_of_one in enumerate(before):
            if not going[number]:
                yield states_of_one[-1 - number % min(plies, len(states_of_one))]


def expected(holds: bool) -> Verdict:
    """The only right verdict if one of a claim and its opposite is certain."""
    return Verdict.PROVED if holds else Verdict.DISPROVED


class Graph:
    """Every position reachable from the given ones.

    Attributes:
      states: uint32[P, S] packed positions, the roots first in their order.
      outcomes, movers: int32[P].
      parents, children: int64[E], the moves as pairs of positions.
    """

    def __init__(self, game: Game, roots: Sequence[np.ndarray], limit: int = 300_000):
        self.game = game
        self._forced: dict[Claim, np.ndarray] = {}
        self._index: dict[bytes, int] = {}
        self._rows: list[np.ndarray] = []
        outcomes, movers, parents, children = [], [], [], []
        for root in roots:
            self._enter(np.asarray(root))
        done = 0
        while done < len(self._rows):
            if len(self._rows) > limit:
                raise TooLarge
            batch = np.stack(self._rows[done : done + BATCH])
            padded = np.concatenate(
                [batch, np.broadcast_to(batch[:1], (BATCH - len(batch), batch.shape[1]))]
            )
            outcome, mover, legal, after = (
                np.asarray(x)[: len(batch)] for x in _expander(game.kernel)(padded)
            )
            outcomes.append(outcome)
            movers.append(mover)
            for at, action in np.argwhere(legal & (outcome == Outcome.ONGOING)[:, None]):
                parents.append(done + int(at))
                children.append(self._enter(after[at, action]))
            done += len(batch)
        self.states = np.stack(self._rows)
        self.outcomes, self.movers = np.concatenate(outcomes), np.concatenate(movers)
        self.parents, self.children = np.array(parents, np.int64), np.array(children, np.int64)

    def _enter(self, row: np.ndarray) -> int:
        number = self._index.setdefault(row.tobytes(), len(self._rows))
        if number == len(self._rows):
            self._rows.append(row)
        return number

    def __len__(self) -> int:
        return len(self.states)

    def find(self, state: State) -> int:
        """Index of a position."""
        return self._index[np.asarray(self.game.pack(state)).tobytes()]

    def state(self, number: int) -> State:
        """A position of the graph."""
        return self.game.unpack(self.states[number])

    def ongoing(self) -> list[int]:
        """Indices of the unfinished positions."""
        return np.flatnonzero(self.outcomes == Outcome.ONGOING).tolist()

    def forced(self, claim: Claim) -> np.ndarray:
        """bool[P]: where the claimant forces the claim in bounded time (least fixed point)."""
        # Cached here: functools.cache would keep every graph of a session.
        if claim not in self._forced:
            self._forced[claim] = self._fixed_point(claim)
        return self._forced[claim]

    def _fixed_point(self, claim: Claim) -> np.ndarray:
        over = self.outcomes != Outcome.ONGOING
        holds = over & np.array(
            [
                outcome != Outcome.UNKNOWN and claim.holds(int(outcome))
                for outcome in self.outcomes.tolist()
            ]
        )
        replies = np.bincount(self.parents, minlength=len(self))
        while True:
            good = np.bincount(self.parents, holds[self.children], len(self))
            grown = holds | (
                ~over
                & np.where(self.movers == claim.player, good > 0, (good == replies) & (replies > 0))
            )
            if (grown == holds).all():
                return holds
            holds = grown

    def answer(self, number: int, claim: Claim) -> Verdict:
        """The right verdict.

        UNKNOWN only if neither side can force its claim without endless repetition.
        """
        if self.forced(claim)[number]:
            return Verdict.PROVED
        return Verdict.DISPROVED if self.forced(claim.opposite())[number] else Verdict.UNKNOWN


@functools.cache
def _expander(game: Game):
    """Compiled uint32[BATCH, S] -> outcome, mover, legal[BATCH, A], children uint32[BATCH, A, S].

    Takes a kernel: compiled for thousands of rule sets, it would exhaust the memory mappings of a
    process.
    """

    def look(words):
        state = game.unpack(words)
        after = jax.vmap(lambda action: game.pack(game.step(state, action)))(
            jnp.arange(game.num_actions, dtype=jnp.int32)
        )
        return game.outcome(state), game.to_move(state), game.legal_mask(state), after

    return jax.jit(jax.vmap(look))


def random_positions(
    game: Game, plies: range, seed: int, start: str | None = None
) -> Iterator[str]:
    """Endless texts of unfinished positions after ``plies`` random moves by the checker's rules.

    Positions may recur.
    """
    rules, rng = (
        checkers.find(game.name).rules(game.rule_set),
        random.Random(f"{game.rule_set} {seed}"),
    )
    first = start or game.text(game.init())
    while True:
        text = first
        for _ in range(rng.choice(plies)):
            position = rules.position(text)
            if rules.verdict(position) is not None:
                break
            text = rng.choice(sorted(rules.replies(position).values()))
        if rules.verdict(rules.position(text)) is None:
            yield text
