"""A run killed at any moment resumes, with the same verdict and an accepted certificate."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from jaxsolve.core.run_folder import FolderError
from jaxsolve.proof.log import ProofLog
from jaxsolve.question import Problem
from jaxsolve.search import Claim, Limits, Verdict, solve, solve_pool, solve_value
from jaxsolve.search.run.effort import MEASURES
from support import search as search_tools
from support.plain_hex import make
from support.search import LONG

SCRIPT = """
import sys
from pathlib import Path
from jaxsolve.core import process
process.setup()
from jaxsolve.games import make
from jaxsolve.games.hex import Hex
from jaxsolve.proof import log
from jaxsolve.search import Claim, Limits, solve
log.FLUSH_RECORDS = 16
rules, text, player, method, out, resume = sys.argv[1:]
game = Hex(6, knowledge=False) if rules == "hex-6" else make(rules)
print("started", flush=True)
options = dict(out=Path(out), resume=resume == "1", wave=1, limits=Limits(nodes=200_000))
solve(game, game.parse(text), claim=Claim(int(player)), method=method, **options)
"""
HEX = ("hex-6", "....../.X..O./X...../....../...O../...... b", 0, Verdict.PROVED)
GO = (
    "killallgo-9;ko=simple;passes=stones;fill_eyes=false",
    "XXXXXXXX./XXXXXXXXX/XXXXXXXX./XXXXXXXXX/XXXXXXXXX/XXXXXXXXX/OOXXXXXXX/..OXXXXXX/..OXXXXXX w",
    1,
    Verdict.DISPROVED,
)


def start(question, method: str, out, resume: bool) -> subprocess.Popen:
    rules, text, player, _ = question
    command = [
        sys.executable,
        "-c",
        SCRIPT,
        rules,
        text,
        str(player),
        method,
        str(out),
        str(int(resume)),
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=dict(os.environ))


def kill_while_it_runs(process: subprocess.Popen, seconds: float) -> None:
    """Kills a run that has written its question, ``seconds`` later, unless it has ended by then."""
    assert process.stdout is not None and process.stdout.readline() == b"started\n"
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()


@pytest.mark.short(1)
@pytest.mark.parametrize("number", range(20 if LONG else 2))
def test_a_killed_run_resumes(number, tmp_path):
    rng = random.Random(number)
    question, method = ((HEX, "dfpn"), (GO, "fdfpn"), (HEX, "pns"), (GO, "mcts"))[number % 4]
    out, logged = tmp_path / "run", []
    for attempt in range(3 if LONG else 2):
        kill_while_it_runs(
            start(question, method, out, attempt > 0 and out.exists()), rng.uniform(0.2, 6.0)
        )
        logged.append((out / "proof.log").stat().st_size if (out / "proof.log").exists() else 0)
    assert logged == sorted(logged) or "proof.log" not in os.listdir(out)
    rules, text, player, verdict = question
    game = make(rules)
    result = solve(
        game,
        game.parse(text),
        claim=Claim(player),
        method=method,
        out=out,
        resume=out.exists(),
        limits=Limits(nodes=300_000),
    )
    assert result.verdict is verdict
    search_tools.accepted(game, game.parse(text), Claim(player), result)


def test_a_resumed_run_evaluates_no_logged_position_again(tmp_path):
    """A finished run is answered from its log."""
    game = make("hex-5")
    out, claim = tmp_path / "run", Claim(0)
    whole = solve(game, game.init(), claim=claim, wave=1)
    first = solve(
        game, game.init(), claim=claim, out=out, wave=1, limits=Limits(nodes=whole.nodes * 3 // 4)
    )
    assert first.verdict is Verdict.UNKNOWN and first.certificate is None
    last = solve(game, game.init(), claim=claim, out=out, wave=1, resume=True)
    assert last.verdict is whole.verdict
    search_tools.accepted(game, game.init(), claim, last)
    again = solve(game, game.init(), claim=claim, out=out, wave=1, resume=True)
    assert again.verdict is whole.verdict
    search_tools.accepted(game, game.init(), claim, again)


def test_a_lost_log_does_not_replace_an_earlier_proof(tmp_path):
    """The proof stands, and the result that names it, whatever a later search comes to."""
    game, out = make("hex-4"), tmp_path / "run"
    first = solve(game, game.init(), out=out)
    assert first.verdict is Verdict.PROVED
    before = (out / "result.json").read_bytes()
    (out / "proof.log").unlink()
    again = solve(game, game.init(), out=out, resume=True, limits=Limits(nodes=1))
    assert again.verdict is Verdict.UNKNOWN and "proof of an earlier run stands" in again.reason
    assert (out / "result.json").read_bytes() == before
    first.certificate.write_bytes(b"damaged")
    again = solve(game, game.init(), out=out, resume=True, limits=Limits(nodes=1))
    assert "stands" not in again.reason and b"unknown" in (out / "result.json").read_bytes()


def test_a_folder_of_another_run_is_refused(tmp_path):
    game = make("hex-3")
    state = game.parse(".X./.../... w")
    solve(game, state, claim=Claim(0), out=tmp_path / "run")
    for claim, position, resume in (
        (Claim(1), state, True),
        (Claim(0), game.init(), True),
        (Claim(0), state, False),
    ):
        with pytest.raises(FolderError):
            solve(game, position, claim=claim, out=tmp_path / "run", resume=resume)
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a").write_text("dear")
    with pytest.raises(FolderError, match="not empty"):
        solve(game, state, claim=Claim(0), out=tmp_path / "letters")
    assert (tmp_path / "letters" / "a").read_text() == "dear"


def figures(out) -> dict[str, list[float]]:
    """The figures in the result files of a folder, by the folder of their claim."""
    found = {}
    for path in sorted(out.rglob("result.json")):
        stored = json.loads(path.read_text())
        found[str(path.parent)] = [stored[name] for name in MEASURES[:-1]]
    return found


@pytest.mark.parametrize("rules", ["hex-5", "killallgo-9", "gomoku-7;knowledge=4t"])
def test_limits_and_figures_include_the_earlier_runs(tmp_path, rules):
    """A run and its continuation together search no more than one run with the larger limit."""
    game, out = make(rules), tmp_path / "run"

    def total(limit: int) -> tuple[int, int]:
        limits, resume = Limits(nodes=limit), out.exists()
        if game.may_draw:
            results = solve_value(
                game, game.init(), out=out, resume=resume, limits=limits, wave=1
            ).results
        else:
            results = [
                solve(game, game.init(), out=out, resume=resume, limits=limits, wave=1),
            ]
        assert all(result.verdict is Verdict.UNKNOWN for result in results)
        assert [result.nodes for result in results] == [row[0] for row in figures(out).values()]
        return sum(result.nodes for result in results), sum(row[0] for row in figures(out).values())

    assert total(200) == (200, 200)
    kept = figures(out)
    assert total(200) == (200, 200) and figures(out) == kept
    assert total(500) == (500, 500)
    for folder, row in figures(out).items():
        assert all(now >= before for now, before in zip(row, kept[folder], strict=True))


def test_a_finished_run_keeps_its_figures(tmp_path):
    game, out = make("hex-4"), tmp_path / "run"
    first = solve(game, game.init(), out=out, wave=1, limits=Limits(nodes=20))
    assert first.verdict is Verdict.UNKNOWN
    last = solve(game, game.init(), out=out, wave=1, resume=True)
    assert last.verdict is Verdict.PROVED and last.nodes > 20
    assert last.cpu_seconds > first.cpu_seconds and last.wall_seconds > first.wall_seconds
    kept = figures(out)
    for limits in (Limits(), Limits(nodes=1)):
        again = solve(game, game.init(), out=out, resume=True, limits=limits)
        assert again.verdict is Verdict.PROVED and again.nodes == last.nodes
        assert figures(out) == kept
    assert len(
        list(solve_pool([Problem("run", game, game.init(), Claim(0))], pool=1, out=tmp_path))
    )
    assert figures(out) == kept


@pytest.mark.parametrize("damage", [b"", b"[]", b'{"nodes": -1}', b"\xff", None])
def test_a_damaged_result_file_counts_nothing(tmp_path, damage):
    game, out = make("hex-5"), tmp_path / "run"
    solve(game, game.init(), out=out, wave=1, limits=Limits(nodes=50))
    path = out / "result.json"
    path.unlink() if damage is None else path.write_bytes(damage)
    again = solve(game, game.init(), out=out, wave=1, resume=True, limits=Limits(nodes=60))
    assert again.nodes == 60 and figures(out)[str(out)][0] == 60


def test_reading_a_log_uses_up_no_time_limit(tmp_path, monkeypatch):
    """However long the log takes to read, a resumed run goes on with what is left of its limits."""
    game, out = make("hex-6"), tmp_path / "run"
    first = solve(game, game.init(), claim=Claim(1), out=out, limits=Limits(nodes=300))
    chunks = ProofLog.chunks

    def slow(self, *arguments):
        end = time.process_time() + 1.0
        while time.process_time() < end:
            pass
        return chunks(self, *arguments)

    monkeypatch.setattr(ProofLog, "chunks", slow)
    for limits in (
        Limits(cpu_seconds=first.cpu_seconds + 0.5),
        Limits(wall_seconds=first.wall_seconds + 1.5),
    ):
        again = solve(game, game.init(), claim=Claim(1), out=out, resume=True, limits=limits)
        assert again.verdict is Verdict.UNKNOWN and again.stopped_by in (
            "cpu_seconds",
            "wall_seconds",
        )
        assert again.nodes > first.nodes
        assert again.cpu_seconds < first.cpu_seconds + 1.5
        first = again
