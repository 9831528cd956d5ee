"""``Method``: interface of search methods. A method is a frozen object with its settings."""

from __future__ import annotations

import abc
import dataclasses
import numbers
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from jaxsolve.evaluate import Heads
from jaxsolve.games.host_rows import HostRows
from jaxsolve.search.methods.pns.weights import Weights
from jaxsolve.search.tree.tree import Tree
from jaxsolve.search.tree.workspace import Workspace

MOST = 1 << 31  # every number in the settings of a method is below MOST


_Entry = TypeVar("_Entry")
_Other = TypeVar("_Other")


@dataclasses.dataclass(frozen=True)
class Configurations(Generic[_Entry]):
    """Methods of successive runs of a search (``run.restarts``), one list for each kind of search.

    A search uses one list. Its first run uses the method itself. The first restart uses the second
    entry, and each further restart the next one; the first entry comes after the last. A search
    whose list is empty never restarts. Before a method is known, the lists hold what each run
    changes of it.
    """

    plans: tuple[_Entry, ...] = ()  # games with plans, many moves at the root
    few_moves: tuple[_Entry, ...] = ()  # games with plans, at most ``restarts.FEW_MOVES`` moves
    threats: tuple[_Entry, ...] = ()  # games with threat search

    def map(self, function: Callable[[_Entry], _Other]) -> Configurations[_Other]:
        """Returns the lists with ``function`` applied to each entry."""
        return Configurations(
            tuple(map(function, self.plans)),
            tuple(map(function, self.few_moves)),
            tuple(map(function, self.threats)),
        )


@dataclasses.dataclass(frozen=True)
class Method(abc.ABC):
    """A search method with its settings. The search uses every method through this interface.

    ``select`` collects a wave of leaves, the evaluator evaluates it, and ``absorb`` backs it up.
    Each method defines the meaning of the 8 bytes ``a`` and ``b`` of an edge, and of its
    ``extra_words`` words in ``tree.extra``. The fields ``child``, ``action`` and ``busy`` mean the
    same for all methods. In a decided node one of ``pn`` and ``dn`` is 0 and the other is INF.

    A method that stores proof numbers in ``a`` and ``b`` can derive from ``ProofNumber`` and
    override what differs. Fields must be hashable, since they are keys of cached compiled code.
    """

    name: str
    wave: int = dataclasses.field(default=64, kw_only=True)  # leaves evaluated together
    # Random games played on the device from every position, if no network gives a value.
    playouts: int = dataclasses.field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        """Raises ValueError for a number outside 0..2^31 - 1, not finite, or of the wrong type.

        A switch must be True or False.
        """
        for field in dataclasses.fields(self):
            value: Any = getattr(self, field.name)
            whole = isinstance(field.default, int)
            if isinstance(field.default, bool) and not isinstance(value, bool | np.bool_):
                raise ValueError(f"{self.name}: {field.name}={value!r}: give True or False")
            if isinstance(field.default, bool) or not isinstance(field.default, int | float):
                continue
            self.check_number(field.name, value, whole)

    def check_number(self, field: str, value: Any, whole: bool = False) -> None:
        """Raises ValueError if a field is not a (whole) number in 0..2^31 - 1."""
        kind: type = numbers.Integral if whole else numbers.Real
        number = isinstance(value, kind) and not isinstance(value, bool)
        if not number or not 0 <= value < MOST:
            raise ValueError(
                f"{self.name}: {field}={value!r}: "
                f"give a {'whole ' if whole else ''}number from 0 on, below 2^31"
            )

    keeps_proof_numbers: ClassVar[bool] = False
    """Whether ``a`` and ``b`` are proof numbers (``pns.numbers``).

    A method without a ``fallback`` must keep proof numbers.
    """

    keeps_lines: ClassVar[bool] = False
    """Whether the method searches below lines (``run.lines``): its thresholds are proof numbers.

    Such a method has ``weights``.
    """

    runs_on_host: ClassVar[bool] = False
    """Whether the method, its fallbacks and its configurations can ``run``."""

    @property
    def weights(self) -> Weights:
        """The settings of a method with ``keeps_lines``. Raises TypeError for another method."""
        raise TypeError(f"method {self.name!r} has no weights of proof numbers")

    @property
    def extra_words(self) -> int:
        """Number of words in ``tree.extra`` for each edge."""
        return 0

    @property
    def stamps_nodes(self) -> bool:
        """Whether the method marks nodes in ``tree.stamps``."""
        return False

    @property
    def fallback(self) -> Method | None:
        """Method that replaces this one when it makes no more progress, or None.

        It does so when this method finds no leaf, or when eviction has replaced the whole table
        many times (``run.steps``). The last method in a chain of fallbacks must keep proof numbers,
        because ``pns.graph.frontier`` reads them.
        """
        return None

    def guided(self, heads: Heads) -> Method:
        """Returns the method adapted to a search with the network ``heads``.

        By default the method is unchanged, and the network's priors only order the moves.
        """
        del heads
        return self

    def without_plans(self) -> Method:
        """Returns the method for a search whose or-player has no plans. By default it is unchanged.

        The game has plans, but only for the opponent of the or-player.
        """
        return self

    @property
    def configurations(self) -> Configurations[Method]:
        """Methods of successive runs; by default the method never restarts."""
        return Configurations()

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
        """Takes paths ``first..last-1`` to new leaves.

        The leaves are written to ``states``, ``actions`` and ``owners``, the arrays of
        ``tree.paths.Leaves``. No path of the range may be in flight.

        Returns (number of leaves, whether the root is decided).
        """

    @abc.abstractmethod
    def absorb(
        self, work: Workspace, owners: np.ndarray, first: int, count: int, rows: np.ndarray
    ) -> int:
        """Backs up the evaluator rows ``first..count-1`` of a wave.

        Args:
          work: arrays of the search.
          owners: int64[B], the path of each row's leaf, as ``select`` wrote it.
          first: first row to absorb.
          count: number of rows of the wave.
          rows: uint32[B, width].

        Returns the index of the first row not absorbed: ``count``, or less if the log is full.
        """

    def run(
        self, work: Workspace, host_rows: HostRows, width: int, budget: int
    ) -> tuple[int, bool]:
        """Selects, evaluates and backs up leaves in compiled host code, without waves.

        In each round the first ``width`` paths select a leaf each. Then all these leaves are
        evaluated and backed up. The rounds end when ``budget`` leaves are evaluated, no leaf is
        found, or memory or the log is full. No path is in flight afterwards.

        Returns (number of leaves evaluated, whether the root is decided). Raises TypeError unless
        the method ``runs_on_host``.
        """
        raise TypeError(f"method {self.name!r} needs waves: it has no search on the host")

    @abc.abstractmethod
    def start(self, work: Workspace, node: int) -> None:
        """Initialises a node that was added without a path, such as the root."""

    @abc.abstractmethod
    def propagate(self, work: Workspace, order: np.ndarray, first: int) -> tuple[int, bool]:
        """Updates nodes from their children, and decides a node if its decided children suffice.

        The nodes are ``order[:first]``, int32, taken from the last to the first.

        Returns (number of nodes not yet handled, whether any was decided). The number is above 0 if
        the log is full.
        """

    @abc.abstractmethod
    def reset_hopeless(self, work: Workspace) -> None:
        """Makes every undecided move selectable again, by a reset of its numbers if necessary."""

    @abc.abstractmethod
    def reopen(self, work: Workspace) -> bool:
        """Prepares the tree of the previous claim for a new claim, ``work.claim``.

        The new claim must hold wherever the previous one does. Returns False if the tree cannot be
        reused.
        """

    @abc.abstractmethod
    def release(self, work: Workspace, first: int, last: int) -> int:
        """Moves the paths among ``first..last-1`` that are not in flight back up to the root.

        Returns the first path not yet handled if the log is full, else ``last``.
        """

    @abc.abstractmethod
    def numbers(self, tree: Tree) -> tuple[float, float]:
        """Returns two numbers of the root for the progress line.

        They are the proof and disproof number, or the visit count and the mean value or cost.
        """

    @abc.abstractmethod
    def best_edge(self, tree: Tree, node: int) -> int:
        """Returns the number of the edge that looks best to the mover of a node.

        The node has at least one edge.
        """

    def put_in_order(self, work: Workspace, first: np.ndarray) -> None:
        """Writes the order of the moves of new nodes to ``work.order``, int32[2, A].

        Row ``p`` holds all actions in the order for the mover ``p``. ``first``, int32[A], is the
        initial order. This is called when the method begins and again whenever many positions have
        been decided since the last call. Whatever the order, forcing moves are listed before other
        moves, and the priors of a network replace the order.

        By default actions are sorted by the number of positions that they have won for the mover
        (history heuristic, Schaeffer 1983). In games with a null move in their zones, the null move
        comes first for the opponent, since its refutation closes most other moves, and last for the
        or-player.
        """
        null = int(work.tree.zoning.null[0])
        for mover in (0, 1):
            wins = work.log.wins[mover, first].copy()
            wins[first == null] = -1 if mover == work.claim.or_player else 1 << 62
            work.order[mover] = first[np.argsort(-wins, kind="stable")]

    def warm_up(self, work: Workspace, host_rows: HostRows | None = None) -> None:
        """Compiles the code of the method by running it on a tree of a single node.

        With ``host_rows`` this compiles ``run``, else ``select`` and ``absorb``. ``numbers`` and
        ``best_edge`` are not compiled code.
        """
        states, actions, owners = (
            np.zeros((1, work.tree.states.shape[1]), np.uint32),
            np.zeros(1, np.int32),
            np.zeros(1, np.int64),
        )
        rows = np.zeros((0, work.offsets.width), np.uint32)
        rows.flags.writeable = False  # as rows from the device
        if host_rows is not None:
            self.run(work, host_rows, 1, 0)
        else:
            self.select(work, 0, 0, states, actions, owners)
            self.absorb(work, owners, 0, 0, rows)
        self.start(work, 0)
        self.propagate(work, np.zeros(0, np.int32), 0)
        self.reset_hopeless(work)
        self.release(work, 0, 0)
        self.reopen(work)
        self.put_in_order(work, work.order[0].copy())
