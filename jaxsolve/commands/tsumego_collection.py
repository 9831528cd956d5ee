"""``jaxsolve tsumego`` for a collection: answers all problems, and compares with the solutions."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from jaxsolve.commands import exit_codes, failure, streams, tsumego, workers
from jaxsolve.commands.terminal import output_console
from jaxsolve.commands.tsumego import Request
from jaxsolve.core import process
from jaxsolve.core.run_folder import FolderError, RunFolder, write_atomically
from jaxsolve.tsumego import collection, setup, solution
from jaxsolve.tsumego.collection import Member
from jaxsolve.tsumego.setup import SIDES, RecordPosition
from jaxsolve.tsumego.verdicts import Report

ANSWERS = "answers.json"
_SIGNS = {True: "agrees", False: "differs", None: "open"}


class Answer(NamedTuple):
    """The answer to one problem of a collection."""

    name: str
    fields: dict[str, Any]  # JSON values: the report, or the error
    sentences: list[str]  # the verdicts, or the error
    record: list[str]  # sentences about the solution in the record
    agrees: bool | None  # whether the record agrees; None: not known, or it has no solution
    compared: bool  # whether the record has a solution for the side asked about
    seconds: float  # CPU seconds of the searches
    complete: bool
    interrupted: bool = False
    refused: bool = False  # the problem could not be read
    unsaved: tuple[str, ...] = ()


def run(request: Request, jobs: int) -> int:
    """Answers all problems of a collection, ``jobs`` at a time, and prints a table.

    Each problem has the limits of ``request`` for itself. With ``--out`` each has a folder there,
    and the same command resumes the run.

    Returns:
      The exit code. 0: all questions answered. 10: stopped at a limit. 1: something was not saved
      or not printed. 2: a problem could not be read. 130: interrupted.
    """
    with failure.errors_as_sentences(request.as_json):
        process.setup()
        _refuse(request, jobs)
        found = collection.members(request.position)
        if request.sgf is not None:
            request.sgf.mkdir(parents=True, exist_ok=True)
        folder = None if request.out is None else RunFolder(
            request.out, "run.json", {"format": "jaxsolve-tsumego-collection", "version": 1},
            resume=True,
        )  # fmt: skip
        try:
            return _run(request, found, jobs)
        finally:
            if folder is not None:
                folder.release()


def _refuse(request: Request, jobs: int) -> None:
    """Raises ValueError for options that are for one problem, or that exclude each other."""
    tsumego.refuse_options(request)
    given = {
        "--svg": request.svg,
        "--crucial": request.crucial,
        "--region": None if request.region in ("auto", "all") else request.region,
        "--at": request.place.at,
        "--record": request.place.number,
    }
    for option, value in given.items():
        if value is not None:
            raise ValueError(f"{option} is for one problem, and {request.position} is a collection")
    if request.sgf is not None and request.sgf.exists() and not request.sgf.is_dir():
        raise ValueError(f"--sgf-out {request.sgf}: give a folder for the records of a collection")
    if jobs > 1 and (request.patterns is not None or request.settings.heads is not None):
        raise ValueError("--jobs cannot be combined with --patterns or --network")


def _run(request: Request, found: Sequence[Member], jobs: int) -> int:
    console, answers = output_console(), []
    interrupted, printed = False, True
    try:
        for answer in _answers(request, found, jobs):
            answers.append(answer)
            interrupted = interrupted or answer.interrupted
            if not request.as_json and printed:
                printed = streams.deliver(
                    lambda answer=answer: _show(console, answer, len(answers), len(found)),
                    "; ".join(answer.sentences),
                )
            if interrupted and jobs == 1:
                break
    except KeyboardInterrupt:
        interrupted = True
    answers.sort(key=lambda answer: [each.name for each in found].index(answer.name))
    fields = {
        "problems": [answer.fields for answer in answers],
        "summary": _summary(answers, found),
    }
    unsaved = [sentence for answer in answers for sentence in answer.unsaved]
    if request.out is not None:
        try:
            with process.defer_interrupts():
                text = json.dumps(fields, ensure_ascii=False) + "\n"
                write_atomically(request.out / ANSWERS, text)
        except OSError as error:
            unsaved.append(f"{request.out / ANSWERS} could not be written ({error.strerror})")

    def conclude() -> None:
        if request.as_json:
            streams.print_json(fields)
        else:
            console.print(_closing(answers, found), style="bold", markup=False)

    printed = streams.deliver(conclude, _closing(answers, found)) and printed
    for sentence in unsaved:
        failure.remark(sentence)
    if interrupted:
        resumes = "" if request.out is None else "; the same command resumes the run"
        failure.remark(f"interrupted{resumes}")
        return exit_codes.INTERRUPTED
    if any(answer.refused for answer in answers):
        return exit_codes.BAD_INPUT
    if unsaved or not printed:
        return exit_codes.FAILED
    return exit_codes.PROVED if all(answer.complete for answer in answers) else exit_codes.UNKNOWN


def _answers(request: Request, found: Sequence[Member], jobs: int) -> Iterator[Answer]:
    if jobs == 1:
        for member in found:
            yield answer_of(request, member)
        return
    with workers.Workers(answer_of, request, min(jobs, len(found))) as pool:
        yield from pool.map(found)


def answer_of(request: Request, member: Member) -> Answer:
    """Answers one problem; a problem that cannot be read has an answer that says so."""
    try:
        place = RecordPosition(number=member.number)
        given = setup.read_record(
            Path(member.name).name, member.data, request.game, request.options, place
        )
        right = solution.stated(given)
        side = request.study.side
        if side is None:
            side = min(right) if right else given.side
        own = dataclasses.replace(
            request,
            study=request.study._replace(side=side),
            out=None if request.out is None else request.out / member.folder,
        )
        tasks = tsumego.tasks_of(own, given)
        with tsumego.folder_of(own, tasks) as folder:
            studied = tsumego.study(own, tasks, folder)
    except (ValueError, FolderError, OSError) as error:
        sentence = failure.sentence_of(error)
        return Answer(
            member.name, {"name": member.name, "error": sentence}, [sentence], [], None, False, 0.0,
            complete=False, refused=True,
        )  # fmt: skip
    sgf = None if request.sgf is None else request.sgf / f"{member.folder}.sgf"
    failed = tsumego.write(studied.report, None, sgf)
    compared = solution.compare(studied.report)
    record = [f"the record calls right: {each.sentence}" for each in compared]
    if given.contradiction and request.study.side is None and side is not None:
        other = SIDES[1 - side]
        record.append(
            f"{given.contradiction}: {SIDES[side]} is asked about; --first {other} asks about"
            f" {other}"
        )
    known = [each.agrees for each in compared]
    return Answer(
        member.name,
        {**studied.as_json(own.out is not None), "name": member.name},
        sentences(studied.report),
        record,
        False if False in known else True if True in known else None,
        bool(compared),
        studied.cpu_seconds,
        studied.complete,
        studied.interrupted,
        unsaved=(*studied.unsaved, *failed),
    )


def sentences(report: Report) -> list[str]:
    """Returns the verdicts, each followed by its note, and the advice for an open region."""
    found = []
    for each in report.firsts:
        found.append(each.sentence)
        found += [f"note: {each.note}"] if each.note and not report.common_note else []
    found += [f"note: {report.common_note}"] if report.common_note else []
    return [*found, report.advice] if report.advice else found


# ---- output --------------------------------------------------------------------------------------
def _show(console: Console, answer: Answer, number: int, count: int) -> None:
    head = f"{number} of {count}  {answer.name}"
    console.print(f"{head}  {answer.seconds:.2f} s", style="bold", markup=False)
    for sentence in answer.sentences:
        console.print(f"  {sentence}", markup=False, style="red" if answer.refused else "")
    for sentence in answer.record:
        console.print(f"  {sentence}", markup=False)


def _summary(answers: Sequence[Answer], found: Sequence[Member]) -> dict[str, Any]:
    compared = [answer for answer in answers if answer.compared]
    return {
        "problems": len(found),
        "answered": sum(answer.complete for answer in answers),
        "refused": sum(answer.refused for answer in answers),
        "record": {
            word: sum(answer.agrees is value for answer in compared)
            for value, word in _SIGNS.items()
        },
        "differing": [answer.name for answer in compared if answer.agrees is False],
        "cpu_seconds": sum(answer.seconds for answer in answers),
    }


def _closing(answers: Sequence[Answer], found: Sequence[Member]) -> str:
    """Returns the last line: how many problems are answered, and what the records say."""
    facts = _summary(answers, found)
    text = f"\n{facts['problems']} problems: {facts['answered']} answered completely"
    if facts["refused"]:
        text += f", {facts['refused']} not read"
    if any(facts["record"].values()):
        text += "; with the records' own solutions:"
        for word, count in facts["record"].items():
            text += f" {count} {word}"
            if word == _SIGNS[False] and facts["differing"]:
                text += f" ({', '.join(facts['differing'])})"
            text += ","
        text = text.removesuffix(",")
    return f"{text}; {facts['cpu_seconds']:.2f} s CPU"
