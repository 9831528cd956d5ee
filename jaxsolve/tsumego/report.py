"""The report of a study, as verdicts and variations: input of terminal, JSON and SGF output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from jaxsolve.proof import reading
from jaxsolve.proof.check import registry as checkers
from jaxsolve.tsumego import questions, seki_line, variations, where_it_holds, wording
from jaxsolve.tsumego import status as statuses
from jaxsolve.tsumego.aims import Aim, aims_of
from jaxsolve.tsumego.asking import QuestionResult
from jaxsolve.tsumego.findings import First, Move
from jaxsolve.tsumego.growth import Growth
from jaxsolve.tsumego.questions import KILL_AGAINST, KILL_FOR, LIVE_FOR, Answers, Ko, StatusQuestion
from jaxsolve.tsumego.setup import SIDES
from jaxsolve.tsumego.status import Status, Value
from jaxsolve.tsumego.study import Study
from jaxsolve.tsumego.task import Task
from jaxsolve.tsumego.variations import Variation
from jaxsolve.tsumego.verdicts import FirstReport, MoveReport, Report

Find = Callable[[QuestionResult], "Path | None"]
"""Returns the path of the certificate of a result, or None if there is none."""

NOT_SEARCHED = "not searched"
REPEATS = "play can repeat without end"
OUTSIDE = "outside the zone of the proof"
OPEN = "another move may be better"
AS_A_PASS = "as good as a pass, whoever wins the ko"
CAPTURED = (Aim(KILL_AGAINST, True),)
NOT_CAPTURED = (Aim(KILL_AGAINST, False), Aim(KILL_FOR, False))


def make_report(study: Study | Growth, find: Find) -> Report:
    """Makes the report of what ``study`` has found so far.

    Args:
      study: the study, finished or not.
      find: returns the path of the certificate of a result.

    Raises ValueError if a certificate cannot be read.
    """
    parts = study.parts
    same = len(parts) == 2 and len({(each.task.place, first.status) for each, first in parts}) == 1
    firsts = []
    for each, first in parts:
        task = each.task
        moves = _Reporter(task, find).moves(first)
        right = [(move.move, move.status) for move in moves if move.right]
        firsts.append(
            FirstReport(
                task,
                first,
                verdict=wording.verdict(task, first, right, same),
                inside=not task.assumed and not where_it_holds.of_task(task).covers(first.bounds),
                reach=wording.reach(task, first),
                note=wording.note(task, first),
                ranked=wording.ranks_moves(task, first.status),
                moves=moves,
            )
        )
    return Report(parts[0][0].task, firsts, study.other, study.other_assumptions)


class _Reporter:
    def __init__(self, task: Task, find: Find):
        self.task, self._find = task, find

    def moves(self, first: First) -> list[MoveReport]:
        if not first.moves:
            return []
        refuting = first.refuting if first.aim is None else None
        if refuting is None:
            return [self._own(first, move) for move in first.moves]
        result = first.results[refuting]
        proof = self._proof(result)
        found = []
        for move in first.moves:
            outside = proof is not None and variations.is_outside(proof, move.move)
            play = None if proof is None or outside else variations.after_move(proof, move.move)
            why = (
                ""
                if play is not None
                else OUTSIDE
                if outside
                else "the proof is missing, or too large to show"
            )
            found.append(
                MoveReport(
                    move.move,
                    False,
                    first.status_after(move),
                    refuting,
                    result,
                    False,
                    play,
                    why,
                    self._shows(first.answers, refuting),
                )
            )
        return found

    def _own(self, first: First, move: Move) -> MoveReport:
        """Reports a move by the most informative of the proofs that were searched after it.

        For a right move this is a proof of what the side reaches, for a wrong move a proof of what
        the other side reaches.
        """
        own = first.own_aims
        others = (
            *aims_of(move.answers, not first.defender_first),
            *(Aim(aim.question, not aim.wanted) for aim in own),
        )
        aims = (own, first.other_aims) if move.right else (others, own)
        status = first.status_after(move)
        if status is Status.SEKI:
            aims = (NOT_CAPTURED, *aims)
        elif (
            not move.right
            and first.defender_first
            and questions.shown_despite_threats(move.answers) is None
            and statuses.bounded(first.answers_after(move)).against.most == Value.DIES
        ):
            # Show the capture after a lost ko, which the other proofs do not contain, unless one of
            # them holds despite ko threats.
            aims = (CAPTURED, *aims)
        question = next(filter(None, map(move.best, aims)), None)
        if question is None and move.right:
            return self._of_the_root(first, move)
        result = None if question is None else move.results[question]
        play = None
        if question is not None and result is not None:
            play = self._play(first, move, question, result)
            if status is Status.SEKI:
                self._show_seki(first, move, play)
        why = (
            ""
            if move.right is not None
            else OPEN
            if status is not Status.UNKNOWN or first.brief
            else _why_unknown(move)
        )
        shows = "" if question is None or result is None else self._shows(move.answers, question)
        return MoveReport(
            move.move, move.right, status, question, result, question is not None, play, why, shows
        )

    def _of_the_root(self, first: First, move: Move) -> MoveReport:
        """Reports a move that is right because a proof at the root begins with it."""
        question = next(
            (first.shown_by(aim) for aim in first.own_aims if first.begins_with(aim) == move.move),
            None,
        )
        if question is None:  # a pass reaches as much where a ko setting forbids the move
            status = first.status_after(move)
            return MoveReport(move.move, True, status, None, None, False, None, AS_A_PASS, "")
        result = first.results[question]
        proof = self._proof(result)
        after = _from_line(result, first.side) if proof is None else variations.variations(proof)
        play = next((each for each in after if each.move == move.move), None)
        status = first.status_after(move)
        if status is Status.UNKNOWN:  # a right move keeps the status
            status = first.status
        if status is Status.SEKI and play is not None:
            self._show_seki(first, move, play)
        return MoveReport(
            move.move,
            True,
            status,
            question,
            result,
            False,
            play,
            "",
            self._shows(first.answers, question),
        )

    def _shows(self, answers: Answers, question: StatusQuestion) -> str:
        """Returns the result that a question's proof shows, and who wins kos if that matters."""
        answer = bool(answers[question])
        if self.task.given.killall is not None:
            return "alive" if answer else "no life"
        words = {"live": ("no two eyes", "alive"), "kill": ("not captured", "captured")}
        text = words[question.goal][answer]
        if question.ko.threats:
            despite = answer is (question.ko is Ko.DESPITE)
            return f"{text} {'despite' if despite else 'with'} {questions.THREATS} ko threats"
        other = question._replace(ko=Ko.FOR if question.ko is Ko.AGAINST else Ko.AGAINST)
        if questions.answer(answers, other) is answer:
            return text
        return (
            f"{text} if"
            f" {SIDES[self.task.defender if question.ko is Ko.FOR else 1 - self.task.defender]}"
            " wins kos"
        )

    def _play(
        self, first: First, move: Move, question: StatusQuestion, result: QuestionResult
    ) -> Variation:
        rules = checkers.find("go").rules(self.task.rules(question))
        verdict = rules.verdict(rules.position(move.position))
        here = Variation(move.move, first.side, end="" if verdict is None else verdict.reason)
        if verdict is not None:
            return here
        proof = self._proof(result)
        if proof is None:
            here.after = _from_line(result, 1 - first.side)
        else:
            here.after, here.zone = variations.variations(proof), proof.nodes[proof.root].zone
            settled = rules.settled(rules.position(move.position), proof.nodes[proof.root].leaf)
            here.end = "" if settled is None else settled.reason
        return here

    def _show_seki(self, first: First, move: Move, play: Variation) -> None:
        """Puts the line of play of a seki before the variations ``play.after`` of one proof.

        The variations of one proof begin with the losing side's longest resistance, which may be a
        self-atari. Without a line of play (``tsumego/seki_line.py``) no variation is left.
        """
        places = [self._place(first, move, question) for question in (KILL_AGAINST, LIVE_FOR)]
        not_captured, no_life = places
        line = (
            []
            if not_captured is None or no_life is None
            else seki_line.line(not_captured, no_life, self.task.defender)
        )
        others = [each for each in play.after if line and each.move != line[0].move]
        play.after, play.end = [*line, *others], ""

    def _place(
        self, first: First, move: Move, question: StatusQuestion
    ) -> seki_line.ProofPlace | None:
        """Returns the position after a move in the proof that the answer to a question is no.

        The question was searched after the move or at the root. Returns None if it was not, or if
        the proof is missing, too large or of the other answer.
        """
        for answers, result, begins in (
            (move.answers, move.results.get(question), None),
            (first.answers, first.results.get(question), move.move),
        ):
            proof = (
                None if result is None or answers[question] is not False else self._proof(result)
            )
            if proof is not None:
                place = seki_line.root(proof)
                return place if begins is None else place.after(begins)
        return None

    def _proof(self, result: QuestionResult) -> reading.Proof | None:
        path = self._find(result)
        return None if path is None else reading.read(path)


def _why_unknown(move: Move) -> str:
    unknown = [result for result in move.results.values() if result.verdict == "unknown"]
    if not unknown:
        return NOT_SEARCHED
    return REPEATS if all(result.repeats for result in unknown) else "a limit was reached"


def repeats(report: Report) -> bool:
    """Returns whether something is unknown because play can repeat, which superko forbids."""
    results = [
        result
        for each in report.firsts
        for result in each.first.results.values()
        if each.first.status is Status.UNKNOWN
    ]
    found = any(move.why == REPEATS for each in report.firsts for move in each.moves)
    return found or any(result.repeats for result in results)


def _from_line(result: QuestionResult, player: int) -> list[Variation]:
    """Returns the main line of a result as variations, for a proof that is missing or too large."""
    after: list[Variation] = []
    for number, move in reversed(list(enumerate(result.line))):
        after = [Variation(move, player ^ number & 1, after)]
    return after
