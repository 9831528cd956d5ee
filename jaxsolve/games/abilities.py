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
    # int32[]: -1, or an action t by which the opponent wins at once after every other move.
    threat: jax.Array


@runtime_checkable
class EvaluatesChildren(Protocol):
    """Ability: one pass over a position evaluates all its children.

    ``Children.threat`` may be reported under two conditions:

    * The mover has no winning move.
    * After every move of the mover except ``threat`` itself, the opponent wins by ``threat``.
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
        """Returns int32[]: the only legal action of ``state``, or -1.

        The result is -1 if ``state`` has several legal actions, or if this is not known.
        """
        ...


@runtime_checkable
class HasEyeFilter(Protocol):
    """Ability: leaves out moves that fill the mover's true eyes. Such moves are never needed."""

    def legal_outside_eyes(self, state: State) -> jax.Array:
        """Returns bool[A]: the legal actions that fill no true eye of the mover.

        Moves that fill a true eye are left out even if the rules allow them.
        """
        ...


@exportable
class DetectedWin(NamedTuple):
    """A win that the board alone proves, and the cells that it depends on.

    * ``winner`` is 0 or 1: the player P = ``winner`` wins. If P is to move and ``move`` is not -1,
      P wins by ``move``.
    * ``winner`` is -1 and ``move`` is not -1: P is the opponent of the side to move and threatens
      to win by ``move``. The side to move loses with every action outside ``zone``.
    * Both are -1: nothing is detected.
    """

    # int32[]: 0 or 1; -1 if no win is detected, or if the game is over.
    winner: jax.Array
    # int32[]: a move of P, or -1.
    move: jax.Array
    # uint32[M]: action set of the empty cells on which P's win depends, including ``move``.
    zone: jax.Array


@runtime_checkable
class DetectsWins(Protocol):
    """Ability: detects wins by pairs of empty cells, such as bridges in Hex.

    The winner gets one cell of each pair: if the opponent takes one cell, the winner takes the
    other. The game must also have zones (``HasZones``), because only a proof with zones can express
    such a win.
    """

    def detect_win(self, state: State) -> DetectedWin:
        """Returns the win that the board of ``state`` proves, if there is one."""
        ...

    def pairs(
        self, state: State, player: int, zone: Sequence[int], move: int = -1
    ) -> list[tuple[int, int]]:
        """Returns disjoint pairs of actions of ``zone`` that make up a detected win (host side).

        ``player`` wins with one stone in each pair. If ``move`` is not -1, a stone at ``move`` is
        also needed. This stone may already be on the board.
        """
        ...


@runtime_checkable
class HasHostRows(Protocol):
    """Ability: compiled host code can compute the rows of the evaluator (``games.host_rows``)."""

    def host_rows(self, width: int) -> HostRows | None:
        """Returns the row callback with buffers for one search; None if the rule set has none.

        The callback writes rows (``evaluate.layout``) of ``width`` words. The rows have no values,
        no priors and no zones of detected wins.
        """
        ...


@runtime_checkable
class HasZones(Protocol):
    """Ability: proofs can use relevance zones: the parts of a board on which results depend.

    A *zone* of a position that P wins is a set of actions; an action stands for its point. P also
    wins every other position that *covers* this position on the zone. ``proof/FORMAT.md`` defines
    *covers* for each game. In Hex a zone is the carrier (van Rijswijck 2002; Hayward et al. 2003),
    in Go the relevance zone (Shih et al. 2022).

    A move that does not affect the zone of a refutation has the same refutation. Therefore the
    search keeps only the replies in the intersection of the zones of all refutations (the must-play
    region).

    Some games define ``EvaluatesChildren`` but not ``DetectsWins``. In such a game a position whose
    mover can win at once has no ``DetectedWin``. Instead the callback ``leaf`` (``games/zones.py``)
    returns the zone of the position and the winning move. Such a game must not report
    ``Children.threat``, because the answers to a threat are pairs, and only ``DetectsWins`` finds
    pairs.
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
class ShowsKnowledge(Protocol):
    """Ability: the fields of a certificate node can show why a position is decided, or its replies.

    The game's rows (``HasHostRows``) then hold more knowledge than rules and pairs: also initial
    numbers of their own (``Layout.first``) and a list of the best moves (``Layout.best``).
    """

    @property
    def shows_knowledge(self) -> bool:
        """Whether the rule set does so. If not, the other method is not used."""
        ...

    def node_fields(self, state: State, kind: str, player: int) -> dict[str, Any]:
        """Returns fields of the certificate node of ``state`` (host side; ``proof/FORMAT.md``).

        Args:
          state: the position of the node.
          kind: ``known`` (decided by the row), ``or`` or ``must-play``.
          player: the claimant.
        """
        ...

    def winning_move(self, state: State, move: int | None) -> int | None:
        """Returns a move after which the side to move wins, or None if none is found (host side).

        Args:
          state: a position that the side to move wins by a proof.
          move: the first move of the proof if it is an ``or`` node; None for a ``known`` node.
        """
        ...


@runtime_checkable
class HasRelaxation(Protocol):
    """Ability: has relaxed rules, whose proofs can also prove claims under the game's rules.

    The condition is that no move of the winner repeats an earlier board (``proof/FORMAT.md``,
    superko). Boards are compared on the host, as bit sets over actions.
    """

    def relaxation(self, state: State) -> tuple[Game, State] | None:
        """Returns the relaxed rules and the position under them; None without a relaxation.

        The relaxed rules have zones.
        """
        ...

    def stones_of(self, state: State, player: int) -> int:
        """Returns the bit set of a player's stones."""
        ...

    def earlier_stones_of(self, state: State, player: int) -> list[int]:
        """Returns the bit set of a player's stones for each earlier board in the state."""
        ...


@runtime_checkable
class HasThreatSearch(Protocol):
    """Ability: detects wins by sequences of forcing moves, and threats of such wins.

    In the simplest sequences (VCF), every move of the winner except the last one leaves one legal
    reply. In the others (VCT), a move may also threaten such a sequence, and its relevant replies
    are answered one by one. ``jaxsolve.games.threats`` defines both. No rule set has both this
    ability and zones (``HasZones``).
    """

    def threat_search(self) -> ThreatSearch | None:
        """Returns the game's threat callbacks, with buffers for one search.

        See ``jaxsolve.games.threats``. Returns None if this rule set has no threat search.
        """
        ...


@runtime_checkable
class HasPlayerView(Protocol):
    """Ability: both players can observe the position, not only the player to move."""

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

        a is the estimated effort to prove that the move wins for its mover. b is the estimated
        effort to prove that the opponent refutes the move.
        """
        ...


@runtime_checkable
class ObservesHistory(Protocol):
    """Ability: the observation has earlier boards.

    The state of the game does not contain earlier boards. ``Env`` and the paths of a search store
    them.
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

        ``history``, uint32[history_length, ...], has the ``board_words`` of the boards. The current
        board is first, and the oldest one is last. Boards before the start are empty.
        """
        ...


@runtime_checkable
class HasColourPlanes(Protocol):
    """Ability: networks can observe several boards by colour.

    These planes are for the first and the second player. The planes of ``ObservesHistory`` are for
    the side to move and its opponent.
    """

    def colour_planes(self, boards: int) -> Any:
        """Returns a function (``networks.Planes``) that computes planes of ``boards`` positions.

        For each of the last ``boards`` positions there are two planes: the stones of the first and
        of the second player. The planes of the side to move follow after all positions.
        """
        ...
