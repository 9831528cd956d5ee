"""The journal of a run: a line for each job that has ended, in the run's folder.

The proof log keeps what is proved; the journal keeps what was tried in vain. A resumed run selects
about the same leaves as before and expands those that the journal lists without a job. So the tree
of the manager needs no file of its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from jaxsolve.cluster.orders import Order, Report, checked_numbers
from jaxsolve.core import strict_json
from jaxsolve.proof.files import write_all
from jaxsolve.question import Verdict

JOURNAL = "jobs.jsonl"
NO_LIMIT = 1 << 62  # stands for the limit of a job that was limited by time only


class Journal:
    """The jobs that have ended, of this run and of those that it resumes.

    A line that was cut off, or is damaged, is left out: its job is searched again.

    Args:
      path: file, which is made at the first job; None: nothing is saved.
    """

    def __init__(self, path: Path | None):
        self.path = path
        self.failure: OSError | None = None  # the error of the last line that was not written
        self.jobs = self.solved = self.nodes = 0
        self.cpu_seconds = 0.0
        self._file: BinaryIO | None = None
        # Position -> (largest limit that found no answer, offset of the line in the file).
        self._tried: dict[bytes, tuple[int, int]] = {}
        for offset, line in self._lines():
            self._count(line, offset)
        # Of the runs that this one resumes.
        self.earlier_jobs, self.earlier_nodes = self.jobs, self.nodes
        self.earlier_seconds = self.cpu_seconds

    def _lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        if self.path is None or not self.path.exists():
            return
        offset = 0
        with self.path.open("rb") as file:
            for line in file:
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    yield offset, _checked(strict_json.loads(line.decode("utf-8")))
                offset += len(line)

    def tried(self, order: Order) -> int:
        """Returns the largest limit, in nodes, with which a position was searched in vain, or 0."""
        return self._tried.get(_key_of(order), (0, 0))[0]

    def numbers(self, order: Order) -> tuple[tuple[int, int, int], ...]:
        """Returns the numbers that the job found for the moves of a position (``Report.numbers``).

        Returns () if there are none, or if the file cannot be read.
        """
        found = self._tried.get(_key_of(order))
        if found is None or self.path is None:
            return ()
        try:
            with self.path.open("rb") as file:
                file.seek(found[1])
                line = strict_json.loads(file.readline().decode("utf-8"))
            return checked_numbers(line["numbers"])
        except (OSError, ValueError, KeyError, TypeError):
            return ()

    def add(self, order: Order, report: Report, worker: str) -> None:
        """Adds a job that has ended. What it has proved must be in the proof log already."""
        line = {
            "id": order.id,
            "rules": order.rules,
            "claim": vars(order.claim),
            "position": order.position,
            "limit": order.nodes,
            "verdict": report.verdict,
            "depth": report.depth,  # from 0 on: the verdict is about a position before this one
            "nodes": report.nodes,
            "cpu_seconds": round(report.cpu_seconds, 3),
            "worker": worker,
            "weights": report.version,
            "numbers": report.numbers,
        }
        offset = 0
        if self.path is not None:
            try:
                offset = self._write(self.path, json.dumps(line, ensure_ascii=False).encode())
            except OSError as error:
                self.failure = error
        self._count(line, offset)

    def _write(self, path: Path, line: bytes) -> int:
        """Appends a line, and returns its offset.

        A killed run loses no complete line, since the system has it at once.
        """
        line += b"\n"
        if self._file is None:
            file = path.open("a+b", buffering=0)
            size = file.seek(0, os.SEEK_END)
            if size and file.seek(size - 1) + 1 and file.read(1) != b"\n":
                line = b"\n" + line  # an earlier run was killed within a line
            self._file = file
        start = self._file.seek(0, os.SEEK_END)
        write_all(self._file, line)
        return start + line.startswith(b"\n")

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _count(self, line: dict[str, Any], offset: int) -> None:
        self.jobs += 1
        self.nodes += line["nodes"]
        self.cpu_seconds += line["cpu_seconds"]
        if line["verdict"] != str(Verdict.UNKNOWN):
            self.solved += 1
            return
        key = _key(line["rules"], line["claim"], line["position"])
        limit = line["limit"] or NO_LIMIT
        if limit >= self._tried.get(key, (0, 0))[0]:
            self._tried[key] = limit, offset


def _checked(line: Any) -> dict[str, Any]:
    """Returns a line. Raises ValueError, KeyError or TypeError if it is none of a journal."""
    if line["verdict"] not in [str(each) for each in Verdict]:
        raise ValueError
    whole, number = (int,), (int, float)  # a bool is none
    for name, kinds in {"nodes": whole, "cpu_seconds": number, "limit": whole}.items():
        if name == "limit" and line[name] is None:
            continue
        if type(line[name]) not in kinds or not 0 <= line[name] < 1 << 62:
            raise ValueError
    _key(line["rules"], line["claim"], line["position"])
    return line


def _key_of(order: Order) -> bytes:
    return _key(order.rules, vars(order.claim), order.position)


def _key(rules: str, claim: dict[str, Any], position: str) -> bytes:
    text = "\n".join((rules, str(claim["player"]), claim["result"], position))
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
