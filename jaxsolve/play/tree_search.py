"""UCT and PN-MCTS (Kowalski et al. 2024): searches one move for each of many positions at once."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import jax
import numpy as np

from jaxsolve.games.game import Game, Outcome
from jaxsolve.play import proof_numbers
from jaxsolve.play.forest import PLAYOUTS, Forest, bytes_of, new_forest, with_capacity
from jaxsolve.play.playouts import Playouts, filled_size
from jaxsolve.play.simulations import OUTCOME_BITS, Lanes, advance, choose_moves, new_lanes, plant

LAYERS = {
    "single": proof_numbers.ONE_LAYER,
    "double": proof_numbers.TWO_LAYERS,
    "players": proof_numbers.PLAYERS,
}
MAX_SIMULATIONS = (1 << 31) - 1
MAX_BYTES = 4 << 30  # largest size of the trees of one search
# Number of random moves in one call of the device: minimum, number in the first call, maximum.
LEAST_MOVES, FIRST_MOVES, MAX_MOVES = 4, 16, 64


@dataclass(frozen=True, kw_only=True)
class PlayoutSearch:
    """Settings of a Monte-Carlo tree search by UCT or by a variant of PN-MCTS.

    Every simulation plays one uniformly random game from a new position of the tree. The nodes on
    the path to the root average the results, 1, 0 or -1. ``final``, ``solver`` and ``ranks`` are
    the flags F, S and U of Kowalski et al. 2024 (the paper). Without these and ``numbers`` the
    search is plain UCT without proof numbers.

    Attributes:
      simulations: number of simulations for each move; None: only ``seconds`` limits the search.
      seconds: time limit for each move, as CPU time of this process, or as wall time if an
        accelerator plays the random games. The time starts after the first call of the device,
        which can include compilation. A search with a time limit runs alone. None: no limit.
      exploration: C of UCT.
      final: a proved win ends the search and is played, independently of its visits (F).
      solver: a solved move is not selected if it has more than ``threshold`` visits and its node
        is unsolved (S).
      ranks: once all moves of a node have been tried, the term ``c_pn`` (1 - rank / highest rank)
        is added to UCT's (U, C_pn).
      c_pn: weight of the ranks.
      by_children: ranks are divided by the number of moves, as in the paper's program, instead of
        by the highest rank.
      mobility: whether a new node's proof and disproof numbers depend on its number of legal moves.
        If False, both are 1 until a move of the node has been tried (Section III). In either case
        a move that has not been tried counts with 1 and 1. The paper's program differs: it
        evaluates all moves of a node at once, and so finds a win among them.
      numbers: proof numbers are maintained even if no flag uses them (the paper's variant without
        flags).
      layers: the ranking of moves. ``single`` uses the claim "the player to move at the root wins".
        ``double`` breaks ties by the claim "this player does not lose" (Section VIII; the paper's
        program leaves ties to UCT). ``players`` uses the win of the player who makes the move, and
        solves nodes by bounds on the result (Kowalski et al. 2025; Cazenave & Saffidine 2010).
      contempt: a proved draw is played if the mean result at the root is at most this number. This
        follows the paper's program; the paper's text says "below". None: draws are not preferred.
        Needs ``final`` and the layers ``double`` or ``players``.
      threshold: most visits of a solved move that can still be selected. Used only with
        ``solver``.
      wave: number of simultaneous simulations of one tree, separated by virtual losses; 1 is the
        search of the paper.
      most_moves: a longer random game counts as a draw.

    Raises ValueError for a setting out of range, for unknown ``layers``, if both ``simulations``
    and ``seconds`` are None, and for ``contempt`` where it has no effect.
    """

    simulations: int | None = 1000
    seconds: float | None = None
    exploration: float = math.sqrt(2)
    final: bool = False
    solver: bool = False
    ranks: bool = False
    c_pn: float = 1.0
    by_children: bool = False
    mobility: bool = True
    numbers: bool = False
    layers: str = "single"
    contempt: float | None = None
    threshold: int = 5
    wave: int = 1
    most_moves: int = 2000

    def __post_init__(self) -> None:
        if self.simulations is None and self.seconds is None:
            raise ValueError(
                "neither simulations nor seconds are given: nothing would end the search"
            )
        if self.simulations is not None and not 1 <= self.simulations < MAX_SIMULATIONS:
            raise ValueError(f"simulations={self.simulations}: give 1 to {MAX_SIMULATIONS - 1}")
        if self.seconds is not None and not 0.0 < self.seconds < math.inf:
            raise ValueError(f"seconds={self.seconds}: give a number above 0")
        for name, least in (("exploration", 0.0), ("c_pn", 0.0)):
            if not least <= getattr(self, name) <= 1e9:
                raise ValueError(f"{name}={getattr(self, name)}: give 0 to 1e9")
        for name, low, high in (
            ("threshold", 0, 1 << 30),
            ("wave", 1, 1 << 16),
            ("most_moves", 1, 1 << 20),
        ):
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name}={getattr(self, name)}: give {low} to {high}")
        if self.layers not in LAYERS:
            raise ValueError(f"layers={self.layers!r}: give one of {', '.join(LAYERS)}")
        if self.contempt is not None and not -1.0 <= self.contempt <= 1.0:
            raise ValueError(f"contempt={self.contempt}: give -1 to 1")
        if self.contempt is not None and not (self.layers != "single" and self.final):
            raise ValueError("contempt needs the flag F and layers 'double' or 'players'")

    @property
    def counted(self) -> bool:
        """Whether the search maintains proof numbers."""
        return self.final or self.solver or self.ranks or self.numbers

    def write(self, tree: np.ndarray) -> None:
        """Writes the settings to a ``TREE`` record of a forest (``play.forest``)."""
        tree["simulations"] = self.simulations or MAX_SIMULATIONS
        tree["exploration"], tree["c_pn"] = self.exploration, self.c_pn if self.ranks else 0.0
        tree["contempt"] = -math.inf if self.contempt is None else self.contempt
        tree["layers"], tree["threshold"] = LAYERS[self.layers], self.threshold
        for flag in ("by_children", "mobility", "counted", "solver", "final"):
            tree[flag] = getattr(self, flag)


def clock() -> float:
    """Returns the time in seconds that limits searches.

    It is CPU time of this process. If JAX uses an accelerator, it is wall time, because such a
    search takes little CPU time.
    """
    return time.process_time() if jax.default_backend() == "cpu" else time.perf_counter()


@dataclass(frozen=True)
class Searched:
    """Results of the searches of T positions."""

    actions: np.ndarray  # int32[T], one for each position
    simulations: np.ndarray  # int64[T] number of simulations of each search
    playouts: int  # simulations of all trees that played a game to its end
    forest: Forest  # the trees, for inspection


def search(
    settings: Sequence[PlayoutSearch], game: Game, words: np.ndarray, seeds: Sequence[int]
) -> Searched:
    """Searches a move for each of T positions. All searches share the lanes of the device.

    The result of a position depends only on the position, its settings and its seed. With several
    simultaneous simulations (``wave``) it also depends on the other positions, because these
    affect the order in which games end.

    A time limit allows one position only, because concurrent searches would compete for the clock.
    For example, a position near the end of its game would take most of the time, since its
    simulations end inside the tree.

    Args:
      settings: settings for each position; ``wave`` and ``most_moves`` must be equal in all.
      game: the rules.
      words: uint32[T, S], packed positions, none of them finished.
      seeds: random seed for each position.

    Raises ValueError for ``seconds`` with more than one position, for settings that do not fit
    together and for a finished position; MemoryError where the trees outgrow ``MAX_BYTES``.
    """
    _refuse_unfit(settings, words, seeds)
    one = settings[0]
    playouts, end = Playouts(game, one.most_moves), math.inf
    forest, lanes = _start(settings, game, playouts, words, seeds)
    size = filled_size(len(lanes.trees))
    of_lanes = (lanes.states, lanes.actions, lanes.seeds, lanes.fresh)
    states, actions, game_seeds, fresh = padded = [
        np.zeros((size, *array.shape[1:]), array.dtype) for array in of_lanes
    ]
    rows = np.zeros((size, forest.states.shape[1] + forest.legal.shape[1] + 1), np.uint32)
    rows.setflags(write=False)  # like rows from the device, so that ``advance`` compiles once
    device = playouts.idle(size)
    moves, played = FIRST_MOVES, 0
    while (at_work := advance(forest, lanes, rows)) and clock() < end:
        for array, each in zip(padded, of_lanes, strict=True):
            array[: len(each)] = each
        rows, device = playouts.play(device, states, actions, game_seeds, fresh, moves)
        if not played and one.seconds is not None:
            end = clock() + one.seconds  # without the compilation of the first call
        played += moves * at_work
        # A lane whose game is over idles until the end of the call. The number of moves is chosen
        # so that lanes idle for a sixteenth of a game on average.
        moves = min(
            max(played // (8 * (int(forest.counters[PLAYOUTS]) + at_work)), LEAST_MOVES), MAX_MOVES
        )
        forest = _with_capacity_for_a_call(forest, lanes, game)
    chosen = np.zeros(len(words), np.int32)
    choose_moves(forest, chosen)
    return Searched(chosen, forest.trees["ended"].copy(), int(forest.counters[PLAYOUTS]), forest)


# ---- internals ---------------------------------------------------------------------------------
def _refuse_unfit(
    settings: Sequence[PlayoutSearch], words: np.ndarray, seeds: Sequence[int]
) -> None:
    """Raises ValueError unless the arguments of ``search`` fit together."""
    if isinstance(settings, PlayoutSearch) or np.ndim(words) != 2:
        raise ValueError(
            "give a sequence of settings, one for each position, "
            "and the positions packed as uint32[T, S]"
        )
    if not 0 < len(words) == len(settings) == len(seeds):
        raise ValueError(
            f"{len(words)} positions, {len(settings)} settings and {len(seeds)} seeds: "
            "give as many of each, at least one"
        )
    one = settings[0]
    if any((each.wave, each.most_moves) != (one.wave, one.most_moves) for each in settings):
        raise ValueError("searches with different wave or most_moves cannot be run together")
    if len(words) > 1 and any(each.seconds is not None for each in settings):
        raise ValueError(
            f"{len(words)} positions in searches with a time limit: search one at a time"
        )


def _start(
    settings: Sequence[PlayoutSearch],
    game: Game,
    playouts: Playouts,
    words: np.ndarray,
    seeds: Sequence[int],
) -> tuple[Forest, Lanes]:
    """Returns a forest with a root for each position, and idle lanes. Raises ValueError."""
    count = len(words)
    rows = playouts.rows(np.resize(words, (filled_size(count), words.shape[1])))[:count]
    over = np.flatnonzero(rows[:, -1] & OUTCOME_BITS != Outcome.ONGOING)
    if len(over):
        raise ValueError(f"position {over[0]}: the game is over, so there is no move to search")
    claims = 2 if game.may_draw and any(each.layers != "single" for each in settings) else 1
    forest = new_forest(count, words.shape[1], rows.shape[1] - words.shape[1] - 1, claims)
    lanes = new_lanes(count, settings[0].wave, words.shape[1])
    forest.trees["random"] = [
        np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] for seed in seeds
    ]
    for tree, each in zip(forest.trees, settings, strict=True):
        each.write(tree)
    forest = _with_capacity_for_a_call(forest, lanes, game)
    plant(forest, rows)
    return _with_capacity_for_a_call(forest, lanes, game), lanes


def _with_capacity_for_a_call(forest: Forest, lanes: Lanes, game: Game) -> Forest:
    """Returns the forest with space for one call of ``advance``. Raises MemoryError."""
    if bytes_of(forest) > MAX_BYTES:
        raise MemoryError(
            f"the trees of {len(forest.trees)} searches outgrow {MAX_BYTES >> 30} GB: "
            "search fewer at a time, or with fewer simulations"
        )
    return with_capacity(forest, len(lanes.trees), len(lanes.trees) * game.num_actions)
