"""Verification: what a report proves, found from its records alone.

The proof is collected from the report's records and given to the independent checker, as at the end
of every search. Only the records that the accepted proof uses are returned. So a false report, also
of an outdated worker or one with bad memory, can cost time, but nothing false is adopted.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

import numpy as np

from jaxsolve.cluster.orders import Order, Report
from jaxsolve.evaluate import Evaluator
from jaxsolve.proof.builder import GraphBuilder
from jaxsolve.proof.certify import certify
from jaxsolve.proof.check import knows
from jaxsolve.proof.decided import Decided
from jaxsolve.proof.errors import ProofGap, ProofRefused, ProofUnfinished
from jaxsolve.proof.graph import LEAF, OR
from jaxsolve.proof.log import ProofLog
from jaxsolve.proof.record_checks import are_records
from jaxsolve.question import Verdict

SPARE_NODES = 1024  # nodes that a search may expand beyond its limit
# A worker that reports later than this counts as hanging, so no report states more CPU seconds.
SPARE_SECONDS, SPARE_FACTOR = 120.0, 10.0
MOST_A_SECOND = 10_000_000  # nodes or evaluations


class Distrust(Exception):
    """A report that its records do not prove. The message states what is wrong."""


class Proved(NamedTuple):
    """Decided positions that the checker has accepted, children before parents."""

    states: np.ndarray  # uint32[n, S]
    moves: np.ndarray  # int32[n]
    zones: np.ndarray  # uint32[n, Z]
    records: np.ndarray  # uint32[n, S + 1 + Z], the same
    data: bytes = b""  # ``orders.packed(records)``, if that is known


def read(order: Order, message: bytes) -> Report:
    """Returns the report of a message.

    Raises Distrust if it is not one of ``order``, or states more work than was ordered.
    """
    try:
        report = Report.decode(message)
    except ValueError as error:
        raise Distrust(str(error)) from None
    stated = (report.id, report.attempt, report.version)
    if stated != (order.id, order.attempt, order.version):
        raise Distrust(
            f"it is of job {report.id}, attempt {report.attempt}, weights {report.version};"
            f" ordered: {order.id}, {order.attempt}, {order.version}"
        )
    if report.depth >= len(order.line):
        raise Distrust(f"it is about move {report.depth} of a line of {len(order.line)}")
    if order.nodes is not None and report.nodes > order.nodes + SPARE_NODES:
        raise Distrust(f"it states {report.nodes} nodes, with a limit of {order.nodes}")
    if order.cpu_seconds is not None:
        seconds = SPARE_SECONDS + SPARE_FACTOR * order.cpu_seconds
        if report.cpu_seconds > seconds:
            raise Distrust(
                f"it states {report.cpu_seconds:g} CPU seconds, with a limit of"
                f" {order.cpu_seconds:g}"
            )
        if max(report.nodes, report.evaluations) > MOST_A_SECOND * seconds:
            raise Distrust(
                f"it states {report.nodes} nodes and {report.evaluations} evaluations within"
                f" {order.cpu_seconds:g} CPU seconds"
            )
    return report


def verify(
    order: Order,
    report: Report,
    root: np.ndarray,
    evaluator: Evaluator,
    memory_mb: int = 256,
) -> Proved | None:
    """Returns what a report proves, or None.

    None means that it states no verdict, that its proof needs more memory, or that the temporary
    files of the check cannot be written.

    Args:
      order: the order.
      report: the report, which ``read`` has returned.
      root: uint32[S], the packed position that the verdict is about: that of the order, or the
        position after ``report.depth`` moves of the order's line.
      evaluator: evaluator of the search.
      memory_mb: memory for the proof.

    Raises:
      Distrust: the records do not prove the verdict.
    """
    if not report.decided:
        return None
    game = evaluator.game
    zone_words = evaluator.zone_words
    if report.words != game.state_words + 1 + zone_words:
        raise Distrust(f"its records have {report.words} words")
    try:
        records = report.array()
    except ValueError as error:
        raise Distrust(str(error)) from None
    if not are_records(game, zone_words, records):
        raise Distrust("its records have values that no search writes")
    claim = order.claim
    if report.verdict == str(Verdict.DISPROVED):
        claim = claim.opposite(game.may_draw)
    log = ProofLog({}, game.state_words, None, zone_words, memory_mb)
    found: list[GraphBuilder] = []
    try:
        log.append(*log.split(records))
        log.flush()
        decided = Decided(game, evaluator, log, claim, root, accepted=found.append)
        certify(decided, memory_mb=memory_mb, check_it=knows(game.name))
        used = _with_root(found[0], root)
    except (ProofUnfinished, OSError):
        return None
    except (ProofGap, ProofRefused) as error:
        raise Distrust(f"its records do not prove it ({error})") from None
    finally:
        with contextlib.suppress(OSError):
            log.close()
    return Proved(*log.split(used), used, report.records if np.array_equal(used, records) else b"")


def _with_root(builder: GraphBuilder, root: np.ndarray) -> np.ndarray:
    """Returns the records that a proof uses, and last a record of its root.

    The root needs none if a threat search decides it. But the manager has to learn its result. A
    search with zones decides such a root on sight, so it is no job.
    """
    used, graph, words = builder.records_used()[1], builder.graph, builder.game.state_words
    known = (used[:, :words] == root).all(axis=1).any()
    if known or used.shape[1] > words + 1 or graph.kinds[0] == LEAF:
        return used
    record = np.zeros((1, used.shape[1]), np.uint32)
    record[0, :words] = root
    move = graph.children(0)[0][0] if graph.kinds[0] == OR else -1
    record[:, words].view(np.int32)[0] = move
    return np.concatenate([used, record])
