"""What a search method is: one frozen object that owns its way of choosing leaves, backing up, and its numbers on the edges."""

from __future__ import annotations

import abc
import dataclasses
import numbers
from typing import ClassVar

import numpy as np

from jaxsolve.evaluate import Heads
from jaxsolve.search.tree.tree import Tree
from jaxsolve.search.tree.workspace import Workspace

MOST = 1 << 31  # what numbers of a method stay below


@dataclasses.dataclass(frozen=True)
class Method(abc.ABC):
    """A search method with its settings. The search calls its verbs and knows no method by name.

    A wave goes ``select`` (leaves are chosen), evaluation, ``absorb`` (rows are taken back). A method keeps what it wants in an edge's 8 bytes
    ``a`` and ``b`` and in ``extra_words`` further words of ``tree.extra``; ``child``, ``action`` and ``busy`` mean the same to all, and a
    node's ``pn`` and ``dn`` are 0 and INF where it is decided.

    One that keeps proof numbers in ``a`` and ``b``, whatever else it goes by, need say no more than how it differs from ``ProofNumber``. A method's
    fields are hashable: what is compiled for it is kept by them.
    """

    name: str
    wave: int = dataclasses.field(default=64, kw_only=True)  # leaves evaluated together
    playouts: int = dataclasses.field(
        default=0, kw_only=True
    )  # random games on the device for every position, where no network gives a value

    def __post_init__(self) -> None:
        """Raises ValueError for a number that no search can use: below 0, not finite, above what compiled code counts to, or none at all."""
        for field in dataclasses.fields(self):
            value, whole = getattr(self, field.name), isinstance(field.default, int)
            if isinstance(field.default, bool) or not isinstance(field.default, int | float):
                continue
            if (
                isinstance(value, bool)
                or not isinstance(value, numbers.Integral if whole else numbers.Real)
                or not 0 <= value < MOST
            ):
                raise ValueError(
                    f"{self.name}: {field.name}={value!r}: give a {'whole ' if whole else ''}number from 0 on, below 2^31"
                )

    keeps_proof_numbers: ClassVar[bool] = False
    """Whether ``a`` and ``b`` of an edge are proof numbers as ``search.proof_numbers`` keeps them; a method that gives way to none must."""

    @property
    def extra_words(self) -> int:
        """Words of ``tree.extra`` for every edge."""
        return 0

    @property
    def fallback(self) -> Method | None:
        """The method to go on as where this one finds nothing more to do or forgets faster than it proves; None where it gives way to none.

        The last one's edges are read by ``repetition.frontier``, which looks for moves that nobody has seen: they must be proof numbers.
        """
        return None

    def guided(self, heads: Heads) -> Method:
        """The method as it searches with a network, where that is another; here moves are listed by its priors and nothing else changes."""
        del heads
        return self

    @property
    def configurations(self) -> tuple[Method, ...]:
        """What a search where moves are planned goes on as whenever an attempt has taken long, in turn, itself first; none: it never begins anew."""
        return ()

    @property
    def threat_configurations(self) -> tuple[Method, ...]:
        """The same for searches of games that see sequences."""
        return ()

    @abc.abstractmethod
    def shares_tree(self, other: Method) -> bool:
        """Whether ``other`` reads the edges of this method's tree as its own, so that the tree can be kept when one gives way to the other."""

    @abc.abstractmethod
    def select(
        self,
        work: Workspace,
        first: int,
        last: int,
        states: np.ndarray,
        actions: np.ndarray,
        owners: np.ndarray,
    ) -> tuple[int, bool]:
        """Takes paths ``first..last-1`` to new leaves, written as (state, action) pairs with the path each belongs to.

        Returns (leaves found, whether the root is decided). Paths already in flight are left alone.
        """

    @abc.abstractmethod
    def absorb(
        self, work: Workspace, owners: np.ndarray, first: int, count: int, rows: np.ndarray
    ) -> int:
        """Takes evaluator rows ``first..count-1`` uint32[B, width] back; how many have been taken in all, fewer than ``count`` if the log is full."""

    @abc.abstractmethod
    def start(self, work: Workspace, node: int) -> None:
        """Gives a node that was placed without a path (the root) its first numbers."""

    @abc.abstractmethod
    def settle(self, work: Workspace, order: np.ndarray, first: int) -> tuple[int, bool]:
        """Decides what decided children decide among nodes ``order[:first]``, last first: (how many are left to look at, whether any was decided)."""

    @abc.abstractmethod
    def reset_hopeless(self, work: Workspace) -> None:
        """Forgets what made the search give up its ways, without touching what is decided."""

    @abc.abstractmethod
    def reopen(self, work: Workspace) -> bool:
        """Puts ``work.claim`` to the tree of a question that holds only if this one does. False where the tree must be given up for it."""

    @abc.abstractmethod
    def release(self, work: Workspace, first: int, last: int) -> int:
        """Takes those of paths ``first..last-1`` that are not in flight back to the root; the first that it has not looked at, if the log is full."""

    @abc.abstractmethod
    def numbers(self, tree: Tree) -> tuple[float, float]:
        """Two numbers of the root for the progress line: proof and disproof number, or visits and mean value."""

    @abc.abstractmethod
    def best_edge(self, tree: Tree, node: int) -> int:
        """The number of the edge that looks best to the mover of a node with at least one edge."""

    def put_in_order(self, work: Workspace, first: np.ndarray) -> None:
        """Writes to ``work.order`` how moves of new nodes are listed: when the method begins, and again whenever much has been decided since.

        Both rows int32[A] hold every action once. ``first`` int32[A] is the order of a search that knows nothing yet. Moves that force the reply
        stand before the others in any case, and a network's priors go before this order. Here moves that have decided most positions for their mover
        come first (history heuristic, Schaeffer 1983); before them the or-player's opponent passes, where zones are known: what refutes that
        leaves out most of its other moves. The or-player's own pass comes last.
        """
        null = int(work.tree.zoning.null[0])
        for mover in (0, 1):
            wins = work.log.wins[mover, first].copy()
            wins[first == null] = -1 if mover == work.claim.or_player else 1 << 62
            work.order[mover] = first[np.argsort(-wins, kind="stable")]

    def warm_up(self, work: Workspace) -> None:
        """Calls each verb that may run compiled code, on a tree of one bare node, so that nothing is compiled during a search.

        ``numbers`` and ``best_edge`` are for people and are left out.
        """
        states, actions, owners = (
            np.zeros((1, work.tree.states.shape[1]), np.uint32),
            np.zeros(1, np.int32),
            np.zeros(1, np.int64),
        )
        rows = np.zeros((0, work.offsets.width), np.uint32)
        rows.flags.writeable = False  # as the device's are
        self.select(work, 0, 0, states, actions, owners)
        self.absorb(work, owners, 0, 0, rows)
        self.start(work, 0)
        self.settle(work, np.zeros(0, np.int32), 0)
        self.reset_hopeless(work)
        self.release(work, 0, 0)
        self.reopen(work)
        self.put_in_order(work, work.order[0].copy())
