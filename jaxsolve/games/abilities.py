"""Optional interfaces of a game (abilities), and the records that their functions return.

A game has an ability if it defines the methods of a protocol: ``isinstance(game, HasZones)``. Bit
sets over actions are called action sets: action ``a`` is bit ``a % 32`` of word ``a // 32``, in M =
ceil(num_actions / 32) words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from jaxsolve.core.lazy_import import exportable, jax

if TYPE_CHECKING:
    from jaxsolve.games.game import Game
    from jaxsolve.games.host_rows import HostRows
    from jaxsolve.games.threats import ThreatSearch
    from jaxsolve.games.zones import Zoning

State = Any
"""A pytree of small uint32 or int32 arrays for ONE board; a NamedTuple in every built-in game."""


@exportable
class Children(NamedTuple):
    """Facts about all children of a position, computed from the parent's board alone."""

    # uint32[M]: legal actions; empty if the game is over.
    legal: jax.Array
    # uint32[M]: legal actions that win at once for the mover.
    wins: jax.Array
    # uint32[M]: legal actions that do not win and leave the opponent exactly one legal reply.
    forced: jax.Array
    # int16[num_actions]: for each action in ``forced``, the legal reply; -1 for all others.
    reply: jax.Array
    # int32[]: an action t, unless -1. After any move but t the OPPONENT wins at once by t.
    threat: jax.Array


@runtime_checkable
class EvaluatesChildren(Protocol):
    """Ability: one pass over a position evaluates all its children.

    ``Children.threat`` may be reported under two conditions. The mover has no winning move. And no
    stone that the mover places elsewhere than on the threat wins at once or prevents the opponent's
    win.
    """

    def children(self, state: State) -> Children:
        """Returns the facts about all children of ``state``."""
        ...


@runtime_checkable
class HasForcedReply(Protocol):
    """Ability: finds the only legal action of a position without generating moves.

    Example: the reply to a four under the four-threat rules of Gomoku.
    """

    def forced_reply(self, state: State) -> jax.Array:
        """Returns int32[]: the only legal action of ``state``.

        Returns -1 if it is not known that there is only one.
        """
        ...


@runtime_checkable
class HasEyeFilter(Protocol):
    """Ability: leaves out moves that fill the mover's own true eyes, which are never needed."""

    def legal_outside_eyes(self, state: State) -> jax.Array:
        """Returns bool[A]: the legal actions that fill no true eye of the mover.

        Moves that fill one are left out even if the rules allow them.
        """
        ...


@exportable
class DetectedWin(NamedTuple):
    """A win that the board alone proves, and the cells that it depends on.

    * If ``winner`` is 0 or 1, player P = ``winner`` wins. If P is to move and ``move`` is not -1, P
      wins by ``move``.
    * If ``winner`` is -1 and ``move`` is not, P is the opponent of the side to move and threatens
      to win by ``move``. The side to move loses with every action outside ``zone``.
    * If both are -1, nothing is detected.
    """

    # int32[]: 0 or 1; -1 if the board does not decide, or if the game is over.
    winner: jax.Array
    # int32[]: a move of P, or -1.
    move: jax.Array
    # uint32[M]: action set of the empty cells that P's win depends on, including ``move``.
    zone: jax.Array


@runtime_checkable
class DetectsWins(Protocol):
    """Ability: detects wins by pairs of empty cells, such as bridges in Hex.

    The winner gets one cell of each pair: if the opponent takes one, the winner takes the other.
    The game must also have zones (``HasZones``), since only a proof with zones can express such a
    win.
    """

    def detect_win(self, state: State) -> DetectedWin:
        """Returns the win that the board of ``state`` proves, if there is one."""
        ...

    def pairs(
        self, state: State, player: int, zone: Sequence[int], move: int = -1
    ) -> list[tuple[int, int]]:
        """Returns disjoint pairs of actions of ``zone`` that make up a detected win (host side).

        One stone of ``player`` in each pair completes the win; unless ``move`` is -1, a stone at
        ``move`` is needed too. The stone at ``move`` may be on the board already.
        """
        ...


@runtime_checkable
class HasHostRows(Protocol):
    """Ability: compiled host code can compute the rows of the evaluator (``games.host_rows``)."""

    def host_rows(self, width: int) -> HostRows | None:
        """Returns the row callback with buffers for one search; None if the rule set has none.

        The callback writes rows (``evaluate.layout``) of ``width`` words, which hold no values, no
        priors and no zones of detected wins.
        """
        ...


@runtime_checkable
class HasZones(Protocol):
    """Ability: proofs can use relevance zones, the part of the board that a result depends on.

    A *zone* of a position that P wins is a set of actions, and so of points. P also wins every
    other position that *covers* this position on the zone. ``proof/FORMAT.md`` defines *covers* for
    each game. In Hex a zone is the carrier (van Rijswijck 2002; Hayward et al. 2003), in Go the
    relevance zone (Shih et al. 2022).

    A move that cannot touch the zone of a refutation is refuted by the same answers. So the search
    keeps only replies that lie in every refutation's zone (the must-play region).

    In a game that ``EvaluatesChildren`` but does not ``DetectsWins``, a position whose mover can
    win at once is decided by the board alone. No ``DetectedWin`` describes the win. So the callback
    ``leaf`` (``games/zones.py``) returns the zone of the position and the winning move. Such a game
    must not report ``Children.threat``: the answers to a threat are pairs, which only
    ``DetectsWins`` finds.
    """

    def zoning(self) -> Zoning | None:
        """Returns the game's zone callbacks with buffers for one search; None if it has no zones.

        See ``jaxsolve.games.zones``.
        """
        ...

    def zone_text(self, zone: Sequence[int]) -> str:
        """Returns the actions of a zone as text for a node of a certificate (host side).

        Returns an empty string if certificates of this game do not contain zones.
        """
        ...


@runtime_checkable
class HasRelaxation(Protocol):
    """Ability: has relaxed rules, whose proofs also prove claims under the rules of the game.

    There is one condition: no move of the winner brings back an earlier board (``proof/FORMAT.md``,
    superko). Boards are compared on the host, as bit sets over actions.
    """

    def relaxation(self, state: State) -> tuple[Game, State] | None:
        """Returns the relaxed rules, which have zones, and the position under them.

        Returns None if the rule set has no relaxation.
        """
        ...

    def stones_of(self, state: State, player: int) -> int:
        """Returns the bit set of a player's stones."""
        ...

    def earlier_stones_of(self, state: State, player: int) -> list[int]:
        """Returns the bit sets of a player's stones on each earlier board that the state has."""
        ...


@runtime_checkable
class HasThreatSearch(Protocol):
    """Ability: detects wins by forcing moves, and threats of such wins.

    A forcing move leaves one legal reply, or threatens to win by forcing moves. No rule set has
    both this ability and zones (``HasZones``).
    """

    def threat_search(self) -> ThreatSearch | None:
        """Returns the game's threat callbacks, with buffers for one search.

        See ``jaxsolve.games.threats``. Returns None if this rule set has no threat search.
        """
        ...


@runtime_checkable
class HasPlayerView(Protocol):
    """Ability: either player can observe the position, whoever is to move."""

    def player_view(self, state: State, player: jax.Array) -> State:
        """Returns the state as if int32[] ``player`` were to move, for ``Game.observe`` only.

        The result need not be a position of the game.
        """
        ...


@runtime_checkable
class InitialisesNumbers(Protocol):
    """Ability: heuristic initialisation of proof and disproof numbers from the board alone."""

    def initial_numbers(self, state: State) -> tuple[jax.Array, jax.Array]:
        """Returns (a, b), int32[] in 1..32767, for a typical move of ``state``.

        a estimates the effort to prove that the move wins for its mover; b estimates the effort to
        prove that the opponent refutes it.
        """
        ...


@runtime_checkable
class ObservesHistory(Protocol):
    """Ability: the observation shows earlier boards.

    The state of the rules does not contain them. ``Env`` and the paths of a search keep them.
    """

    @property
    def history_length(self) -> int:
        """Number of boards in the observation, including the current one."""
        ...

    def board_words(self, state: State) -> jax.Array:
        """Returns uint32[...]: the packed stones of one position."""
        ...

    def observe_history(self, state: State, history: jax.Array) -> jax.Array:
        """Returns bool[H, W, C]: the observation of ``state`` with earlier boards.

        ``history``, uint32[history_length, ...], holds the ``board_words`` of the boards, newest
        first and beginning with the current one. Boards before the start are empty.
        """
        ...


@runtime_checkable
class HasColourPlanes(Protocol):
    """Ability: networks can observe several boards by colour.

    The planes show the first and the second player. Those of ``ObservesHistory`` show the side to
    move and its opponent.
    """

    def colour_planes(self, boards: int) -> Any:
        """Returns a function (``networks.Planes``) that shows the last ``boards`` positions.

        Its planes are, for each position, the stones of the first and of the second player. The
        planes of the side to move follow after all positions.
        """
        ...
