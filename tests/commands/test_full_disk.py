"""Answers are reported even if the disk is full or standard output is closed."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import pytest

from jaxsolve.core.run_folder import RunFolder, write_atomically
from jaxsolve.proof import certify, log
from jaxsolve.proof.check import check
from support.cli import LOSS, files_of_at_most, one_object, process, run


def full(*_, **__):
    raise OSError(28, "No space left on device")


def test_an_answer_is_reported_wherever_the_disk_becomes_full(tmp_path):
    """At the first file, in the log, in the proof and in the result; the folder stays usable.

    Without space for the proof there is no verdict.
    """
    words, codes = ("solve", "moves:a2", "--game", "hex-4", "--out"), []
    run(*words[:-1])
    for size in (0, 120, 200, 300, 500, 1000, 4000):
        out = tmp_path / str(size)
        with files_of_at_most(size):
            result = run(*words, out)
        codes.append(result.exit_code)
        assert "Traceback" not in result.stderr
        if result.exit_code == 2:
            assert (
                result.stdout == "" and result.stderr.count("\n") == 1 and "large" in result.stderr
            )
        else:
            assert {10: "Decided (white wins)", 1: "proved: white wins", 0: "proved: white wins"}[
                result.exit_code
            ] in result.stdout
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
        lambda found, graph, path, *rest: (full if folder in path.parents else write)(
            found, graph, path, *rest
        ),
    )


def full_for_logs(monkeypatch, folder):
    put = log.ProofLog._put

    def put_unless_full(self, data):
        in_folder = self.path and folder in self.path.parents
        is_chunk = self.failure is None and data[:1] != b"{"
        return (full if in_folder and is_chunk else put)(self, data)

    monkeypatch.setattr(log.ProofLog, "_put", put_unless_full)


@pytest.mark.parametrize(
    ("fill", "what"),
    [
        (full_for_proofs, "The proof could not be written"),
        (full_for_logs, "The proof log could not be written"),
    ],
)
def test_a_full_folder_does_not_prevent_the_proof(tmp_path, monkeypatch, fill, what):
    fill(monkeypatch, tmp_path)
    result = run("solve", "moves:a3", "--game", "hex-5", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert (
        "proved: white wins" in result.stdout
        and "nodes accepted" in result.stdout
        and what in result.stdout
    )
    monkeypatch.undo()
    assert (
        run("solve", "moves:a3", "--game", "hex-5", "--out", tmp_path / "out", "--resume").exit_code
        == 0
    )


def test_a_full_disk_at_the_start_leaves_a_usable_folder(tmp_path, monkeypatch):
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr("jaxsolve.core.run_folder.os.replace", full)
        result = run("solve", LOSS, "--game", "hex-3", "--out", out)
    assert result.exit_code == 2 and "No space left" in result.stderr
    (out / "problem.json.part").write_text("{")  # as a killed run leaves it
    assert run("solve", LOSS, "--game", "hex-3", "--out", out).exit_code == 20


def test_a_suite_on_a_full_disk_shows_its_rows(tmp_path, problem_file, monkeypatch):
    monkeypatch.setattr(
        "jaxsolve.commands.results_file.append_line", full
    )  # other files can be written
    result = run("suite", problem_file, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "3 of 3 done" in result.stdout and "No space left" in result.stderr


def test_a_suite_writes_missing_proofs_later(tmp_path, problem_file, monkeypatch):
    words = ("suite", problem_file, "--out", tmp_path / "out")
    with monkeypatch.context() as patch:
        full_for_proofs(patch, tmp_path)
        result = run(*words)
        assert result.exit_code == 1 and "3 not saved" in result.stdout
    assert not list((tmp_path / "out").rglob("proof.jsonl.gz"))
    again = run(*words)
    assert again.exit_code == 0 and "not saved" not in again.stdout
    proofs = list((tmp_path / "out").rglob("proof.jsonl.gz"))
    assert len(proofs) == 3 and all(check(proof).accepted for proof in proofs)


def full_for_folders(monkeypatch, passing):
    """Makes all folders of questions fail once ``passing`` of them exist."""
    write, made = RunFolder.write_json, []

    def write_unless_full(self, name, value):
        if name == "problem.json":
            made.append(self.path)
            if len(made) > passing:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path / name))
        return write(self, name, value)

    monkeypatch.setattr(RunFolder, "write_json", write_unless_full)


@pytest.mark.parametrize("pool", [1, 3])
def test_a_suite_answers_problems_whose_folder_cannot_be_written(
    tmp_path, problem_file, monkeypatch, pool
):
    words = ("suite", problem_file, "--out", tmp_path / "out", "--pool", pool)
    with monkeypatch.context() as patch:
        full_for_folders(patch, 1)
        result = run(*words, "--json")
    total = one_object(result)["total"]
    assert (result.exit_code, total["proved"], total["disproved"]) == (1, 2, 1)
    assert total["unsaved"] == 2
    reasons = {row["unsaved"] for row in one_object(result)["problems"]}
    assert reasons == {"", "The folder could not be written (No space left on device)."}
    again = run(*words)
    assert again.exit_code == 0 and "not saved" not in again.stdout
    assert len(list((tmp_path / "out").rglob("proof.jsonl.gz"))) == 3


def test_evaluate_and_match_report_results_whose_tables_cannot_be_saved(
    tmp_path, problem_file, monkeypatch
):
    for module in ("evaluate", "match"):
        monkeypatch.setattr(f"jaxsolve.commands.{module}.write_table", full)
    out = tmp_path / "networks"
    compared = run("evaluate", "none", "--problems", problem_file, "--out", out, "--json")
    assert compared.exit_code == 1 and one_object(compared)["networks"][0]["solved"] == 3
    assert "worth.csv could not be saved (No space left on device)" in compared.stderr
    words = ("random", "random", "--game", "hex-3", "--games", 2)
    match = run("match", *words, "--out", tmp_path / "match", "--json")
    assert match.exit_code == 1 and one_object(match)["games"] == 2
    assert "could not be saved" in match.stderr and "No space left" in match.stderr


BENT_THREE = "......./......./......./XXXXX../OOOOX../...OX../...OX.. b"


def test_tsumego_answers_questions_whose_folder_cannot_be_written(tmp_path, monkeypatch):
    words = ("tsumego", BENT_THREE, "--game", "tsumego-7", "--out", tmp_path / "out")
    with monkeypatch.context() as patch:
        full_for_folders(patch, 1)
        result = run(*words, "--json")
    found = one_object(result)
    assert result.exit_code == 1 and found["black_first"]["status"] == "dies"
    unsaved = [row["id"] for row in found["questions"] if row["unsaved"]]
    sentence = f"The folder could not be written (No space left on device): {', '.join(unsaved)}"
    assert unsaved and sentence in result.stderr and "Traceback" not in result.stderr
    again = run(*words, "--json")
    assert again.exit_code == 0 and not any(
        row["unsaved"] for row in one_object(again)["questions"]
    )
    for part in ("status", "right", "complete"):
        assert one_object(again)["black_first"][part] == found["black_first"][part]


def test_a_table_that_cannot_be_written_stays_unchanged(tmp_path, problem_file):
    words = ("suite", problem_file, "--out", tmp_path / "out")
    assert run(*words).exit_code == 0
    before = (tmp_path / "out" / "results.csv").read_text()
    with files_of_at_most(100):
        result = run(*words)
    assert result.exit_code == 2 and "results.csv: File too large" in result.stderr
    assert (tmp_path / "out" / "results.csv").read_text() == before


def test_a_full_standard_output_sends_the_answer_to_standard_error():
    with open("/dev/full", "w") as sink:
        ended = process("solve", LOSS, "--game", "hex-3", stdout=sink)
    said = [line for line in ended.stderr.splitlines() if "another process that" not in line]
    assert ended.returncode == 1 and len(said) == 1
    assert "black wins (proved" in said[0]


def test_a_closed_standard_output_sends_the_answer_to_standard_error(tmp_path):
    words = f"-m jaxsolve solve '{LOSS}' --game hex-3 --out {tmp_path / 'out'} --json >&-"
    ended = subprocess.run(
        f"{sys.executable} {words}", shell=True, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 20 and json.loads(ended.stderr)["winner"] == "black"
    assert check(tmp_path / "out" / "proof.jsonl.gz").accepted


def test_a_stream_of_ascii_gets_the_board_in_ascii():
    ended = process(
        "solve", LOSS, "--game", "hex-3", env=os.environ | {"PYTHONIOENCODING": "ascii"}
    )
    assert (
        ended.returncode == 20
        and "black wins" in ended.stdout
        and ended.stdout.isascii()
        and " X " in ended.stdout
    )


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOSPC])
def test_a_file_system_without_fsync_is_no_failure(code, tmp_path, monkeypatch):
    """A full disk is a failure, and leaves the file unchanged."""
    path = write_atomically(tmp_path / "a.json", "old")

    def refuse(_):
        raise OSError(code, "no")

    monkeypatch.setattr("jaxsolve.core.run_folder.os.fsync", refuse)
    try:
        write_atomically(path, "new")
    except OSError as error:
        assert error.filename == str(path)  # for the message to the user
    assert path.read_text() == ("new" if code == errno.EINVAL else "old") and list(
        tmp_path.iterdir()
    ) == [path]
