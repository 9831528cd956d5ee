"""Reports of first moves follow from the answers alone, so the answers are made up here."""

from __future__ import annotations

import dataclasses
import itertools
import random

import pytest

from jaxsolve.tsumego import report, setup, wording
from jaxsolve.tsumego import status as statuses
from jaxsolve.tsumego.asking import QuestionResult
from jaxsolve.tsumego.questions import Ko, StatusQuestion
from jaxsolve.tsumego.status import Status, Value
from jaxsolve.tsumego.study import Study, StudyOptions
from jaxsolve.tsumego.task import make_task

BOARD = (  # white's crucial stones above six points
    "......./......./......./XXXXX../OOOOX../...OX../...OX.. b"
)
REGION = "A1-C2"
PAIRS = [(against, for_) for against in Value for for_ in Value if against <= for_]


@pytest.fixture(scope="module")
def tasks():
    return {
        text: make_task(setup.read(text, "tsumego-7", {}), "A3", "A1,B1")
        for text in (BOARD, BOARD[:-1] + "w")
    }


def at(goal, ko):
    """The number of the value that answers a question.

    Despite threats it is the one that is worse for the side with the goal, with threats the better.
    """
    if ko.endswith("ko-threats"):
        return (goal == "kill") is (ko == "despite-ko-threats")
    return ko != f"{Ko.AGAINST.value}-may-ko"


def made_up(values, rng=None, share=0.0):
    """Answers the questions of every position by ``values[side, move]``, pairs of values (AGAINST,
    FOR); a share stays unknown.
    """

    def answered(problem):
        side, name, *move = problem.id.split(".", 1)[0], *problem.id.split(".")[1:]
        del name
        goal, ko = problem.id.split(".")[1:3]
        move = problem.id.split(".")[3:]
        value = values[side.removesuffix("-first"), move[0] if move else ""][at(goal, ko)]
        yes = value is (Value.LIVES if goal == "live" else Value.DIES)
        known = rng is None or rng.random() >= share
        verdict = ("proved" if yes else "disproved") if known else "unknown"
        reason = "The limit of 5 nodes was reached."
        return QuestionResult(problem.id, verdict, reason, checked=True)

    return lambda turn: [answered(each) for each in turn.problems]


def better(one, other, defender):
    """Whether ``one`` is at least as good as ``other`` for the side, whoever wins kos, and better
    in one case.
    """
    pairs = [(a, b) if defender else (b, a) for a, b in zip(one, other, strict=True)]
    return one != other and all(a >= b for a, b in pairs)


def best_of(pairs, defender):
    pick = max if defender else min
    return tuple(pick(pair[at] for pair in pairs) for at in (0, 1))


def every_case(task, side, moves):
    """(values, value of a pass): every combination of results of a side's first moves and of the
    other side's turn, one side at a time.
    """
    defender = side == setup.SIDES[task.defender]
    for pairs in itertools.product(PAIRS, repeat=len(moves)):
        for passed in PAIRS:
            root = best_of(
                [*pairs, passed], defender
            )  # what is reachable: each of the two by some move, or by none
            values = {
                (side, ""): root,
                **{(side, move): pair for move, pair in zip(moves, pairs, strict=True)},
            }
            yield values, passed, dict(zip(moves, pairs, strict=True))


def first_move(values, result):
    """The move that begins the proof at the root, if the side moving first has one."""
    side, goal, ko, *move = result.id.split(".")
    side = side.removesuffix("-first")
    wanted = Value.LIVES if goal == "live" else Value.DIES
    return next(
        (
            name
            for name in ("A1", "B1")
            if not move
            and (values[side, name][at(goal, ko)] is wanted) == (result.verdict == "proved")
        ),
        None,
    )


@pytest.mark.parametrize("side", setup.SIDES)
def test_moves_of_both_sides_are_judged_before_the_status_after_a_move_is_asked_for(tasks, side):
    """A question about a move that is judged already comes only when all moves are judged."""
    task = tasks[BOARD[:-1] + side[0]]
    other, extras = setup.SIDES[side == "black"], 0
    for values, passed, _ in every_case(task, side, ["A1", "B1"]):
        values |= {(other, ""): passed, (other, "A1"): passed, (other, "B1"): passed}
        if any(Value.SEKI in pair for pair in values.values()):
            continue  # a move may reach one aim and miss another, so all of them may be asked for
        judged = asked_about_moves(task, values)
        assert all(everything for known, everything in judged if known), (values, judged)
        extras += sum(known for known, _ in judged)
    assert extras


def asked_about_moves(task, values):
    """For each question about a move: whether this move is judged, and whether all moves are."""
    answers, judged = made_up(values), []

    def watched(turn):
        for problem in turn.problems:
            side, *_, move = problem.id.split(".")
            moves = {
                (f"{setup.SIDES[each.side]}-first", at.move): at.right
                for each in found.firsts
                for at in each.moves
            }
            if (side, move) in moves:
                judged.append((moves[side, move] is not None, None not in moves.values()))
        return [
            dataclasses.replace(result, best_move=first_move(values, result))
            for result in answers(turn)
        ]

    found = Study(task, watched)
    found.run()
    return judged


def test_a_wrong_move_is_refuted_by_the_proof_that_refutes_a_pass(tasks):
    """It shows the status after the move as well, so no disproof is searched."""
    values = {("white", ""): (Value.LIVES, Value.LIVES), ("black", ""): (Value.DIES, Value.DIES)}
    values |= {("white", "A1"): (Value.LIVES, Value.LIVES), ("black", "B1"): values["black", ""]}
    values |= {("white", "B1"): values["black", ""], ("black", "A1"): values["white", ""]}
    asked = []

    def answers(turn):
        asked.extend(problem.id for problem in turn.problems)
        return made_up(values)(turn)

    found = Study(tasks[BOARD[:-1] + "w"], answers)
    found.run()
    assert all(first.complete for first in found.firsts)
    assert sorted(each for each in asked if each.count(".") == 3) == [
        "black-first.kill.defender-may-ko.B1",
        "black-first.live.attacker-may-ko.A1",
        "black-first.live.attacker-may-ko.B1",
        "white-first.kill.defender-may-ko.A1",
        "white-first.kill.defender-may-ko.B1",
        "white-first.live.attacker-may-ko.A1",
    ]


@pytest.mark.short(1)
@pytest.mark.parametrize("side", setup.SIDES)
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_right_moves_are_those_that_nothing_is_better_than_and_the_sentence_names_them(
    tasks, side, share
):
    task, rng, counted = (
        tasks[BOARD[:-1] + side[0]],
        random.Random(side),
        {True: 0, False: 0, None: 0},
    )
    defender, other = side == setup.SIDES[task.defender], setup.SIDES[side == "black"]
    moves = ["A1", "B1"]
    for values, passed, after in every_case(task, side, moves):
        values |= {(other, ""): passed, (other, "A1"): passed, (other, "B1"): passed}
        found = Study(task, made_up(values, rng if share else None, share))
        found.run()
        (first,) = [each for each in found.firsts if setup.SIDES[each.side] == side]
        right = {
            move: (
                pair != worst(defender)
                and not any(better(option, pair, defender) for option in [*after.values(), passed])
            )
            for move, pair in after.items()
        }
        for move in first.moves:
            counted[move.right] += 1
            assert move.right in ((right[move.move],) if not share else (right[move.move], None)), (
                values,
                move.move,
            )
        known = first.status
        assert known in (expected := status_of(values[side, ""], defender), Status.UNKNOWN) and (
            share or known is expected
        )
        if share:
            report.make_report(found, lambda row: None)
            continue
        assert all(each.complete for each in found.firsts)
        (each,) = [
            each
            for each in report.make_report(found, lambda row: None).firsts
            if each.first is first
        ]
        if len({one.status for one in found.firsts}) == 1:
            assert "also with " in each.sentence
            continue
        best = {move for move in moves if right[move]}
        assert set(each.right) == (best if each.ranked else set())
        assert each.reach.startswith(wording.INSIDE) or wording.INSIDE not in each.sentence
        said = each.sentence.split(": ", 1)[1].removesuffix(f", {wording.INSIDE}")
        said = said.removesuffix(f", {each.reach}")
        for part in said.split("; ") if each.right else []:
            words, names = part.rsplit(" with " if defender else " by ", 1)
            for name in names.split(" or "):
                assert words == f"white {wording.phrase(task, status_of(after[name], defender))}", (
                    each.sentence
                )
    assert counted[True] > 100 and counted[False] > 100 and (counted[None] > 100) == bool(share)


def worst(defender):
    return (Value.DIES, Value.DIES) if defender else (Value.LIVES, Value.LIVES)


def status_of(pair, defender):
    answers = {
        StatusQuestion(goal, ko): value is want
        for goal, want in (("live", Value.LIVES), ("kill", Value.DIES))
        for ko, value in zip((Ko.AGAINST, Ko.FOR), pair, strict=True)
    }
    return statuses.status_of(answers, defender)


def test_what_a_move_is_known_to_reach_is_known_of_the_root(tasks):
    """The root's question reached a limit and those behind its moves did not: the status is known
    all the same, and one move is right.
    """
    task = tasks[BOARD[:-1] + "w"]
    truth = {
        ("white", ""): (Value.LIVES, Value.LIVES),
        ("white", "A1"): (Value.SEKI, Value.SEKI),
        ("white", "B1"): (Value.LIVES, Value.LIVES),
    }
    truth |= {("black", at): (Value.DIES, Value.DIES) for at in ("", "A1", "B1")}
    answerer = made_up(truth)

    def answers(turn):
        limited = ("attacker-may-ko", "despite-ko-threats", "with-ko-threats")
        ids = {f"white-first.live.{ko}" for ko in limited}
        return [
            dataclasses.replace(result, verdict="unknown") if result.id in ids else result
            for result in answerer(turn)
        ]

    found = Study(task, answers)
    found.run()
    (white,) = [each for each in found.firsts if each.side == 1]
    assert white.status is Status.LIVES and {move.move: move.right for move in white.moves} == {
        "A1": False,
        "B1": True,
    }
    assert (
        report.make_report(found, lambda row: None).firsts[0].sentence
        == "white first: white lives with B1, inside the region"
    )


def test_the_first_move_of_the_roots_proof_is_right_without_further_questions(tasks):
    """The total limit ended with the last question about the root; implied questions are not
    searched.
    """
    task = tasks[BOARD[:-1] + "w"]
    truth = {("white", ""): (Value.LIVES, Value.LIVES), ("black", ""): (Value.DIES, Value.DIES)}
    answerer = made_up(truth)

    def answers(turn):
        return [
            None
            if each.id.count(".") > 2
            else dataclasses.replace(answerer(turn._replace(problems=[each]))[0], best_move="B1")
            for each in turn.problems
        ]

    found = Study(task, answers)
    found.run()
    for each, wanted in zip(
        sorted(found.firsts, key=lambda first: first.side), (Status.DIES, Status.LIVES), strict=True
    ):
        assert each.status is wanted and len(each.answers) == 1
        assert {move.move: move.right for move in each.moves} == {"A1": None, "B1": True}


def test_a_move_is_refuted_by_a_proof_despite_ko_threats_where_the_verdict_rests_on_one(tasks):
    """Black kills with A1 by a ko that White never ends; after B1 White lives in the same way."""
    black_yes = {"kill.attacker-may-ko", "kill.with-ko-threats", "kill.despite-ko-threats"}
    white_yes = {"live.defender-may-ko", "live.with-ko-threats", "live.despite-ko-threats"}

    def answers(turn):
        found = []
        for problem in turn.problems:
            side, goal, ko, *move = problem.id.split(".")
            black = side == "black-first" and move != ["B1"]
            proved = f"{goal}.{ko}" in (black_yes if black else white_yes)
            verdict = "proved" if proved else "disproved"
            found.append(QuestionResult(problem.id, verdict, best_move="A1", checked=True))
        return found

    found = Study(tasks[BOARD], answers)
    found.run()
    (black,) = [
        each for each in report.make_report(found, lambda row: None).firsts if each.side == "black"
    ]
    assert black.verdict == "white dies by A1 (even if white has 2 ko threats)"
    right, wrong = black.moves
    assert (right.move, right.right, right.status) == ("A1", True, Status.DIES)
    assert right.shows == "captured despite 2 ko threats"
    assert (wrong.move, wrong.right, wrong.status) == ("B1", False, Status.LIVES)
    assert wrong.result is not None and wrong.shows == "alive despite 2 ko threats"


def test_a_move_that_loses_despite_ko_threats_is_wrong_where_others_make_a_ko(tasks):
    """Both moves of White live if White wins kos. After A1 Black kills whatever threats White has.

    A quick study does not call it right, although a proof at the root begins with it.
    """

    def answers(turn):
        found = []
        for problem in turn.problems:
            _, goal, ko, *move = problem.id.split(".")
            proved = f"{goal}.{ko}" in {"live.defender-may-ko", "kill.attacker-may-ko"}
            proved |= move == ["A1"] and f"{goal}.{ko}" == "kill.despite-ko-threats"
            verdict = "proved" if proved else "disproved"
            best = "A1" if ko == "defender-may-ko" else "B1"
            found.append(QuestionResult(problem.id, verdict, best_move=best, checked=True))
        return found

    for quick in (False, True):
        found = Study(tasks[BOARD[:-1] + "w"], answers, StudyOptions(quick=quick))
        found.run()
        (white,) = (each for each in found.firsts if each.side == 1)
        assert white.status is Status.LIVES_IN_KO
        right = {move.move: move.right for move in white.moves}
        assert right == ({"A1": None} if quick else {"A1": False, "B1": True})
