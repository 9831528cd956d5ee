"""Orders and reports: the messages between the manager and the workers.

A message is a line of JSON, followed by the bytes of the records; nothing is unpickled. A report is
a statement of a worker. The manager uses nothing of it before ``verification.verify``.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import zlib
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from jaxsolve.cluster.messages import joined, split
from jaxsolve.core import strict_json
from jaxsolve.games.game import Game
from jaxsolve.games.registry import make
from jaxsolve.question import Claim, Verdict
from jaxsolve.search.settings import Limits

LEAST_SECONDS = 0.5  # CPU seconds of an order at the end of a run's limit
MOST_NUMBERS = 1 << 14
MOST_RECORDS = 1 << 24  # records of one report; more are refused


@dataclass(frozen=True)
class Order:
    """A job: a position that a worker searches up to a limit."""

    id: int  # of the job; unique in a run
    attempt: int  # a job that was lost goes out again with the next number
    version: int  # of the weights; 0: those that the worker began with
    rules: str  # rule-set id
    position: str  # as text
    claim: Claim
    nodes: int | None = None  # limit of positions expanded
    cpu_seconds: float | None = None  # limit
    root: str = ""  # position of the question, and the moves from there to ``position``
    line: tuple[int, ...] = ()

    def next_attempt(self) -> Order:
        """Returns the order with the next number of attempts."""
        return dataclasses.replace(self, attempt=self.attempt + 1)

    def game(self) -> Game:
        """The game of the order. Raises ValueError for rules that do not exist."""
        return make(self.rules)

    def encode(self) -> bytes:
        """Returns the order as a line of JSON."""
        return json.dumps(vars(self) | {"claim": vars(self.claim)}).encode()

    @classmethod
    def decode(cls, message: bytes) -> Order:
        """Returns the order of a message. Raises ValueError if it is none."""
        fields, rest = split(message)
        if rest:
            raise ValueError("the order has more than one line")
        claim, line = fields.pop("claim", None), fields.pop("line", None)
        if not isinstance(claim, dict) or not isinstance(line, list):
            raise ValueError("the order has no claim or no line")
        try:
            return cls(claim=Claim(**claim), line=tuple(line), **fields)
        except TypeError as error:
            raise ValueError(f"the order has other fields ({error})") from None


@dataclass(frozen=True)
class Report:
    """The end of a job, as a worker states it."""

    id: int
    attempt: int
    version: int
    verdict: str  # of ``Verdict``
    reason: str = ""
    nodes: int = 0
    evaluations: int = 0
    cpu_seconds: float = 0.0
    # The verdict is about the position after so many moves of the order's line; -1: about the
    # order's position.
    depth: int = -1
    # Action, proof number and disproof number of moves in the order's position, as a hint.
    numbers: tuple[tuple[int, int, int], ...] = ()
    words: int = 0  # words of a record
    # Records of the proof log that prove the verdict, uint32[n, words], children before parents,
    # compressed. Empty bytes without a verdict. A proof may need no record.
    records: bytes = b""

    @property
    def decided(self) -> bool:
        """Whether the worker states a verdict."""
        return self.verdict != str(Verdict.UNKNOWN)

    def reached_limit(self, order: Order) -> bool:
        """Whether the search ended at a limit of the order. If not, more of it is of no use."""
        limits = (self.nodes, order.nodes), (self.cpu_seconds, order.cpu_seconds)
        return any(limit is not None and used >= limit for used, limit in limits)

    def array(self) -> np.ndarray:
        """The records, uint32[n, words]. Raises ValueError if they are not as described."""
        return unpacked(self.records, self.words)

    def encode(self) -> bytes:
        """Returns the report as a line of JSON and the records."""
        head = {
            each.name: getattr(self, each.name)
            for each in dataclasses.fields(self)
            if each.name != "records"
        }
        return joined(head, self.records)

    @classmethod
    def decode(cls, message: bytes) -> Report:
        """Returns the report of a message. Raises ValueError if it is none."""
        fields, records = split(message)
        expected = {each.name: each.type for each in dataclasses.fields(cls)}
        del expected["records"]
        if fields.keys() != expected.keys():
            raise ValueError("the report has other fields")
        kinds: dict[Any, tuple[type, ...]] = {"int": (int,), "str": (str,), "float": (int, float)}
        fields["numbers"] = checked_numbers(fields["numbers"])
        del expected["numbers"]
        for name, kind in expected.items():
            value = fields[name]
            if type(value) not in kinds[kind]:
                raise ValueError(f"{name} of the report is {strict_json.shortened(repr(value))}")
            if type(value) is not str and not -(name == "depth") <= value < 1 << 62:
                raise ValueError(f"{name} of the report is {value}")
        if fields["verdict"] not in [str(each) for each in Verdict]:
            raise ValueError("the report has no verdict that exists")
        return cls(**fields, records=records)


def within(order: Order, left: Limits, workers: int) -> Order:
    """Returns the order with its share of what is left of a run's limits.

    The orders of all workers together use up what is left, and little more. A node takes at least
    one evaluation.
    """
    nodes, seconds = _least(left.nodes, left.evaluations), left.cpu_seconds
    if nodes is not None:
        nodes = max(1, -(-nodes // max(1, workers)))
    if seconds is not None:
        seconds = max(LEAST_SECONDS, seconds / max(1, workers))
    return dataclasses.replace(
        order,
        nodes=_least(order.nodes, nodes),
        cpu_seconds=_least(order.cpu_seconds, seconds),
    )


Number = TypeVar("Number", int, float)


def _least(one: Number | None, other: Number | None) -> Number | None:
    """Returns the lower of two limits; None is no limit."""
    return min((each for each in (one, other) if each is not None), default=None)


def packed(records: np.ndarray) -> bytes:
    """Returns uint32[n, words] as the bytes of ``Report.records``."""
    return zlib.compress(np.ascontiguousarray(records, "<u4").tobytes(), 1)


def unpacked(data: bytes, words: int) -> np.ndarray:
    """Returns the records uint32[n, words] of ``packed``.

    Raises ValueError for damaged bytes, and for more than ``MOST_RECORDS``.
    """
    opened = zlib.decompressobj()
    if not 1 <= words < 1 << 16:
        raise ValueError(f"records of {words} words")
    try:
        found = opened.decompress(data, 4 * words * MOST_RECORDS)
    except zlib.error as error:
        raise ValueError(f"the records are damaged ({error})") from None
    if not opened.eof or opened.unused_data or len(found) % (4 * words):
        raise ValueError("the records are truncated, or too many")
    return np.frombuffer(found, "<u4").reshape(-1, words).astype(np.uint32)


def checked_numbers(rows: Any) -> tuple[tuple[int, int, int], ...]:
    """Returns ``Report.numbers`` from JSON values. Raises ValueError if they are none."""
    if not isinstance(rows, list) or len(rows) > MOST_NUMBERS:
        raise ValueError("the numbers of the report are no list, or too many")
    if not all(type(row) is list and len(row) == 3 for row in rows):
        raise ValueError("numbers of the report are not three")
    numbers = list(itertools.chain.from_iterable(rows))
    whole = set(map(type, numbers)) <= {int}  # a bool is none
    if numbers and not (whole and min(numbers) >= 0 and max(numbers) < 1 << 31):
        raise ValueError("a number of the report is none")
    return tuple((row[0], row[1], row[2]) for row in rows)
