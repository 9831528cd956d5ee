"""The manager: a pool whose leaves are jobs of workers.

The tree, the proof log, zones, patterns and the certificate are those of every search
(``search.run.search``). What differs is the effort for a leaf: a worker searches the position up to
a limit, and only if that decides nothing the manager expands it. Each job is a flight of its own,
with the virtual numbers of its path, so that jobs are spread over the tree (job-level proof-number
search, Wu et al. 2011; with a network and ``mcts``, the manager of "Game solving with online
fine-tuning", Wu et al. 2023, Section 3).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from jaxsolve.cluster import verification
from jaxsolve.cluster.backend import Event, NoWorkers
from jaxsolve.cluster.leaves import Leaf, PositionTexts, RunningJob, select
from jaxsolve.cluster.news import News
from jaxsolve.cluster.orders import Order, Report, within
from jaxsolve.cluster.shared import HANG_FACTOR, Assignment, Shared
from jaxsolve.cluster.sizing import JobLimits
from jaxsolve.cluster.verification import Distrust, Proved
from jaxsolve.core.process import cpu_seconds
from jaxsolve.evaluate import Evaluator
from jaxsolve.jit import compile_clock
from jaxsolve.question import Verdict
from jaxsolve.search.result import ProgressCallback, Stop
from jaxsolve.search.run.effort import Effort
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.pool import StepClock
from jaxsolve.search.run.records import question_of

WAIT_SECONDS = 0.2
VERIFY_SECONDS = 0.02  # the same while reports are being verified
MOST_ADOPTED = 256  # records of a proof that enter the tree, the last ones; all enter the log
MOST_UNVERIFIED = 8  # reports that wait while others are received
TICK_SECONDS = 1.0  # between two searches for workers that hang


class Manager:
    """Runs jobs of one evaluator with workers (``search.run.pool.Runs``).

    Args:
      evaluator: evaluator of all jobs.
      shared: workers, options and records of the run.

    Raises ValueError if the rule for jobs needs costs, and the network predicts none.
    """

    def __init__(self, evaluator: Evaluator, shared: Shared):
        shared.rule.refuse_unfit(evaluator.layout.offsets)
        self.evaluator, self.shared = evaluator, shared
        self._jobs: list[RunningJob] = []
        self._texts = PositionTexts(evaluator.game)
        self._assigned: dict[int, Assignment] = {}  # by the id of the order
        self._by_position: dict[tuple[int, bytes], Assignment] = {}  # by job and packed position
        self._waiting: list[Assignment] = []  # orders without a worker
        # By the id of the order: reports that are to be verified, with their workers.
        self._verifying: dict[int, tuple[Assignment, Report, str]] = {}
        self._checked = shared.figures.clock()  # when hanging workers were last looked for

    def submit(self, job: Job) -> None:
        """Adds a job."""
        root = self._texts.text(job.root) or ""
        flights = 0 if job.done else job.search.flights
        running = RunningJob(job, list(range(flights))[::-1], root=root)
        self._jobs.append(running)
        self._begin(running)

    def run(self, progress: ProgressCallback | None = None) -> list[Job]:
        """Sends orders and adopts their results until at least one job has ended.

        Returns the ended jobs; [] if no job is running. If no worker is left, all jobs end.
        """
        while self._jobs:
            clock = StepClock([each.job for each in self._jobs])
            try:
                ended = self._remove_ended()  # what a log decides needs no workers
                if not ended:
                    self.shared.renew(self.evaluator)
                    self._send()
                    ended = self._remove_ended()
                if not ended:
                    self._wait()
            except NoWorkers as error:
                for each in self._jobs:
                    each.job.stop = Stop(f"No worker is left: {error}.")
                ended = self._remove_ended()
            clock.stop()
            if self.shared.status is not None:
                self.shared.status.update(self.shared, self._jobs)
            if ended:
                return ended
            if progress is not None:
                progress(self._jobs[0].job.progress())
        return []

    def _wait(self) -> None:
        """Receives what has happened, after a while if nothing has and the manager has no work."""
        backend = self.shared.backend
        own = self.shared.verifiers.own
        works = (own and self._verifying) or (backend.idle() and not self._assigned)
        seconds = VERIFY_SECONDS if self._verifying else WAIT_SECONDS
        events = backend.wait(0.0 if works else seconds)
        for event in events:
            self._receive(event)
        # Before the manager verifies a report, the workers of the events get new orders.
        if not (own and events) or len(self._verifying) > MOST_UNVERIFIED:
            self._receive_verified()
        self._drop_hanging()

    # ---- sending ---------------------------------------------------------------------------------
    def _send(self) -> None:
        """Gives every idle worker an order, as long as there are leaves."""
        if self._stays_with_root():
            self._assign_root(self._jobs[0])
        idle = self.shared.backend.idle()
        while idle:
            while idle and self._waiting:
                assignment = self._waiting.pop()
                worker = assignment.before if assignment.before in idle else idle[-1]
                idle.remove(worker)
                self._give(assignment, worker)
            if not idle:
                return
            leaves = select(self._jobs, len(idle), self.evaluator)
            if not leaves:
                return
            for leaf in leaves:
                self._assign(leaf)

    def _begin(self, owner: RunningJob) -> None:
        """Makes the question itself the first job, if a run before this one has not searched it."""
        owner.root_may_help = bool(owner.root)
        if not owner.root or owner.job.done:
            return
        order = self._new_order(owner, owner.root, (), self.shared.size.question())
        if self.shared.journal.tried(order):
            owner.inform(self.shared.journal.numbers(order))
        else:
            self._assign_root(owner)

    def _assign_root(self, owner: RunningJob) -> None:
        """Makes the question itself a job, unless it is one or this cannot help."""
        if not owner.root_may_help or owner.job.done:
            return
        state = owner.job.search.tree.states[0]
        if (id(owner), state.tobytes()) in self._by_position:
            return
        order = self._new_order(owner, owner.root, (), self.shared.size.question())
        nothing = np.zeros((0, len(state)), np.uint32)
        self._add(Assignment(order, owner, state.copy(), [], nothing, before=owner.root_worker))

    def _stays_with_root(self) -> bool:
        """Whether one worker is to search nothing but the question, in order after order.

        Then a run is not much slower than ``solve``, however badly the question splits into jobs.
        Not with jobs of a fixed size, nor with a network, whose costs select the jobs.
        """
        fixed = self.shared.size.nodes is not None
        return len(self._jobs) == 1 and self.evaluator.heads is None and not fixed

    def _add(self, assignment: Assignment) -> None:
        key = id(assignment.owner), assignment.state.tobytes()
        self._assigned[assignment.order.id] = self._by_position[key] = assignment
        self._waiting.append(assignment)

    def _assign(self, leaf: Leaf) -> None:
        """Makes a leaf a job, or backs it up at once."""
        words = leaf.row[0, : self.evaluator.game.state_words]
        if self.shared.trainer is not None and leaf.is_new():
            self.shared.trainer.add_critical(words)
        key = id(leaf.owner), words.tobytes()
        same = self._by_position.get(key)
        if same is not None and same.about_question:
            leaf.absorb()  # play has come back to the question
            return
        if same is not None:
            same.leaves.append(leaf)
            return
        line, ancestors = leaf.line()
        order = self._order(leaf, line)
        if order is None:
            leaf.absorb()
            return
        if self.shared.journal.tried(order):
            self.shared.figures.counts["skipped"] += 1
            leaf.absorb(self.shared.journal.numbers(order))
            return
        self._add(Assignment(order, leaf.owner, words.copy(), [leaf], ancestors))

    def _order(self, leaf: Leaf, line: tuple[int, ...]) -> Order | None:
        """Returns the order for a leaf; None for a leaf that is no job."""
        shared, game = self.shared, self.evaluator.game
        if not leaf.is_new() or not shared.rule.allows(leaf, self.evaluator.layout.offsets):
            return None
        position = self._texts.text(leaf.row[0, : game.state_words])
        if position is None:
            return None
        return self._new_order(leaf.owner, position, line, shared.size.next())

    def _new_order(
        self, owner: RunningJob, position: str, line: tuple[int, ...], size: JobLimits
    ) -> Order:
        shared = self.shared
        shared.orders += 1
        return Order(
            shared.orders,
            1,
            shared.weights.version,
            self.evaluator.game.rule_set,
            position,
            owner.job.current.searched,
            size.nodes,
            size.cpu_seconds,
            owner.root,
            line if owner.root else (),
        )

    def _give(self, assignment: Assignment, worker: str) -> None:
        shared, left = self.shared, assignment.owner.job.remaining()
        order = dataclasses.replace(assignment.order, version=shared.weights.version)
        order = within(order, left, shared.backend.running())
        assignment.order, assignment.worker = order, worker
        limit = HANG_FACTOR * (order.cpu_seconds or 0.0)
        assignment.deadline = shared.figures.clock() + shared.hang_seconds + limit
        self.shared.busy[worker] = assignment
        message, news = order.encode(), shared.newsletter.take(worker)
        shared.figures.sent(worker)
        shared.figures.sent_bytes += len(message)
        shared.figures.news_bytes += sum(map(len, news))
        shared.backend.send(worker, message, news, shared.weights.take(worker))

    # ---- receiving -------------------------------------------------------------------------------
    def _receive(self, event: Event) -> None:
        assignment, figures = self.shared.busy.pop(event.worker, None), self.shared.figures
        if assignment is None:  # of a manager before this one
            figures.ended(event.worker, "lost" if event.report is None else "cancelled")
            return
        if event.report is None:
            figures.ended(event.worker, "lost")
            self.shared.forget(event.worker)
            self._send_again(assignment)
            return
        if assignment.order.id not in self._assigned:  # cancelled
            figures.ended(event.worker, "cancelled")
            return
        try:
            report = verification.read(assignment.order, event.report)
        except Distrust as error:
            figures.ended(event.worker, "distrusted")
            self._refuse(assignment, event.worker, error)
            return
        figures.received_bytes += len(event.report)
        self._verify(assignment, report, event.worker)

    def _verify(self, assignment: Assignment, report: Report, worker: str) -> None:
        """Settles a report without a verdict. Others wait for their verification."""
        shared, order = self.shared, assignment.order
        shared.figures.received(worker, report.nodes, report.cpu_seconds)
        shared.size.add(report.nodes, report.cpu_seconds)
        job = assignment.owner.job
        job.helpers = job.helpers.plus(Effort(report.nodes, report.evaluations, report.cpu_seconds))
        if not report.decided:
            self._settle(assignment, report, worker, None)
            return
        self._verifying[order.id] = assignment, report, worker
        root = assignment.root_of(report)
        shared.verifiers.submit(order.id, order, report, root, self.evaluator)

    def _receive_verified(self) -> None:
        """Settles the reports that have been verified."""
        for name, outcome in self.shared.verifiers.done():
            self.shared.figures.verify_seconds += outcome.cpu_seconds
            kept = self._verifying.pop(name, None)
            if kept is not None and kept[0].order.id in self._assigned:
                self._settle(*kept, outcome.found)

    def _settle(
        self,
        assignment: Assignment,
        report: Report,
        worker: str,
        found: Proved | Distrust | None,
    ) -> None:
        """Adopts what a report proves, writes the journal and ends the order.

        A report that proves nothing excludes its worker, and the order goes out again.
        """
        if isinstance(found, Distrust):
            self.shared.figures.judged(worker, "distrusted")
            self._refuse(assignment, worker, found)
            return
        if found is not None:
            holds = report.verdict == str(Verdict.PROVED)
            self._keep(assignment.owner.job, assignment.order, found, worker, holds)
        elif report.decided:  # its proof cannot be checked here (``verify``)
            report = dataclasses.replace(report, verdict=str(Verdict.UNKNOWN))
        self.shared.figures.judged(worker, "unknown" if found is None else "solved")
        self.shared.journal.add(assignment.order, report, worker)
        self._end(assignment, report.numbers)
        if assignment.about_question:
            assignment.owner.root_worker = worker
            assignment.owner.root_may_help = report.reached_limit(assignment.order)

    def _refuse(self, assignment: Assignment, worker: str, error: Distrust) -> None:
        """Excludes a worker whose report is wrong, and sends its order again."""
        if not self._texts.gives(assignment.order.position, assignment.state):
            self._end(assignment)  # the order was wrong, not the worker
            return
        other = self.shared.busy.get(worker)
        self.shared.exclude(worker, str(error))
        if other is not None:
            self._send_again(other)
        self._send_again(assignment)

    def _keep(self, job: Job, order: Order, proved: Proved, worker: str, holds: bool) -> None:
        """Adds what a report proves to the proof log, to the tree and to the news.

        ``holds``: whether the claim is proved; else it is disproved.
        """
        figures, start = self.shared.figures, _spent()
        job.adopt(order.claim, *proved[:3], propagate=False, most=MOST_ADOPTED)
        job.search.finish_if_decided()
        job.current.flush()
        if self.shared.trainer is not None:
            self.shared.trainer.add_solved(
                order.claim, proved=holds, states=proved.states, moves=proved.moves
            )
        question = question_of(self.evaluator.game, order.claim, self.evaluator)
        self.shared.newsletter.add(News(question, proved.records, proved.data), worker)
        figures.records += len(proved.records)
        figures.adopt_seconds += _spent() - start

    def _send_again(self, assignment: Assignment) -> None:
        """Sends a lost order to another worker, at most ``attempts`` times."""
        order = assignment.order.next_attempt()
        if order.id not in self._assigned:
            return
        if order.attempt > self.shared.attempts:
            self._end(assignment)
            return
        assignment.order, assignment.worker = order, ""
        self._waiting.append(assignment)

    def _end(self, assignment: Assignment, numbers: Sequence[tuple[int, int, int]] = ()) -> None:
        """Backs up the leaves of an order, which has ended."""
        del self._assigned[assignment.order.id]
        del self._by_position[id(assignment.owner), assignment.state.tobytes()]
        for leaf in assignment.leaves:
            leaf.absorb(numbers)
        if assignment.about_question:
            assignment.owner.root_may_help = False  # unless its report says so
            if not assignment.before:
                assignment.owner.inform(numbers)

    def _drop_hanging(self) -> None:
        """Replaces workers that have had an order for far too long."""
        now = self.shared.figures.clock()
        if now - self._checked < TICK_SECONDS:
            return
        self._checked = now
        for worker, assignment in list(self.shared.busy.items()):
            if now > assignment.deadline:
                self.shared.figures.ended(worker, "lost")
                self.shared.drop(worker)
                self._send_again(assignment)

    # ---- ends of jobs ----------------------------------------------------------------------------
    def _remove_ended(self) -> list[Job]:
        ended = []
        for each in list(self._jobs):
            each.job.check_limits()
            if not each.job.done:
                continue
            self._cancel(each)
            if each.job.next_claim():
                self._begin(each)
            else:
                self._jobs.remove(each)
                ended.append(each.job)
        return ended

    def _cancel(self, owner: RunningJob) -> None:
        """Ends the orders of a job whose search has ended."""
        mine = [each for each in self._assigned.values() if each.owner is owner]
        for assignment in mine:
            self._end(assignment)
            if self.shared.busy.get(assignment.worker) is assignment:
                self.shared.backend.cancel(assignment.worker)
        self._waiting = [each for each in self._waiting if each.order.id in self._assigned]


def _spent() -> float:
    """Returns the CPU seconds of this process so far, without compilation."""
    return cpu_seconds() - compile_clock.read().cpu_seconds
