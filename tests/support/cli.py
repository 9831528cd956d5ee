"""Helpers for tests of the command line: runs in this process or another, a problem set."""

from __future__ import annotations

import contextlib
import csv
import json
import resource
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from jaxsolve import cli

WIN, LOSS = "X../X../... b", ".../.X./... w"  # hex-3: the side to move wins, loses
PROBLEMS = {
    "format": "jaxsolve-problems",
    "version": 1,
    "rules": "hex-3",
    "problems": [
        {"id": "win", "position": WIN, "expected": "proved"},
        {"id": "loss", "position": LOSS, "expected": "disproved"},
        {"id": "start", "expected": "proved"},
    ],
}


def run(*words):
    return CliRunner().invoke(cli.app, [str(word) for word in words])


def bench(*words):
    """``jaxsolve bench`` in this process."""
    return run("bench", *words)


def one_object(result):
    """The JSON object that is the whole standard output."""
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def process(*words, **options):
    """Runs ``python -m jaxsolve`` in a process of its own."""
    command = [sys.executable, "-m", "jaxsolve", *map(str, words)]
    options = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "timeout": 300,
    } | options
    return subprocess.run(command, check=False, **options)


def rows_of(out: Path) -> list[tuple[str, str]]:
    """(id, verdict) of every row; the record and the CSV file must agree."""
    rows = [
        (row["id"], row["verdict"])
        for row in map(json.loads, (out / "results.jsonl").read_text().splitlines())
    ]
    with (out / "results.csv").open(newline="") as sheet:
        assert [(row["id"], row["verdict"]) for row in csv.DictReader(sheet)] == rows
    return rows


@contextlib.contextmanager
def files_of_at_most(size: int):
    """Makes writing more than ``size`` bytes to a file fail; Python ignores the signal."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
