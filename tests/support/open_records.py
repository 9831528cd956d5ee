"""Table of ``jaxsolve tsumego`` on open-sided problems of public collections.

``PYTHONPATH=tests python -m support.open_records --time 60 --half a`` runs the records of
``tests/tsumego/open_records.json``. Other options go to ``tsumego``, such as ``--method rzs``.

Each record names its source, the right first moves of the source, and a point of the stones that
are meant. The sources state moves and the side to move only. So ``expected`` is a reading of the
board by the person who made the set: *lives*, *dies*, *ko*, *seki* or *unknown*, for the side of
``first`` to move. ``other_stones`` are stones of the other colour whose life is the same question,
with their status. Records of the half *b* are kept aside, so that a change can be made with *a*
alone and be judged by *b*.

=============  =================================================================================
result         meaning
=============  =================================================================================
right          the status is as expected, and the move named is one of the source
other move     the status is as expected, and the move named is another one, which is proved right
wrong          the status is proved, and is another one than expected
open           the status is not known, or the stones are neither alive nor captured in the region
other group    the stones proposed are others than those that are meant
=============  =================================================================================
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import tempfile
from typing import NamedTuple

from support.tsumego_command import run

PATH = pathlib.Path(__file__).parents[1] / "tsumego" / "open_records.json"
RESULTS = ("right", "other move", "wrong", "open", "other group")
HEAD = "id status named expected result CPU group region"
WIDTHS = (24, 13, 6, 9, 12, 6, 14, 6)


class Row(NamedTuple):
    """One line of the table."""

    id: str
    status: str  # "neither": neither alive nor captured in an open region
    named: str  # right first moves that ``tsumego`` names
    expected: str
    result: str  # of RESULTS
    seconds: float  # CPU seconds of the searches
    group: str  # colour, a stone and number of the stones proposed
    region: int  # points of the region

    def __str__(self) -> str:
        return columns(*self[:5], f"{self.seconds:.1f}", self.group, str(self.region))


def columns(*words: str) -> str:
    """Returns words in the columns of the table."""
    return " ".join(word.ljust(width) for word, width in zip(words, WIDTHS, strict=True)).rstrip()


def load(half: str | None = None) -> list[dict]:
    """Returns the records, or those of one half."""
    records = json.loads(PATH.read_text())["records"]
    return [record for record in records if half in (None, record["half"])]


def study(record: dict, *words: str) -> dict:
    """Returns the JSON of ``tsumego --quick`` for a record, the side of the record first."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "record.sgf"
        path.write_text("".join(record["sgf"]))
        result = run(path, "--first", record["first"], "--quick", "--json", *words)
    assert result.exit_code in (0, 10), result.output
    return json.loads(result.stdout)


def expected_of(record: dict, crucial: list[str]) -> str | None:
    """Returns the expected status of the stones proposed; None if other stones are meant."""
    meant = {record["stones"]: record["expected"], **record.get("other_stones", {})}
    return next((status for point, status in meant.items() if point in crucial), None)


def fits(expected: str, status: str, attacker_first: bool) -> bool:
    """Returns whether a known status is the expected one.

    Where the source does not tell it, every status fits that is not the worst one for the side to
    move.
    """
    if expected == "unknown":
        return status != ("lives" if attacker_first else "dies")
    return status.endswith("in ko") if expected == "ko" else status == expected


def row(record: dict, found: dict) -> Row:
    """Returns the line of a record for the JSON of ``tsumego``."""
    first = found[f"{record['first']}_first"]
    expected = expected_of(record, found["crucial"])
    attacker_first = found["defender"] != record["first"]
    if expected is None:
        result = "other group"
    elif first["status"] == "unknown" or not first["ranked"]:
        result = "open"
    elif not fits(expected, first["status"], attacker_first):
        result = "wrong"
    else:
        result = "right" if set(first["right"]) & set(record["right"]) else "other move"
    return Row(
        record["id"],
        first["status"] if first["ranked"] else first["status"].replace("seki", "neither"),
        ",".join(first["right"]) or "-",
        expected or record["expected"],
        result,
        sum(each["cpu_seconds"] for each in (*found["questions"], found["unneeded"])),
        f"{found['defender']} {found['crucial'][0]} ({len(found['crucial'])})",
        len(found["region"]),
    )


def main() -> None:
    """Runs the records and prints the table and its sums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--time", type=float, default=60, help="CPU seconds for a record")
    parser.add_argument("--half", choices=("a", "b"), help="the records of one half")
    parser.add_argument("--id", help="only records whose id contains this")
    given, words = parser.parse_known_args()
    limits = ("--time", str(given.time), "--total", str(given.time))
    counts: collections.Counter[str] = collections.Counter()
    seconds = 0.0
    print(columns(*HEAD.split()), flush=True)
    for record in load(given.half):
        if given.id is None or given.id in record["id"]:
            line = row(record, study(record, *limits, *words))
            counts[line.result] += 1
            seconds += line.seconds
            print(line, flush=True)
    sums = ", ".join(f"{counts[result]} {result}" for result in RESULTS)
    print(f"{counts.total()} records: {sums}; {seconds:.0f} CPU seconds")


if __name__ == "__main__":
    main()
