"""The command line as a person and a script meet it: exit codes, one JSON object, folders that are never mixed, sentences for bad input."""

from __future__ import annotations

import contextlib
import csv
import errno
import gc
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import jaxsolve
from jaxsolve import cli, search
from jaxsolve.commands import answer, failure, limits, suite
from jaxsolve.evaluate import Heads
from jaxsolve.formats import problems
from jaxsolve.games import make, registry
from jaxsolve.proof import certify, log
from jaxsolve.proof import check as checker
from jaxsolve.proof.check import check
from jaxsolve.question import Problem
from jaxsolve.runfolder import write_whole
from jaxsolve.search import Claim, Limits, Result, Settings, Verdict

WIN, LOSS = "X../X../... b", ".../.X./... w"  # hex-3, side to move wins and loses
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


def one_object(result):
    """The JSON object that is all of standard output."""
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


@pytest.fixture
def problem_file(tmp_path) -> Path:
    file = tmp_path / "set.json"
    file.write_text(json.dumps(PROBLEMS))
    return file


# ---- solve ---------------------------------------------------------------------------------------------------------
@pytest.mark.smoke
@pytest.mark.parametrize(("position", "code", "verdict"), [(WIN, 0, "proved"), (LOSS, 20, "disproved")])
def test_solve_answers_with_an_accepted_proof(tmp_path, position, code, verdict):
    out = tmp_path / "out"
    result = run("solve", position, "--game", "hex-3", "--out", out, "--json")
    assert result.exit_code == code
    answer = one_object(result)
    assert answer["verdict"] == verdict
    for name in ("best_move", "nodes", "evaluations", "cpu_seconds", "wall_seconds", "compile_seconds"):
        assert name in answer
    assert check(answer["certificate"]).accepted
    assert run("check", answer["certificate"]).exit_code == 0


def test_a_disproved_claim_says_who_wins():
    result = run("solve", LOSS, "--game", "hex-3")
    assert "disproved: white does not win; black wins" in result.stdout and "Disproved" not in result.stdout
    assert one_object(run("solve", LOSS, "--game", "hex-3", "--json"))["winner"] == "black"
    assert one_object(run("solve", WIN, "--game", "hex-3", "--json"))["winner"] == "black"


def headline(rules, position, claim, verdict):
    game = make(rules)
    problem = Problem("x", game, game.parse(position), claim)
    result = Result(verdict, claim, "")
    return "".join(answer.headline(problem, result)), answer.winner(problem, result)


SEEDS = "0,0,0,0,0,1/0,0,0,0,1,0 s captured=23:23"


@pytest.mark.parametrize(
    ("rules", "position", "claim", "verdict", "sentence", "winner"),
    [
        ("hex-3", LOSS, Claim(1), Verdict.PROVED, "proved: white wins", "white"),
        ("hex-3", LOSS, Claim(1, "does-not-lose"), Verdict.DISPROVED, "disproved: white loses; black wins", "black"),
        ("hex-3", LOSS, Claim(1), Verdict.UNKNOWN, "unknown whether white wins", None),
        ("awari", SEEDS, Claim(0), Verdict.DISPROVED, "disproved: south does not win; north does not lose", None),
        ("awari", SEEDS, Claim(0, "does-not-lose"), Verdict.DISPROVED, "disproved: south loses; north wins", "north"),
        ("awari", SEEDS, Claim(0, "does-not-lose"), Verdict.PROVED, "proved: south does not lose", None),
    ],
)
def test_the_headline_says_what_is_known(rules, position, claim, verdict, sentence, winner):
    assert headline(rules, position, claim, verdict) == (sentence, winner)


def test_solve_shows_board_verdict_move_and_effort():
    result = run("solve", WIN, "--game", "hex-3")
    assert result.exit_code == 0
    for part in ("a b c", "proved: black wins", "move", "line", "searched", "nodes", "--out"):
        assert part in result.stdout


def test_a_limit_gives_unknown():
    result = run("solve", "start", "--game", "hex-6", "--nodes", 1, "--json")
    assert (result.exit_code, one_object(result)["verdict"]) == (10, "unknown")


def test_a_claim_may_be_named():
    assert run("solve", LOSS, "--game", "hex-3", "--claim", "black wins").exit_code == 0
    assert run("solve", LOSS, "--game", "hex-3", "--claim", "white does not lose").exit_code == 20
    assert run("solve", LOSS, "--game", "hex-3", "--claim", "red wins").exit_code == 2


def test_a_game_with_draws_is_solved_for_its_value(tmp_path):
    position = "0,0,0,0,0,1/0,0,0,0,1,0 s captured=23:23"
    result = run("solve", position, "--game", "awari", "--json", "--out", tmp_path / "out")
    answer = one_object(result)
    assert answer["value"] in ("south wins", "north wins", "draw")
    assert result.exit_code == (0 if answer["value"] == "south wins" else 20)
    for claim in answer["claims"]:
        assert check(claim["certificate"]).accepted


def test_a_folder_is_neither_mixed_nor_overwritten(tmp_path):
    out = tmp_path / "out"
    assert run("solve", WIN, "--game", "hex-3", "--out", out).exit_code == 0
    before = (out / "proof.jsonl.gz").read_bytes()
    for position, extra in ((WIN, ()), (LOSS, ()), (LOSS, ("--resume",))):
        result = run("solve", position, "--game", "hex-3", "--out", out, *extra)
        assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert run("solve", "start", "--game", "awari", "--out", out).exit_code == 2
    assert (out / "proof.jsonl.gz").read_bytes() == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("keep me")
    assert run("solve", WIN, "--game", "hex-3", "--out", tmp_path / "mine").exit_code == 2
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def stopped(*_, claim=None, **__):
    return Result(Verdict.UNKNOWN, claim, "Interrupted.", interrupted=True)


def test_an_interrupted_search_says_so(monkeypatch):
    monkeypatch.setattr(search, "solve", stopped)
    result = run("solve", WIN, "--game", "hex-3")
    assert result.exit_code == 130
    assert "Interrupted." in result.stdout


def _press():
    signal.raise_signal(signal.SIGINT)


def _in_finalizer():
    class Pressing:
        def __del__(self):
            _press()

    Pressing()


def _in_weak_reference():
    class Thing:
        pass

    thing = Thing()
    watch = weakref.ref(thing, lambda _: _press())
    del thing
    return watch


def _in_garbage_collection():
    gc.callbacks.append(lambda phase, _: _press() if phase == "stop" else None)
    try:
        gc.collect()
    finally:
        gc.callbacks.pop()


@pytest.mark.parametrize("swallow", [_in_finalizer, _in_weak_reference, _in_garbage_collection])
def test_ctrl_c_is_not_lost_where_no_exception_comes_out(swallow):
    """JAX clears its caches in a callback of the garbage collector; whatever is raised there is reported and swallowed."""
    kept, hook = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}, sys.unraisablehook
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        failure.stop_on_terminate()
        swallow()
        with pytest.raises(KeyboardInterrupt):
            time.sleep(30)
    finally:
        sys.unraisablehook = hook
        for number, handler in kept.items():
            signal.signal(number, handler)


def test_nothing_is_imported_before_interruptions_are_safe(monkeypatch):
    """JAX's callback of the garbage collector comes with its import, so what watches over interruptions must be there first."""
    kept, hook, seen = signal.getsignal(signal.SIGTERM), sys.unraisablehook, []
    monkeypatch.setattr(cli, "app", lambda **_: seen.append(type(sys.unraisablehook).__name__))
    try:
        cli.main()
    finally:
        sys.unraisablehook = hook
        signal.signal(signal.SIGTERM, kept)
    assert seen == ["_RaiseAgain"]


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOSPC])
def test_a_file_system_that_cannot_be_asked_is_no_failure(code, tmp_path, monkeypatch):
    """A full disk is one, and leaves the file as it was."""
    path = write_whole(tmp_path / "a.json", "old")

    def refuse(_):
        raise OSError(code, "no")

    monkeypatch.setattr("jaxsolve.runfolder.os.fsync", refuse)
    with contextlib.suppress(OSError):
        write_whole(path, "new")
    assert path.read_text() == ("new" if code == errno.EINVAL else "old") and list(tmp_path.iterdir()) == [path]


def test_ctrl_c_before_the_search_is_no_traceback(monkeypatch):
    def press(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "solve", press)
    result = run("solve", WIN, "--game", "hex-3")
    assert (result.exit_code, result.stderr) == (130, "jaxsolve: interrupted\n")


BAD = {
    "no game": ("solve", "start"),
    "unknown game": ("solve", "start", "--game", "chess"),
    "unknown option": ("solve", "start", "--game", "hex-3", "--rule", "ko=simple"),
    "rule without value": ("solve", "start", "--game", "hex-3", "--rule", "ko"),
    "rule given twice": ("solve", "start", "--game", "go-5", "--rule", "ko=simple;ko=positional"),
    "rules of an unknown game": ("show", "start", "--game", "go-5", "--rule", "chess;ko=simple"),
    "no position": ("solve", "nonsense", "--game", "hex-3"),
    "illegal move": ("solve", "moves:a1 a1", "--game", "hex-3"),
    "no file": ("show", "absent.sgf", "--game", "go-9"),
    "method": ("solve", "start", "--game", "hex-3", "--method", "guess"),
    "time": ("solve", "start", "--game", "hex-3", "--time", "0"),
    "resume without folder": ("solve", "start", "--game", "hex-3", "--resume"),
    "no set": ("suite", "absent.json"),
    "no proof": ("check", "absent.gz"),
    "benchmark": ("bench", "weather"),
    "batch": ("bench", "kernels", "--batch", "many"),
    "huge batch": ("bench", "kernels", "--batch", "99999999999"),
    "endless batch": ("bench", "kernels", "--batch", "9" * 5000),
    "negative seed": ("solve", "start", "--game", "hex-3", "--seed", "-1"),
    "no position at all": ("solve",),
    "unknown option of the program": ("solve", "start", "--game", "hex-3", "--fast"),
    "endless time": ("solve", "start", "--game", "hex-3", "--time", "inf"),
    "no time": ("solve", "start", "--game", "hex-3", "--time", "nan"),
    "game option twice": ("show", "start", "--game", "go-5;ko=positional;ko=simple"),
    "letters": ("show", "moves:H8", "--game", "gomoku-15", "--letters", "welsh"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(name):
    result = run(*BAD[name])
    assert result.exit_code == 2
    assert result.stdout == "" and "Traceback" not in result.stderr
    assert result.stderr.strip()


def test_bad_input_is_an_object_with_json():
    assert "Hex" in one_object(run("solve", "nonsense", "--game", "hex-3", "--json"))["error"]


@pytest.mark.parametrize("name", BAD)
def test_bad_input_with_json_is_one_object(name):
    result = run(*BAD[name], *([] if name == "no proof" else ["--json"]))
    assert result.exit_code == 2
    assert name == "no proof" or (one_object(result)["error"] and "Traceback" not in result.stderr)


def test_moves_with_commas_get_a_hint():
    said = run("show", "moves:a1,b2", "--game", "hex-3").stderr
    assert said.startswith("jaxsolve: move 1: 'a1,b2' is not a point") and said.endswith("Moves are separated by blanks.\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (BAD["method"], "'guess' is not known; it may be pns, dfpn, fdfpn, mcts or rzs"),
        (BAD["benchmark"], "'weather' is not known; it may be kernels, search, patterns or zones"),
        (BAD["letters"], "'welsh' is not known; it may be gtp or renju"),
    ],
    ids=["method", "benchmark", "letters"],
)
def test_a_word_that_is_no_choice_is_refused_with_those_there_are(words, sentence):
    said = one_object(run(*words, "--json"))["error"]
    assert said.endswith(f": {sentence}") and "Value error" not in said


@pytest.mark.parametrize("seed", [1, 4294967294, 4294967296, (1 << 64) - 1])
def test_any_seed_below_the_bound_will_do(seed):
    for method in ("dfpn", "mcts"):
        assert one_object(run("solve", LOSS, "--game", "hex-3", "--method", method, "--seed", seed, "--json"))["winner"] == "black"


def test_a_seed_beyond_the_bound_is_refused_with_the_bound():
    assert "18446744073709551615" in run("solve", LOSS, "--game", "hex-3", "--seed", 1 << 64).stderr


def test_the_settings_reach_the_search(monkeypatch):
    asked = []

    def solve(_game, _state, *, claim, settings, **_):
        asked.append(settings)
        return Result(Verdict.UNKNOWN, claim, "A limit.")

    monkeypatch.setattr(search, "solve", solve)
    words = ("--method", "pns", "--time", 1.5, "--wall", 2, "--nodes", 3, "--evaluations", 4, "--memory", 64, "--seed", 5, "--no-check")
    assert run("solve", WIN, "--game", "hex-3", *words).exit_code == 10
    assert run("solve", WIN, "--game", "hex-3").exit_code == 10
    assert asked == [Settings("pns", Limits(1.5, 2.0, 3, 4), 64, 5, check=False), Settings()]


def test_methods_are_those_of_the_search():
    assert [method.value for method in cli.Method] == list(search.METHODS)
    assert all(name in run(word, "--help").stdout for name in search.METHODS for word in ("solve", "suite"))


@pytest.mark.parametrize(
    "error",
    [RuntimeError("Unable to initialize backend 'foo'\n\nmore"), RecursionError("too deep"), MemoryError("all of it"), OSError(28, "No space left")],
)
@pytest.mark.parametrize(
    "words", [("solve", WIN, "--game", "hex-3"), ("show", "moves:a1", "--game", "hex-3"), ("bench", "search"), ("suite",)], ids=lambda w: w[0]
)
def test_what_the_machine_lacks_is_a_sentence(monkeypatch, problem_file, words, error):
    def fail():
        raise error

    monkeypatch.setattr("jaxsolve.runtime.setup", fail)
    result = run(*words, *([problem_file] if words == ("suite",) else []), "--json")
    assert result.exit_code == 2 and one_object(result)["error"]
    assert result.stderr.startswith("jaxsolve: ") and result.stderr.count("\n") == 1


def test_remarks_on_letters_go_to_standard_error():
    result = run("show", "moves:H8 J9", "--game", "gomoku-15", "--json")
    assert one_object(result)["position"] and "--letters renju" in result.stderr
    for letters in ("gtp", "renju"):
        assert run("show", "moves:H8 J9", "--game", "gomoku-15", "--letters", letters).stderr == ""


# ---- answers are said whatever fails afterwards ------------------------------------------------------------------------
def full(*_, **__):
    raise OSError(28, "No space left on device")


@contextlib.contextmanager
def files_of_at_most(size: int):
    """Writing more than ``size`` bytes to a file fails, as on a full disk (Python ignores the signal that goes with it)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_an_answer_is_said_wherever_the_disk_becomes_full(tmp_path):
    """At the first file, in the log, in the proof and in the result; afterwards the folder can be used again. No proof without room: no verdict."""
    words, codes = ("solve", "moves:a2", "--game", "hex-4", "--out"), []
    run(*words[:-1])
    for size in (0, 120, 200, 300, 500, 1000, 4000):
        out = tmp_path / str(size)
        with files_of_at_most(size):
            result = run(*words, out)
        codes.append(result.exit_code)
        assert "Traceback" not in result.stderr
        if result.exit_code == 2:
            assert result.stdout == "" and result.stderr.count("\n") == 1 and "large" in result.stderr
        else:
            assert {10: "Decided (white wins)", 1: "proved: white wins", 0: "proved: white wins"}[result.exit_code] in result.stdout
            assert result.exit_code == 0 or "(File too large)" in result.stdout
        again = run(*words, out, *(["--resume"] if (out / "problem.json").exists() else []))
        assert again.exit_code == 0, (size, again.stderr)
        assert check(out / "proof.jsonl.gz").accepted
    assert codes == sorted(codes, key=[2, 10, 1, 0].index) and {2, 0} < set(codes)


def full_for_proofs(monkeypatch, folder):
    write = certify.write_certificate
    monkeypatch.setattr(
        certify,
        "write_certificate",
        lambda game, graph, claim, path, *rest: (full if folder in path.parents else write)(game, graph, claim, path, *rest),
    )


def full_for_logs(monkeypatch, folder):
    put = log.ProofLog._put
    chunks_do_not_fit = lambda self, data: self.path and folder in self.path.parents and self.failure is None and data[:1] != b"{"  # noqa: E731
    monkeypatch.setattr(log.ProofLog, "_put", lambda self, data: (full if chunks_do_not_fit(self, data) else put)(self, data))


@pytest.mark.parametrize(
    ("fill", "what"), [(full_for_proofs, "The proof could not be written"), (full_for_logs, "The proof log could not be written")]
)
def test_where_only_the_folder_is_full_the_answer_is_proved_elsewhere(tmp_path, monkeypatch, fill, what):
    fill(monkeypatch, tmp_path)
    result = run("solve", "moves:a2", "--game", "hex-4", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "proved: white wins" in result.stdout and "nodes accepted" in result.stdout and what in result.stdout
    monkeypatch.undo()
    assert run("solve", "moves:a2", "--game", "hex-4", "--out", tmp_path / "out", "--resume").exit_code == 0


@pytest.mark.parametrize("switch", [(), ("--no-check",)])
def test_proofs_are_checked_unless_told_not_to(monkeypatch, switch):
    result = run("solve", LOSS, "--game", "hex-3", *switch)
    assert re.search(r"proof checked +(\d+ nodes accepted|no)", result.stdout)[1] == (
        "no" if switch else f"{one_object(run('solve', LOSS, '--game', 'hex-3', '--json'))['certificate_nodes']} nodes accepted"
    )


def test_a_refused_proof_withholds_the_answer(monkeypatch):
    report = checker.Report(False, reason="no such move", line=3)
    monkeypatch.setattr("jaxsolve.proof.certify.check", lambda _: report)
    result = run("solve", LOSS, "--game", "hex-3")
    assert result.exit_code == 10 and "no such move" in result.stdout and "report" in result.stdout and "black wins" not in result.stdout


def test_a_full_disk_at_the_start_leaves_a_folder_that_can_be_used(tmp_path, monkeypatch):
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr("jaxsolve.runfolder.os.replace", full)
        result = run("solve", LOSS, "--game", "hex-3", "--out", out)
    assert result.exit_code == 2 and "No space left" in result.stderr
    (out / "problem.json.part").write_text("{")  # as a killed run leaves it
    assert run("solve", LOSS, "--game", "hex-3", "--out", out).exit_code == 20


def test_a_suite_on_a_full_disk_shows_its_rows(tmp_path, problem_file, monkeypatch):
    monkeypatch.setattr("jaxsolve.commands.ledger.to_disk", full)  # other files still have room
    result = run("suite", problem_file, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "3 of 3 done" in result.stdout and "No space left" in result.stderr


def process(*words, **options):
    """The program in a process of its own, as ``python -m jaxsolve`` starts it."""
    command = [sys.executable, "-m", "jaxsolve", *map(str, words)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 300} | options
    return subprocess.run(command, check=False, **options)


def test_a_full_standard_output_sends_the_answer_to_standard_error():
    with open("/dev/full", "w") as sink:
        ended = process("solve", LOSS, "--game", "hex-3", stdout=sink)
    assert ended.returncode == 1 and "disproved: white does not win; black wins" in ended.stderr and ended.stderr.count("\n") == 1


def test_a_closed_standard_output_sends_the_answer_to_standard_error(tmp_path):
    words = f"-m jaxsolve solve '{LOSS}' --game hex-3 --out {tmp_path / 'out'} --json >&-"
    ended = subprocess.run(f"{sys.executable} {words}", shell=True, capture_output=True, text=True, check=False)
    assert ended.returncode == 20 and json.loads(ended.stderr)["winner"] == "black"
    assert check(tmp_path / "out" / "proof.jsonl.gz").accepted


def test_a_stream_of_ascii_gets_the_board_in_ascii():
    ended = process("solve", LOSS, "--game", "hex-3", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 20 and "black wins" in ended.stdout and ended.stdout.isascii() and " X " in ended.stdout


# ---- a folder is one run's -------------------------------------------------------------------------------------------
def test_a_folder_in_use_is_refused_until_its_run_ends(tmp_path, problem_file):
    out, sets = tmp_path / "out", tmp_path / "sets"
    words = ("solve", LOSS, "--game", "hex-3", "--out", out)
    assert run(*words).exit_code == 20
    assert run("suite", problem_file, "--ids", "win", "--out", sets).exit_code == 0
    hold = "import fcntl, sys; f = [open(name, 'a') for name in sys.argv[1:]]; [fcntl.flock(x, 2) for x in f]; print(flush=True); sys.stdin.read()"
    holder = subprocess.Popen([sys.executable, "-c", hold, out / ".lock", sets / ".lock"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None and holder.stdout.readline()
    for refused in (run(*words, "--resume"), run("suite", problem_file, "--out", sets)):
        assert refused.exit_code == 2 and "in use by another run" in refused.stderr
    holder.kill()
    holder.wait()
    assert run(*words, "--resume").exit_code == 20
    assert run("suite", problem_file, "--out", sets).exit_code == 0


DEEP = "[" * 100_000
BROKEN_ROWS = {
    "no fields": '{"id": "win"}',
    "deep": DEEP,
    "a list": "[]",
    "wrong kind": '{"id": 3}',
    "twice": '{"id": "win", "id": "loss"}',
}


@pytest.mark.parametrize("name", BROKEN_ROWS)
def test_a_record_that_is_none_is_refused_with_its_line(tmp_path, problem_file, name):
    out = tmp_path / "out"
    assert run("suite", problem_file, "--ids", "win", "--out", out).exit_code == 0
    (out / "results.jsonl").open("a").write(BROKEN_ROWS[name] + "\n")
    result = run("suite", problem_file, "--out", out, "--json")
    assert result.exit_code == 2 and "results.jsonl, line 2: not a result row" in one_object(result)["error"]


@pytest.mark.parametrize("text", [DEEP, "{", "[]", '{"format": 1, "format": 2}'])
def test_a_damaged_marker_is_a_sentence(tmp_path, problem_file, text):
    run("suite", problem_file, "--ids", "win", "--out", tmp_path / "set")
    run("solve", WIN, "--game", "hex-3", "--out", tmp_path / "one")
    (tmp_path / "set" / "run.json").write_text(text)
    (tmp_path / "one" / "problem.json").write_text(text)
    for words in (("suite", problem_file, "--out", tmp_path / "set"), ("solve", WIN, "--game", "hex-3", "--out", tmp_path / "one", "--resume")):
        result = run(*words)
        assert result.exit_code == 2 and "is damaged" in result.stderr and result.stderr.count("\n") == 1


# ---- suite ---------------------------------------------------------------------------------------------------------
def test_suite_writes_rows_and_goes_on_where_it_was(tmp_path, problem_file):
    out = tmp_path / "out"
    first = run("suite", problem_file, "--ids", "win,loss", "--out", out)
    assert first.exit_code == 0 and "2 of 2 done: 1 proved, 1 disproved" in first.stdout
    (out / "results.jsonl").open("a").write('{"id": "start", "verd')  # as a killed run leaves it
    again = run("suite", problem_file, "--out", out, "--json", "--pool", 2)
    rows = one_object(again)["problems"]
    assert [row["verdict"] for row in rows] == ["proved", "disproved", "proved"]
    assert [row["id"] for row in map(json.loads, (out / "results.jsonl").read_text().splitlines())] == ["win", "loss", "start"]
    with (out / "results.csv").open(newline="") as sheet:
        assert [(row["id"], row["verdict"]) for row in csv.DictReader(sheet)] == [(row["id"], row["verdict"]) for row in rows]
    for row in rows:
        assert check(row["certificate"]).accepted


def test_suite_solves_nothing_twice(tmp_path, problem_file, monkeypatch):
    asked = []

    def pool(waiting, **_):
        for problem in waiting:
            asked.append(problem.id)
            yield problem, Result(Verdict.UNKNOWN, problem.claim, "A limit.", interrupted=problem.id == "loss" and asked.count("loss") == 1)

    monkeypatch.setattr(search, "solve_pool", pool)
    assert run("suite", problem_file, "--out", tmp_path / "out").exit_code == 130
    assert run("suite", problem_file, "--out", tmp_path / "out").exit_code == 0
    assert asked == ["win", "loss", "start", "loss"]


def test_suite_refuses_other_settings_and_foreign_folders(tmp_path, problem_file):
    out = tmp_path / "out"
    assert run("suite", problem_file, "--ids", "win", "--out", out).exit_code == 0
    for extra, word in ((("--method", "pns"), "method"), (("--seed", 3), "seed")):
        result = run("suite", problem_file, "--out", out, *extra)
        assert result.exit_code == 2 and word in result.stderr
    problem_file.write_text(problem_file.read_text() + "\n")
    assert run("suite", problem_file, "--out", out).exit_code == 2
    assert run("suite", problem_file, "--out", tmp_path).exit_code == 2


def rows_of(out: Path) -> list[tuple[str, str]]:
    """(id, verdict) of every row, the same in the record and in the sheet."""
    rows = [(row["id"], row["verdict"]) for row in map(json.loads, (out / "results.jsonl").read_text().splitlines())]
    with (out / "results.csv").open(newline="") as sheet:
        assert [(row["id"], row["verdict"]) for row in csv.DictReader(sheet)] == rows
    return rows


def test_suite_goes_on_under_other_limits(tmp_path, problem_file):
    hard = {"id": "start", "rules": "hex-4"}  # one node is not enough
    problem_file.write_text(json.dumps(PROBLEMS | {"problems": [*PROBLEMS["problems"][:2], hard]}))
    out = tmp_path / "out"
    first = run("suite", problem_file, "--ids", "start,win", "--out", out, "--nodes", 1, "--memory", 64)
    assert first.exit_code == 0 and rows_of(out) == [("start", "unknown"), ("win", "proved")]
    marker = json.loads((out / "run.json").read_text())
    assert not marker.keys() & {"nodes", "cpu_seconds", "memory_mb"}
    old = {"cpu_seconds": None, "wall_seconds": None, "nodes": 1, "evaluations": None, "memory_mb": 64}  # as an earlier version wrote it
    (out / "run.json").write_text(json.dumps(marker | old))
    assert run("suite", problem_file, "--ids", "start,win", "--out", out, "--nodes", 1, "--time", 60).exit_code == 0
    assert rows_of(out) == [("start", "unknown"), ("win", "proved")]
    wider = run("suite", problem_file, "--out", out, "--time", 600, "--json")
    assert one_object(wider)["total"]["proved"] == 2
    assert rows_of(out) == [("start", "proved"), ("win", "proved"), ("loss", "disproved")]
    assert run("suite", problem_file, "--out", out, "--nodes", 1).exit_code == 0  # a smaller limit takes nothing back
    assert rows_of(out) == [("start", "proved"), ("win", "proved"), ("loss", "disproved")]


@pytest.mark.parametrize(
    ("reason", "same", "wider"),
    [
        ("The limit of 100 nodes was reached.", Settings(limits=Limits(nodes=100)), Settings(limits=Limits(nodes=101))),
        ("The limit of 90 evaluations was reached.", Settings(limits=Limits(evaluations=90)), Settings()),
        ("The limit of 1.23457 CPU seconds was reached.", Settings(limits=Limits(1.2345678)), Settings(limits=Limits(2.0))),
        ("The limit of 2 seconds was reached.", Settings(limits=Limits(None, 2.0)), Settings(limits=Limits(5.0))),
        ("The limit of 100 nodes was reached.", Settings(limits=Limits(0.5, nodes=200)), Settings(limits=Limits(3.0, nodes=200))),
        ("The memory limit of 64 MB cannot hold the search.", Settings(memory_mb=64), Settings(memory_mb=65)),
        (
            "Decided (black wins), but its proof was not collected (the limit of 10 CPU seconds was reached): go on with --resume.",
            Settings(limits=Limits(None, 5.0)),
            Settings(limits=Limits(None, 20.0)),
        ),
    ],
)
def test_what_a_limit_stopped_goes_further_where_that_is_larger(reason, same, wider):
    row = {"verdict": "unknown", "reason": reason, "nodes": 100, "evaluations": 90, "cpu_seconds": 1.3, "wall_seconds": 2.1}
    assert not limits.goes_further(row, same) and limits.goes_further(row, wider)
    assert not limits.goes_further(row | {"verdict": "proved"}, wider)
    assert not limits.goes_further(row | {"reason": "Nothing is left to try."}, wider)


@pytest.mark.parametrize("pool", [1, 3])
def test_a_refused_problem_folder_does_not_stop_the_others(tmp_path, problem_file, pool):
    proofs = tmp_path / "out" / "proofs"
    assert run("suite", problem_file, "--ids", "win", "--out", tmp_path / "out").exit_code == 0
    (proofs / "loss").mkdir()
    (proofs / "loss" / "letter.txt").write_text("keep me")
    result = run("suite", problem_file, "--out", tmp_path / "out", "--pool", pool, "--json")
    assert result.exit_code == 2 and one_object(result)["total"]["proved"] == 2
    assert "loss is not empty and not a folder" in result.stderr and result.stderr.count("\n") == 1
    assert rows_of(tmp_path / "out") == [("win", "proved"), ("start", "proved")]
    (proofs / "loss" / "letter.txt").unlink()
    assert run("suite", problem_file, "--out", tmp_path / "out").exit_code == 0
    assert rows_of(tmp_path / "out") == [("win", "proved"), ("start", "proved"), ("loss", "disproved")]


@pytest.mark.parametrize("limit", ["nodes", "evaluations", "cpu_seconds", "wall_seconds"])
def test_the_search_names_its_limits_as_a_suite_reads_them(limit):
    value = 1 if limit in ("nodes", "evaluations") else 1e-6
    result = search.solve(make("hex-6"), make("hex-6").init(), settings=Settings(limits=Limits(**{limit: value})))
    row = {
        "verdict": result.verdict.value,
        **{name: getattr(result, name) for name in ("nodes", "evaluations", "cpu_seconds", "wall_seconds", "reason")},
    }
    assert limits.goes_further(row, Settings()) and not limits.goes_further(row, Settings(limits=Limits(**{limit: value})))


def test_the_settings_of_a_suite_are_json_whatever_they_hold():
    def apply(params, observation, legal):
        raise AssertionError

    def said(method="dfpn", weight=1.0):
        return json.dumps(suite._flat(Settings(method, heads=Heads(apply, {"w": np.full(3, weight, np.float32)}))))

    assert said() == said() and said(search.METHODS["pns"]) == said(search.METHODS["pns"])
    assert len({said(), said(weight=2.0), said(search.METHODS["pns"]), said(search.METHODS["mcts"])}) == 4
    assert suite._flat(Settings()) == {"method": "dfpn", "seed": 0, "wave": None, "flights": 2, "max_nodes": None, "heads": None, "zones": True}


def test_an_answer_against_the_source_is_pointed_out(problem_file, monkeypatch):
    monkeypatch.setattr(search, "solve_pool", lambda waiting, **_: ((p, Result(Verdict.PROVED, Claim(0), "Wrong.")) for p in waiting))
    result = run("suite", problem_file, "--ids", "loss")
    assert result.exit_code == 1
    assert "the source says disproved" in result.stdout


# ---- the other words -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", [("ko=positional;komi=1",), ("ko=positional", "komi=1"), ("go-5;ko=positional;komi=1",)])
def test_rule_options_one_by_one_or_together(rules):
    words = [word for rule in rules for word in ("--rule", rule)]
    assert one_object(run("show", "start", "--game", "go-5", *words, "--json"))["rules"] == "go-5;ko=positional;komi=1"


def test_show_draws_and_writes(tmp_path):
    result = run("show", "moves:B3 C2", "--game", "go-5", "--rule", "ko=positional", "--svg", tmp_path / "a.svg")
    assert result.exit_code == 0 and "to move" in result.stdout
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    shown = one_object(run("show", "moves:a1", "--game", "hex-3", "--json", "--sgf", tmp_path / "a.sgf"))
    again = one_object(run("show", tmp_path / "a.sgf", "--json"))
    assert (shown["position"], shown["rules"], again["position"], again["rules"]) == ("X../.../... w", "hex-3") * 2


def test_standard_input_is_a_position():
    for text in ("(;GM[11]SZ[3];B[b2])", LOSS):
        result = CliRunner().invoke(cli.app, ["show", "-", "--game", "hex-3", "--json"], input=text)
        assert one_object(result)["position"] == LOSS


def test_games_lists_every_rule_set_with_its_options():
    listed = one_object(run("games", "--json"))
    assert {"awari", "hex-1..19", "killallgo-9"} <= set(listed)
    assert listed["killallgo-9"]["options"]["ko"]["values"] == "simple|positional|situational"
    lines = run("games").stdout.splitlines()
    assert sum(line.startswith("killallgo-9 ") for line in lines) == 1 and len(lines) == len(listed) + 2


def test_a_game_named_tells_meaning_default_and_example_of_every_option():
    page = run("games", "tsumego").stdout
    options = one_object(run("games", "tsumego", "--json"))["tsumego-2..19"]["options"]
    assert list(options) == ["ko", "passes", "fill_eyes", "goal", "defender", "crucial", "region", "ko_black", "ko_white"]
    for name, option in options.items():
        assert name in page and option["meaning"] in page and option["default"] in page
        assert f"--rule {name}={option['example']}" in page or option["example"] == option["default"]
    assert "--json" in page and max(map(len, page.splitlines())) < 200
    refused = run("games", "tsumgo", "--json")
    assert refused.exit_code == 2 and "did you mean" in one_object(refused)["error"]


def test_the_example_of_every_game_is_a_position(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "position.sgf").write_text("(;GM[1]SZ[7];B[dd];W[];B[cc])")
    for base in set(registry.available()) - {"killallgo-9"}:
        words = shlex.split(registry.describe(base).example)
        shown = one_object(run("show", *words, "--json"))
        assert shown["rules"].startswith(registry.describe(base).stem)


def test_check_refuses_a_changed_proof(tmp_path):
    file = tmp_path / "proof.jsonl.gz"
    file.write_bytes(b"not a proof")
    result = run("check", file, "--json")
    assert result.exit_code == 2 and one_object(result)["accepted"] is False


def test_the_version_is_the_packages():
    assert run("--version").stdout == f"jaxsolve {jaxsolve.__version__}\n"


def test_completion_can_be_installed():
    assert "--install-completion" in run("--help").stdout


@pytest.mark.parametrize("word", [(), ("solve",), ("check",), ("suite",), ("games",), ("show",), ("bench",)])
def test_every_word_has_help(word):
    result = run(*word, "--help")
    assert result.exit_code == 0 and "Usage" in result.stdout


def test_the_quickstart_positions_are_what_they_say():
    loaded = {problem.id: problem for problem in problems.load(Path(__file__).parents[1] / "configs/problems/quickstart.json")}
    assert loaded["hex-opening"].game == make("hex-5")
    assert {identifier: problem.expected for identifier, problem in loaded.items()} == {
        "go-life": "proved",
        "gomoku-win": "proved",
        "hex-opening": "disproved",
    }
