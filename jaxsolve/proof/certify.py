"""Makes the certificate of a decided search: collects the proof, writes it and checks it."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.core.process import cpu_seconds
from jaxsolve.games.game import Game
from jaxsolve.proof.builder import GraphBuilder
from jaxsolve.proof.certificate_writer import Certificate, write_certificate
from jaxsolve.proof.check import Report, check, knows
from jaxsolve.proof.check import registry as checkers
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.decided import Decided, Original
from jaxsolve.proof.errors import ProofRefused, ProofRepeats, ProofUnfinished
from jaxsolve.proof.graph import ProofGraph
from jaxsolve.proof.zoned import ZonedGraphBuilder

if TYPE_CHECKING:
    from jaxsolve.question import Claim

REFUSED = "refused-"  # prefix of the name of a certificate that the checker refused
READ_BYTES = 8192  # compressed bytes read by the checker at once: about 50 ms of work

Stop = Callable[[], "str | None"]
"""Callback to stop the collection and the check of a proof. It is called at least every 0.2 s.

It returns None to continue, or the reason to stop. The reason is the end of a sentence.
"""


@dataclass(frozen=True)
class Checked:
    """The checker's report on a certificate, and the CPU time of the check."""

    report: Report
    cpu_seconds: float


@dataclass(frozen=True)
class Certified:
    """Result of ``certify``. If ``checked`` is set, the checker has accepted the certificate."""

    path: Path | None  # None if the file was not kept
    nodes: int
    bytes: int
    line: list[str]  # moves of the longest line
    # A move at the root after which the claim still holds; None if the opponent is to move or the
    # game is over.
    first_move: str | None
    checked: Checked | None  # None if the check was switched off
    cpu_seconds: float  # in total, with the check and compilation
    compile_seconds: float  # CPU seconds of compilation


def certify(
    found: Decided,
    *,
    memory_mb: int = 2048,
    stop: Stop | None = None,
    check_it: bool = True,
) -> Certified:
    """Collects the proof of a decided claim from its log, writes it and checks it.

    The file is renamed to ``found.path`` once it is complete and, if it is checked, accepted.

    Args:
      found: the decided claim and the sources of its proof.
      memory_mb: memory bound for the log's index and the proof graph together.
      stop: called regularly; may end the work (``Stop``).
      check_it: whether to run the checker. A proof under a relaxation (``found.original``) is
        always checked.

    Raises:
      ProofGap: the log does not prove the claim. The caller must withhold the answer and drop the
        records from ``ProofGap.record`` on (``ProofLog.forget``).
      ProofRefused: the checker refused the certificate. The file is kept beside ``found.path``
        under the name ``refused-...``. The caller must withhold the answer.
      ProofRepeats: the proof does not carry over to the rules of ``found.original``.
      ProofUnfinished: ``stop`` returned a reason, or memory ran out. The log still has the proof.
      OSError: the certificate cannot be written.
    """
    game, claim, path, original = found.game, found.claim, found.path, found.original
    start = cpu_seconds()
    builder = _builder(found, memory_mb, _poll(stop))
    graph = builder.build(np.asarray(found.root, np.uint32))
    order = graph.post_order()
    line = graph.longest_line(game, order)
    if original is not None:
        line = _playable(original.game, original.game.text(original.state), line)
    elif builder.leads_elsewhere and knows(game.name):
        line = _playable(game, game.text(graph.state(game, 0)), line)
    moves = int(game.to_move(graph.state(game, 0))) == claim.player
    first_move = graph.first_move(game, found.evaluator.has_knowledge) if moves else None
    written, result = _write_checked(found, graph, order, stop, check_it or original is not None)
    if found.accepted is not None:
        found.accepted(builder)
    return Certified(
        path,
        written.nodes,
        written.bytes,
        line,
        first_move,
        result,
        cpu_seconds() - start,
        builder.compile_seconds,
    )


def records_of(found: Decided, memory_mb: int = 2048) -> np.ndarray:
    """Collects the proof of a decided claim, without a certificate, and returns its records.

    Args:
      found: the decided claim and the sources of its proof.
      memory_mb: memory bound for the log's index and the proof graph together.

    Returns:
      uint32[n, S + 1 + Z], oldest first.

    Raises ProofGap and ProofUnfinished as ``certify`` does.
    """
    builder = _builder(found, memory_mb, lambda: None)
    builder.pairs = False
    builder.build(np.asarray(found.root, np.uint32))
    return builder.records_used()[1]


def _builder(found: Decided, memory_mb: int, stop: Callable[[], None]) -> GraphBuilder:
    kind = ZonedGraphBuilder if found.evaluator.zone_words else GraphBuilder
    return kind(found.game, found.evaluator, found.log, found.claim, memory_mb=memory_mb, stop=stop)


def _write_checked(
    found: Decided, graph: ProofGraph, order: np.ndarray, stop: Stop | None, check_it: bool
) -> tuple[Certificate, Checked | None]:
    """Writes the certificate, and renames it to ``found.path`` once it may be published.

    Args:
      found: the decided claim.
      graph: its proof.
      order: int32[N], the nodes of ``graph`` in the order in which they are written.
      stop: as for ``certify``.
      check_it: whether to run the checker, which must then accept the certificate.

    Returns:
      The size of the certificate, and the result of the check (None without a check).

    Raises the errors of ``certify`` for refused and unfinished proofs, and OSError.
    """
    path = found.path
    name = path.name if path is not None else "proof.jsonl.gz"
    with _folder(path) as folder:
        written = write_certificate(found, graph, folder / f"unchecked-{name}", order, _poll(stop))
        try:
            result = checked(written.path, stop) if check_it else None
            if result is not None:
                claimed = found.original or Original(found.game, graph.state(found.game, 0))
                kept = None if path is None else path.with_name(REFUSED + name)
                _judge(result.report, claimed, found.claim, written.path, kept)
            if path is not None:
                os.replace(written.path, path)
        finally:
            written.path.unlink(missing_ok=True)
    return written, result


def checked(path: str | os.PathLike[str], stop: Stop | None = None) -> Checked:
    """Runs the independent checker on a file.

    Raises ProofUnfinished if ``stop`` returns a reason to stop (``Stop``).
    """
    start = cpu_seconds()
    with open(path, "rb", buffering=0) as file:
        polled = _Polled(file, _poll(stop))
        report = check(polled)  # type: ignore[arg-type]  # the checker reads open files, too
    if polled.stopped is not None:  # only a part of the file was checked
        raise polled.stopped
    return Checked(report, cpu_seconds() - start)


def _playable(game: Game, position: str, line: list[str]) -> list[str]:
    """Returns the moves at the beginning of ``line`` that can be played from ``position``.

    A line of a proof with zones can contain moves that are not legal on the real board. The reason
    is that a node can have a covered position in place of the position after the move. The replies
    at such a node are legal in the covered position.
    """
    rules = checkers.find(game.name).rules(game.rule_set)
    for count, move in enumerate(line):
        try:
            position = rules.child(rules.position(position), move)
        except Refused:
            return line[:count]
        if rules.verdict(rules.position(position)) is not None:
            return line[: count + 1]
    return line


def _judge(
    report: Report, claimed: Original, claim: Claim, written: Path, kept: Path | None
) -> None:
    """Raises ProofRefused or ProofRepeats unless the report accepts ``claim`` about ``claimed``.

    A certificate that is refused is moved from ``written`` to ``kept``, unless ``kept`` is None.
    """
    game, root = claimed
    same = (report.rules, report.root, report.claim) == (
        game.rule_set,
        game.text(root),
        claim.text(game.players),
    )
    if report.accepted and same:
        return
    if report.repeats:
        raise ProofRepeats(report.sentence)
    if kept is not None:
        os.replace(written, kept)
    raise ProofRefused(
        report.sentence if not report.accepted else "accepted, but of another claim."
    )


@contextmanager
def _folder(path: Path | None) -> Iterator[Path]:
    """Yields the folder for writing the certificate: the folder of ``path``, or a temporary one."""
    if path is not None:
        yield path.parent
        return
    with tempfile.TemporaryDirectory(prefix="jaxsolve-") as name:
        yield Path(name)


def _poll(stop: Stop | None) -> Callable[[], None]:
    def poll() -> None:
        why = stop() if stop is not None else None
        if why is not None:
            raise ProofUnfinished(why)

    return poll


class _Polled:
    """Wrapper of a binary file. It calls ``poll`` before every read of at most READ_BYTES bytes.

    ``stopped`` is the exception that ``poll`` raised, or None. With the rules of a plug-in, the
    checker converts this exception to a refusal. Therefore the caller must test ``stopped``.
    """

    def __init__(self, file: io.FileIO, poll: Callable[[], None]):
        self._file, self._poll = file, poll
        self.stopped: ProofUnfinished | None = None

    def read(self, size: int = -1) -> bytes:
        try:
            self._poll()
        except ProofUnfinished as why:
            self.stopped = why
            raise
        return self._file.read(READ_BYTES if size < 0 else min(size, READ_BYTES)) or b""

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()
