"""Optional interfaces of a game, and the records that their functions return.

A game has an ability if it defines the protocol's methods: ``isinstance(game, HasZones)``. Bit sets
over actions are action sets: action ``a`` is bit ``a % 32`` of word ``a // 32``, in
M = ceil(num_actions / 32) words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from jaxsolve.core.lazy_import import exportable, jax

if TYPE_CHECKING:
    from jaxsolve.games.game import Game
    from jaxsolve.games.threats import ThreatSearch
    from jaxsolve.games.zones import Zoning

State = Any
"""A pytree of small uint32 or int32 arrays for ONE board; a NamedTuple in every built-in game."""


@exportable
class Children(NamedTuple):
    """Facts about all children of a position, computed from the parent's bitboards alone."""

    # uint32[M]: legal actions; empty if the game is over.
    legal: jax.Array
    # uint32[M]: legal actions that win at once for the mover.
    wins: jax.Array
    # uint32[M]: legal actions that do not win and leave the opponent exactly one legal reply.
    forced: jax.Array
    # int16[num_actions]: that reply; -1 where ``forced`` is not set.
    reply: jax.Array
    # int32[]: an action t such that the OPPONENT wins at once by t after any move but t; or -1.
    threat: jax.Array


@runtime_checkable
class EvaluatesChildren(Protocol):
    """Ability: one pass over the parent evaluates all children.

    ``threat`` may be reported only if the mover has no winning move, and if no stone that the mover
    places elsewhere wins at once or prevents the opponent's win.
    """

    def children(self, state: State) -> Children: ...


@runtime_checkable
class HasForcedReply(Protocol):
    """Ability: finds a single legal reply without generating moves (four threats in Gomoku)."""

    def forced_reply(self, state: State) -> jax.Array:
        """int32[]: the only legal action of ``state``; -1 if it is not known to be the only one."""
        ...


@runtime_checkable
class HasEyeFilter(Protocol):
    """Ability: separates moves that fill one's own true eyes, which are never needed."""

    def legal_outside_eyes(self, state: State) -> jax.Array:
        """bool[A]: the legal actions that fill no own true eye, whatever the rules allow."""
        ...


@exportable
class DetectedWin(NamedTuple):
    """A win that the board alone proves, and the cells that it depends on.

    If ``winner`` is 0 or 1, that player P wins. If P is to move and ``move`` is not -1, P wins by
    ``move``. If ``winner`` is -1 and ``move`` is not, P is the opponent of the side to move and
    would win by ``move``: the side to move loses with every action outside ``zone``.
    """

    # int32[]: 0 or 1; -1 if the board does not decide, or if the game is over.
    winner: jax.Array
    # int32[]: P's move, or -1.
    move: jax.Array
    # uint32[M]: the empty cells that P's win depends on, ``move`` among them.
    zone: jax.Array


@runtime_checkable
class DetectsWins(Protocol):
    """Ability: detects wins by pairs of empty cells, of which the winner gets one each.

    The game must also have zones (``HasZones``): only a proof with zones can express such a win.
    """

    def detect_win(self, state: State) -> DetectedWin: ...

    def pairs(
        self, state: State, player: int, zone: Sequence[int], move: int = -1
    ) -> list[tuple[int, int]]:
        """Disjoint pairs of actions of ``zone`` that make up a detected win (host side).

        One stone of ``player`` in each pair completes the win, together with a stone at ``move``
        unless ``move`` is -1. The stone at ``move`` may be on the board already.
        """
        ...


@runtime_checkable
class HasZones(Protocol):
    """Ability: a decision can depend only on a relevance zone of the board.

    A *zone* of a position that P wins is a set of actions, and so of points, such that P also wins
    every position that *covers* it there. ``proof/FORMAT.md`` defines *covers* for each game. In
    Hex a zone is the carrier (van Rijswijck 2002; Hayward et al. 2003), in Go the relevance zone
    (Shih et al. 2022). A move that cannot touch the zone of a refutation is refuted by the same
    answers. So the search keeps only replies that lie in every refutation's zone (the must-play
    region).

    If a game ``EvaluatesChildren`` but does not ``DetectsWins``, a mover who can win at once
    decides the position by the board alone. No record describes it further, so ``leaf`` returns its
    zone and the winning move. Such a game reports no threat: answers to a threat are pairs, which
    only ``DetectsWins`` finds.
    """

    def zoning(self) -> Zoning | None:
        """Compiled functions (``jaxsolve.games.zones``) with buffers for one search.

        None if this rule set has no zones.
        """
        ...

    def zone_text(self, zone: Sequence[int]) -> str:
        """A zone's actions as a certificate's node writes them (host side); "" if it does not."""
        ...


@runtime_checkable
class HasRelaxation(Protocol):
    """Ability: a proof under relaxed rules also proves the claim here, under one condition.

    The condition: no move of the winner brings back an earlier board (``proof/FORMAT.md``,
    superko). Boards are compared on the host, as bit sets over actions.
    """

    def relaxation(self, state: State) -> tuple[Game, State] | None:
        """The relaxed rules, which have zones, and the position under them; or None."""
        ...

    def stones_of(self, state: State, player: int) -> int:
        """Bit set of a player's stones."""
        ...

    def earlier_stones_of(self, state: State, player: int) -> list[int]:
        """Bit sets of a player's stones on each board that the position remembers."""
        ...


@runtime_checkable
class HasThreatSearch(Protocol):
    """Ability: detects wins by forcing moves, and threats of such wins.

    A forcing move leaves one legal reply, or threatens to win by forcing moves. No rule set has
    both this ability and zones (``HasZones``).
    """

    def threat_search(self) -> ThreatSearch | None:
        """Compiled functions (``jaxsolve.games.threats``) with buffers for one search.

        None if this rule set has no threat search.
        """
        ...


@runtime_checkable
class HasPlayerView(Protocol):
    """Ability: either player can observe the position, whoever is to move."""

    def player_view(self, state: State, player: jax.Array) -> State:
        """The state as if int32[] ``player`` were to move, for ``Game.observe`` only.

        It need not be a position of the game.
        """
        ...


@runtime_checkable
class InitialisesNumbers(Protocol):
    """Ability: heuristic initialisation of proof and disproof numbers from the board alone."""

    def initial_numbers(self, state: State) -> tuple[jax.Array, jax.Array]:
        """(a, b), int32[] in 1..32767, for a typical move of ``state``.

        a: the effort to prove it for its mover; b: the effort to disprove it for the opponent.
        """
        ...


@runtime_checkable
class ObservesHistory(Protocol):
    """Ability: the observation shows earlier boards.

    The rules' state does not hold them; ``Env`` and the search's paths do.
    """

    @property
    def history_length(self) -> int:
        """Number of boards shown, the current one included."""
        ...

    def board_words(self, state: State) -> jax.Array:
        """uint32[...]: the stones of one position."""
        ...

    def observe_history(self, state: State, history: jax.Array) -> jax.Array:
        """bool[H, W, C] from uint32[history_length, ...] ``board_words``, newest first.

        Boards before the start are empty.
        """
        ...


@runtime_checkable
class HasColourPlanes(Protocol):
    """Ability: as ``ObservesHistory``, with planes by colour rather than by the side to move."""

    def colour_planes(self, boards: int) -> Any:
        """The last ``boards`` positions as ``evaluate.Planes``.

        For each position the first and the second player's stones, then the side to move.
        """
        ...
