"""``Method``: interface of search methods, frozen objects with their settings."""

from __future__ import annotations

import abc
import dataclasses
import numbers
from typing import Any, ClassVar

import numpy as np

from jaxsolve.evaluate import Heads
from jaxsolve.search.tree.tree import Tree
from jaxsolve.search.tree.workspace import Workspace

MOST = 1 << 31  # bound of the numbers of a method


@dataclasses.dataclass(frozen=True)
class Method(abc.ABC):
    """A search method with its settings. The search calls its methods and knows none by name.

    A wave goes through ``select`` (choice of leaves), evaluation and ``absorb`` (backup). A
    method's own data is in an edge's 8 bytes ``a`` and ``b`` and in ``extra_words`` words of
    ``tree.extra``; ``child``, ``action`` and ``busy`` mean the same for all methods, and ``pn`` and
    ``dn`` of a decided node are 0 and INF.

    A method with proof numbers in ``a`` and ``b`` only overrides where it differs from
    ``ProofNumber``. Fields are hashable: compiled code is cached by them.
    """

    name: str
    wave: int = dataclasses.field(default=64, kw_only=True)  # leaves evaluated together
    # Random games on the device for every position, if no network gives a value.
    playouts: int = dataclasses.field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        """Raises ValueError for a number outside 0..2^31 - 1, not finite, or of the wrong type."""
        for field in dataclasses.fields(self):
            value: Any = getattr(self, field.name)
            whole = isinstance(field.default, int)
            if isinstance(field.default, bool) or not isinstance(field.default, int | float):
                continue
            kind: type = numbers.Integral if whole else numbers.Real
            number = isinstance(value, kind) and not isinstance(value, bool)
            if not number or not 0 <= value < MOST:
                raise ValueError(
                    f"{self.name}: {field.name}={value!r}: "
                    f"give a {'whole ' if whole else ''}number from 0 on, below 2^31"
                )

    keeps_proof_numbers: ClassVar[bool] = False
    """Whether ``a`` and ``b`` are proof numbers (``pns.numbers``); a must without a fallback."""

    @property
    def extra_words(self) -> int:
        """Words of ``tree.extra`` for every edge."""
        return 0

    @property
    def fallback(self) -> Method | None:
        """Method to continue with once this one finds nothing to do or evicts more than it proves.

        The frontier search (``pns.graph.frontier``) reads the edges of the last fallback as proof
        numbers.
        """
        return None

    def guided(self, heads: Heads) -> Method:
        """The method for a search with a network. By default only the order of moves follows its
        priors.
        """
        del heads
        return self

    @property
    def configurations(self) -> tuple[Method, ...]:
        """Configurations of restarts in games with plans, in turn, itself first; empty: no
        restarts.
        """
        return ()

    @property
    def threat_configurations(self) -> tuple[Method, ...]:
        """Configurations of restarts in games with threat search."""
        return ()

    @abc.abstractmethod
    def shares_tree(self, other: Method) -> bool:
        """Whether ``other`` can continue with this method's tree, its edges included."""

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
        """Takes paths ``first..last-1`` to new leaves, written as (state, action) with the path of
        each.

        Returns (number of leaves, whether the root is decided). Paths in flight are left unchanged.
        """

    @abc.abstractmethod
    def absorb(
        self, work: Workspace, owners: np.ndarray, first: int, count: int, rows: np.ndarray
    ) -> int:
        """Backs up evaluator rows ``first..count-1`` of uint32[B, width].

        Returns the number of rows absorbed in all, fewer than ``count`` if the log is full.
        """

    @abc.abstractmethod
    def start(self, work: Workspace, node: int) -> None:
        """Initialises a node that was added without a path (the root)."""

    @abc.abstractmethod
    def propagate(self, work: Workspace, order: np.ndarray, first: int) -> tuple[int, bool]:
        """Decides nodes ``order[:first]``, last first, whose decided children suffice.

        Returns (number of nodes left, whether any was decided).
        """

    @abc.abstractmethod
    def reset_hopeless(self, work: Workspace) -> None:
        """Resets the numbers by which the search gave up moves; keeps all decisions."""

    @abc.abstractmethod
    def reopen(self, work: Workspace) -> bool:
        """Continues the tree with ``work.claim``, a claim that holds only if the one before does.

        False if the tree must be discarded for it.
        """

    @abc.abstractmethod
    def release(self, work: Workspace, first: int, last: int) -> int:
        """Returns those of paths ``first..last-1`` that are not in flight to the root.

        The result is the first path not yet handled if the log is full, else ``last``.
        """

    @abc.abstractmethod
    def numbers(self, tree: Tree) -> tuple[float, float]:
        """Two numbers of the root for the progress line: proof and disproof number, or visits and
        mean.
        """

    @abc.abstractmethod
    def best_edge(self, tree: Tree, node: int) -> int:
        """The edge that looks best to the mover of a node with at least one edge."""

    def put_in_order(self, work: Workspace, first: np.ndarray) -> None:
        """Writes the order of the moves of new nodes to ``work.order``, two rows int32[A] of all
        actions.

        Called when the method begins and whenever many positions have been decided since. ``first``
        int32[A] is the initial order. Forcing moves come before this order in any case, and a
        network's priors replace it. By default moves that have decided most positions for their
        mover come first (history heuristic, Schaeffer 1983). With zones the pass of the or-player's
        opponent precedes them, since its refutation leaves out most other moves, and the
        or-player's own pass comes last.
        """
        null = int(work.tree.zoning.null[0])
        for mover in (0, 1):
            wins = work.log.wins[mover, first].copy()
            wins[first == null] = -1 if mover == work.claim.or_player else 1 << 62
            work.order[mover] = first[np.argsort(-wins, kind="stable")]

    def warm_up(self, work: Workspace) -> None:
        """Runs all compiled code on a tree of one bare node, so that no search compiles any.

        ``numbers`` and ``best_edge`` are not compiled.
        """
        states, actions, owners = (
            np.zeros((1, work.tree.states.shape[1]), np.uint32),
            np.zeros(1, np.int32),
            np.zeros(1, np.int64),
        )
        rows = np.zeros((0, work.offsets.width), np.uint32)
        rows.flags.writeable = False  # as rows from the device
        self.select(work, 0, 0, states, actions, owners)
        self.absorb(work, owners, 0, 0, rows)
        self.start(work, 0)
        self.propagate(work, np.zeros(0, np.int32), 0)
        self.reset_hopeless(work)
        self.release(work, 0, 0)
        self.reopen(work)
        self.put_in_order(work, work.order[0].copy())
