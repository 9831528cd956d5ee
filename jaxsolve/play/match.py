"""Matches: players against each other, many games in lockstep, each opening from both sides (Wu et al. 2022, "Proof cost networks", Table 3)."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve import strict_json
from jaxsolve.games.env import Env, State
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.random_play import random_legal_action
from jaxsolve.play.playouts import filled_size
from jaxsolve.play.records import NOBODY, Record
from jaxsolve.runfolder import append_line, write_whole

OPENING, PLAY = range(2)  # what chance decides in a game
MOST_SPENT = 1 << 62
MOST_MOVES = 2, 1000  # a longer game is cut off: so many times the number of actions, and at least so many moves


class Player(Protocol):
    """Who plays: a name, and how it chooses moves."""

    @property
    def name(self) -> str: ...

    @property
    def pool(self) -> Hashable:
        """Players of equal pools think together: one of them is asked about all of their games."""
        ...

    def choose(self, seeds: np.ndarray, states: State, players: Sequence[Player]) -> tuple[np.ndarray, np.ndarray]:
        """int32[B] legal actions of B games, of which ``players[i]`` plays game i; and int64[B] how many simulations they took, 0 for none.

        ``seeds``: uint32[B], of chance in each game.
        """
        ...


@dataclass(frozen=True, eq=False)
class RandomPlayer:
    """One that draws its moves evenly."""

    name: str = "random"

    @property
    def pool(self) -> Hashable:
        return type(self)

    def choose(self, seeds: np.ndarray, states: State, players: Sequence[Player]) -> tuple[np.ndarray, np.ndarray]:
        del players
        count = len(seeds)
        drawn = _random_moves(np.resize(seeds, filled_size(count)), filled(states).legal_action_mask)
        return np.asarray(drawn)[:count], np.zeros(count, np.int64)


@jax.jit
def _random_moves(seeds: jax.Array, mask: jax.Array) -> jax.Array:
    return jax.vmap(lambda seed, legal: random_legal_action(jax.random.key(seed), legal))(seeds, mask).astype(jnp.int32)


@dataclass
class Spent:
    """What the thinking of a player in one pair has taken so far."""

    moves: int = 0
    simulations: int = 0
    seconds: float = 0.0  # CPU seconds of this process; of what several games share each has an even part, and so of what is compiled on the way


def match_env(game: Game) -> Env:
    """A game for matches: with an end, whatever its rules say."""
    return Env(game, max_steps=max(MOST_MOVES[0] * game.num_actions, MOST_MOVES[1]))


class Matches:
    """Matches between pairs of players, all games of all pairs going on at the same time, from the same openings.

    Every opening is played twice by each pair, with sides changed: game ``2 * count * pair + count * side + start`` of ``count`` starts. Chance in a
    game goes by ``seed``, side, start and move alone, so that a pair whose players do not notice others (``tree_search.search``) plays as it would
    alone.

    Args:
      env: with ``max_steps``, so that games end.
      pairs: (A, B) of each match.
      starts: a batch of the game's states.
      opening_moves: random moves that each start is followed by, one that would end the game left out.
      seed: of openings and players.
    """

    def __init__(self, env: Env, pairs: Sequence[tuple[Player, Player]], starts: Any, opening_moves: int, seed: int):
        self.env, self.pairs = env, [tuple(pair) for pair in pairs]
        self.spent = [(Spent(), Spent()) for _ in pairs]
        self.ply = 0
        self._seed = seed
        states, self._opening = self._opened(starts, opening_moves)
        self._count = len(states.terminated)
        games = 2 * self._count * len(self.pairs)
        self._states = jax.tree.map(lambda x: jnp.concatenate([x] * (2 * len(self.pairs))), states)
        self._pair, rest = np.divmod(np.arange(games), 2 * self._count)
        self._first = rest // self._count
        self._moves: list[list[int]] = [[] for _ in range(games)]
        self._over = self._seen_over()

    def _opened(self, starts: Any, opening_moves: int) -> tuple[State, list[np.ndarray]]:
        """The starts after their openings, and the moves of these, NOBODY where one was left out."""
        count = jax.tree.leaves(starts)[0].shape[0]
        states = _begun(self.env, starts, jax.random.split(jax.random.key(self._seed), count))
        opening = []
        for number in range(opening_moves):
            drawn = _random_moves(np.array([self._chance(OPENING, number, start) for start in range(count)], np.uint32), states.legal_action_mask)
            after = _after(self.env, states, drawn)
            ends = after.terminated | after.truncated
            states = jax.tree.map(lambda old, new, ends=ends: jnp.where(ends.reshape(-1, *[1] * (old.ndim - 1)), old, new), states, after)
            opening.append(np.where(np.asarray(ends), NOBODY, np.asarray(drawn)))
        return states, opening

    @property
    def left(self) -> int:
        """Games that still go on."""
        return int((~self._over).sum())

    def standing(self, pair: int) -> tuple[float, int]:
        """A's points in a pair's games that are over, a draw half a point, and how many these are."""
        games = np.flatnonzero(self._over & (self._pair == pair))
        won = _winners(self.env.game, self._states)[games]
        return float(np.where(won == NOBODY, 0.5, won == self._first[games]).sum()), len(games)

    def play_on(self, chosen: np.ndarray | None = None) -> np.ndarray:
        """Plays one move in every game that goes on: int32[games] the actions, NOBODY where a game is over.

        ``chosen``: the actions, where they are known already. Raises ValueError for those that do not fit the games.
        """
        if chosen is None:
            chosen = self._choose()
        elif chosen.shape != self._over.shape or ((chosen == NOBODY) != self._over).any():
            raise ValueError(f"the moves of ply {self.ply + 1} are not those of the games that go on")
        if (chosen < NOBODY).any() or (chosen >= self.env.num_actions).any():
            raise ValueError(f"a move of ply {self.ply + 1} is no action of this game")
        legal = np.take_along_axis(np.asarray(self._states.legal_action_mask), np.maximum(chosen, 0)[:, None], axis=1)[:, 0]
        if not legal[~self._over].all():
            raise ValueError(f"a move of ply {self.ply + 1} is illegal in game {np.flatnonzero(~self._over & ~legal)[0] + 1}")
        for game in np.flatnonzero(~self._over):
            self._moves[game].append(int(chosen[game]))
        self._states = _after(self.env, self._states, jnp.asarray(np.maximum(chosen, 0)))
        self._over = self._seen_over()
        self.ply += 1
        return chosen

    def records(self) -> list[list[Record]]:
        """All games of each pair; those that still go on count as cut off."""
        won = _winners(self.env.game, self._states)
        cut = ~np.asarray(self._states.terminated)
        found: list[list[Record]] = [[] for _ in self.pairs]
        for game, pair in enumerate(self._pair):
            first = int(self._first[game])
            opening = [int(each[game % self._count]) for each in self._opening if each[game % self._count] != NOBODY]
            winner = NOBODY if cut[game] or won[game] == NOBODY else int(won[game]) ^ first
            found[pair].append(Record(first, opening, list(self._moves[game]), winner, bool(cut[game])))
        return found

    # ---- inside ------------------------------------------------------------------------------------------------------------
    def _choose(self) -> np.ndarray:
        turn = np.asarray(self._states.current_player ^ self._states._first_agent) ^ self._first  # 0: A is to move
        pools: dict[Hashable, list[int]] = {}
        for game in np.flatnonzero(~self._over).tolist():
            pools.setdefault(self._player(game, turn).pool, []).append(game)
        chosen = np.full(len(self._over), NOBODY, np.int32)
        for games in pools.values():
            players = [self._player(game, turn) for game in games]
            seeds = np.array([self._chance(PLAY, self.ply, game % (2 * self._count)) for game in games], np.uint32)
            start = time.process_time()
            moves, simulations = players[0].choose(seeds, _some(self._states, np.array(games)), players)
            share = (time.process_time() - start) / len(games)
            chosen[games] = moves
            for game, count in zip(games, simulations.tolist(), strict=True):
                spent = self.spent[self._pair[game]][turn[game]]
                spent.moves, spent.simulations, spent.seconds = spent.moves + 1, spent.simulations + count, spent.seconds + share
        return chosen

    def _chance(self, *of_what: int) -> int:
        return int(np.random.SeedSequence((self._seed, *of_what)).generate_state(1)[0])

    def _player(self, game: int, turn: np.ndarray) -> Player:
        return self.pairs[self._pair[game]][turn[game]]

    def _seen_over(self) -> np.ndarray:
        return np.asarray(self._states.terminated | self._states.truncated)


class Log:
    """The moves of matches as they are played, in a file: whose they are, and a line for each ply, with what the players have spent so far.

    A match that has not begun is brought to where the file ends; a last line that was not written to its end is left out. Raises ValueError with one
    sentence for a file that does not fit the matches, OSError.

    Args:
      path: of the file.
      matches: those that it keeps.
      question: JSON values that tell them from all others; the file's first line is their digest.
    """

    def __init__(self, path: Path, matches: Matches, question: Any):
        self._path, self._matches = path, matches
        kept = path.read_bytes() if path.exists() else b""
        whole = kept[: kept.rfind(b"\n") + 1]
        head = json.dumps({"of": hashlib.sha256(json.dumps(question).encode()).hexdigest()})
        first, *lines = whole.decode(errors="replace").split("\n")[:-1] or [head]
        if first.startswith('{"actions"'):
            raise ValueError(f"{path} was written by an earlier version, and does not say of which games its moves are; give another folder")
        if first.rstrip("\r") != head:
            raise ValueError(f"{path} holds the moves of other games; give another folder")
        for number, line in enumerate(lines, 2):
            try:
                said = strict_json.loads(line)
                spent = [(_spent(a), _spent(b)) for a, b in said["spent"]]
                if len(spent) != len(matches.pairs) or not all(type(action) is int for action in said["actions"]):
                    raise ValueError("it is not of these players, or no list of actions")
                matches.play_on(np.array(said["actions"], np.int32))
                matches.spent = spent
            except (ValueError, TypeError, KeyError, OverflowError) as error:
                raise ValueError(f"{path}, line {number}, is damaged ({error}); give another folder") from None
        if not whole:
            write_whole(path, head + "\n")
        elif whole != kept:
            write_whole(path, whole)

    def add(self, chosen: np.ndarray) -> None:
        """Writes down what ``Matches.play_on`` has just returned."""
        spent = [[dataclasses.asdict(each) for each in pair] for pair in self._matches.spent]
        append_line(self._path, json.dumps({"actions": chosen.tolist(), "spent": spent}))


def _spent(said: Any) -> Spent:
    """What a line says of a player. Raises ValueError, TypeError."""
    found = Spent(**said)
    counts = all(type(count) is int and 0 <= count <= MOST_SPENT for count in (found.moves, found.simulations))
    if not (counts and type(found.seconds) in (int, float) and 0 <= found.seconds <= MOST_SPENT and (found.moves or not found.simulations)):
        raise ValueError(f"no player spends {strict_json.shortened(json.dumps(said))}")
    return found


def _some(states: State, games: np.ndarray) -> State:
    """Those games; on the host, where every number of them is not another call to compile."""
    return jax.tree.map(lambda x: np.asarray(x)[games], states)


def filled(states: State) -> State:
    """Those games, filled up to a power of two, so that few sizes are compiled."""
    count = len(states.legal_action_mask)
    return _some(states, np.resize(np.arange(count), filled_size(count)))


def _winners(game: Game, states: State) -> np.ndarray:
    """int[B]: the first player 0, the second 1, NOBODY."""
    outcome = np.asarray(_outcomes(game, states._game))
    return np.where(outcome == Outcome.FIRST_WINS, 0, np.where(outcome == Outcome.SECOND_WINS, 1, NOBODY))


@functools.partial(jax.jit, static_argnums=0)
def _outcomes(game: Game, states: Any) -> jax.Array:
    return jax.vmap(game.outcome)(states)


@functools.partial(jax.jit, static_argnums=0)
def _begun(env: Env, starts: Any, keys: jax.Array) -> State:
    return jax.vmap(env.init_from)(starts, keys)


@functools.partial(jax.jit, static_argnums=0)
def _after(env: Env, states: State, actions: jax.Array) -> State:
    return jax.vmap(env.step)(states, actions)
