"""``solve_moves``: decides a claim in a position and after each of its first moves."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jaxsolve.core import process
from jaxsolve.core.run_folder import RunFolder, refuse_folder_name
from jaxsolve.games.game import Game, State
from jaxsolve.question import Claim, Question, Verdict, default_claim
from jaxsolve.search.arguments import refuse_wrong_question
from jaxsolve.search.first_moves import FirstMove, first_moves
from jaxsolve.search.result import Result, Stop, unsaved
from jaxsolve.search.run import effort
from jaxsolve.search.run.effort import EarlierRun, Effort
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.records import RESULT
from jaxsolve.search.run.shared_patterns import CAPACITY_MB, SharedPatterns
from jaxsolve.search.run.strategy import SeparateClaims, first_stage, value_stage
from jaxsolve.search.settings import Limits, Settings, changed
from jaxsolve.search.solving import allow_transfers, answer_stage, run_options

FOLDER, MARKER = "moves", "run.json"  # in the folder of the position; in the folder of the moves
SHARED = 8  # the positions that the searches share take a part 1 / SHARED of the memory at most
_RUN = ("progress", "evaluator", "patterns")  # arguments for ``RunOptions``


@dataclass
class MoveResult:
    """A first move, and what is decided about the position after it."""

    action: int
    move: str
    state: State  # the position after the move, as host arrays
    results: list[Result] = field(default_factory=list)  # of the claims searched, strongest first
    # For the side that makes the move: "wins", "draws", "loses", "does not lose", "does not win"
    # (if the claims tell no more), or "unknown".
    value: str = "unknown"
    # A symmetry of the position maps this move to the move with this text, whose results these are.
    symmetric_to: str | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict on the first claim. If a weaker claim is disproved, so is the first one."""
        disproved = self.results[-1].verdict is Verdict.DISPROVED
        return Verdict.DISPROVED if disproved else self.results[0].verdict


@dataclass
class Moves:
    """The answers of ``solve_moves``."""

    results: list[Result] = field(default_factory=list)  # of the position itself
    moves: list[MoveResult] = field(default_factory=list)  # all legal moves, by action
    interrupted: bool = False

    def of_value(self, value: str) -> list[MoveResult]:
        """Returns the moves with a value (``MoveResult.value``)."""
        return [move for move in self.moves if move.value == value]


def value_of(player: int, results: Sequence[Result], may_draw: bool) -> str:
    """Returns what results of one position tell about a player, as in ``MoveResult.value``."""
    known = set[tuple[bool, str]]()
    for result in results:
        if result.verdict is not Verdict.UNKNOWN:
            proved = result.verdict is Verdict.PROVED
            claim = result.claim if proved else result.claim.opposite(may_draw)
            known.add((claim.player == player, claim.result if may_draw else "wins"))
    if (True, "wins") in known:
        return "wins"
    if (False, "wins") in known:
        return "loses"
    safe, held = ((mine, "does-not-lose") in known for mine in (True, False))
    if safe and held:
        return "draws"
    return "does not lose" if safe else "does not win" if held else "unknown"


def folder_name(move: str) -> str:
    """Returns the text of a move as the name of a folder; different moves have different names.

    Letters, digits and ``. + -`` stay. Any other character becomes ``_``, its code and ``_``.
    Raises ValueError if the name would be too long.
    """
    name = re.sub(r"[^\w.+-]|_|^[.+-]", lambda found: f"_{ord(found[0]):x}_", move)
    refuse_folder_name(name, "move")
    return name


@allow_transfers
def solve_moves(
    game: Game,
    state: State,
    *,
    claims: Claim | Sequence[Claim] | None = None,
    settings: Settings | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    before: Callable[[str, int, int], None] | None = None,
    **others: Any,
) -> Moves:
    """Decides claims in the position ``state``, and then in the position after each legal move.

    The position is searched first, then the moves one after the other, a move that decides the
    position before the others. The searches share decided positions. Of moves that a symmetry of
    the position exchanges, one is searched. A move that ends the game is decided by the rules. A
    move that is not reached is unknown.

    Args:
      claims: one claim, or claims about one player, strongest first, each with a folder of its own,
        as in ``solve_value``: a later claim is searched if those before it are disproved (in games
        with threat search also if they stay undecided). Default: that of ``solve``, in games with
        draws those of ``solve_value``.
      settings: options of each search. The limits hold for all searches together.
      out: folder. It holds the files of the position; those of a move are in ``moves/<move>`` in
        it, named by ``folder_name``.
      resume: continue the run in ``out``. What is decided there is not searched again.
      before: called before the search of a move, with its text, its number and the number of moves.
      **others: ``progress``, ``evaluator`` and ``patterns`` as in ``solve``, and fields of
        ``settings`` to replace. Without ``patterns``, decided positions are shared in this call
        only.

    Returns the answers. After Ctrl-C they are those so far, and ``interrupted`` is True.

    Raises:
      ValueError: the game is over, or as in ``solve``.
      TypeError, OSError: as in ``solve``.
      KeyboardInterrupt: after Ctrl-C before there is an answer about the position.
    """
    process.setup()
    several = _claims(game, state, claims)
    for claim in several:
        refuse_wrong_question(game, state, claim)
    given = {name: others.pop(name, None) for name in _RUN}
    options = run_options(changed(settings, **others), out, resume, **given)
    if options.patterns is None:
        size = max(1, min(CAPACITY_MB, options.settings.memory_mb // SHARED))
        options = dataclasses.replace(options, patterns=SharedPatterns(None, size, positions=True))
    single = isinstance(claims, Claim) or (claims is None and len(several) == 1)
    return _Run(game, state, several, options, single).answers(before)


def _claims(game: Game, state: State, claims: Any) -> tuple[Claim, ...]:
    if isinstance(claims, Claim):
        return (claims,)
    if claims:
        return tuple(claims)
    refuse_wrong_question(game, state)
    if not game.may_draw:
        return (default_claim(game, state),)
    mover = int(game.to_move(state))
    return Claim(mover, "wins"), Claim(mover, "does-not-lose")


class _Run:
    """The searches of one call of ``solve_moves``.

    A search is named by its folder in ``out``, such as ``moves/b2``; that of the position by "".
    """

    def __init__(
        self,
        game: Game,
        state: State,
        claims: tuple[Claim, ...],
        options: RunOptions,
        single: bool,
    ):
        self._game, self._state, self._claims, self._options = game, state, claims, options
        self._single = single
        self._first_moves = first_moves(game, state)
        self._limits = options.settings.limits
        # Effort of each search for one claim, with the earlier runs that this run resumes.
        self._spent: dict[str, Effort] = {}
        if options.resume and options.out is not None:
            moves = [f"{FOLDER}/{folder_name(move.text)}" for move in self._first_moves]
            for path in self._paths("", *moves):
                self._spent[path] = EarlierRun.read(options.out / path / RESULT).effort

    def _paths(self, *names: str) -> list[str]:
        """Returns the folders of all claims of searches, relative to ``out``."""
        ends = [""] if self._single else [f"/{claim.result}" for claim in self._claims]
        return [f"{name}{end}".lstrip("/") for name in names for end in ends]

    def answers(self, before: Callable[[str, int, int], None] | None) -> Moves:
        """Runs all searches. See ``solve_moves``."""
        found = Moves(
            moves=[MoveResult(each.action, each.text, each.state) for each in self._first_moves]
        )
        try:
            self._search(self._state, "", found.results)
            found.interrupted = found.results[-1].interrupted
            with self._folder():
                self._search_moves(found, before)
        except KeyboardInterrupt:
            if not found.results:
                raise
            process.clear_interrupts()
            found.interrupted = True
        self._complete(found)
        return found

    def _search_moves(self, found: Moves, before: Callable[[str, int, int], None] | None) -> None:
        count = len(found.moves)
        for number, (first, move) in enumerate(self._in_order(found), 1):
            process.raise_lost_interrupt()
            if found.interrupted:
                return
            if first.same_as != first.action:
                continue
            name = f"{FOLDER}/{folder_name(move.move)}"
            if self._used_up() and not any(map(self._has_result, self._paths(name))):
                continue
            if before is not None:
                before(move.move, number, count)
            self._search_or_do_without_folder(move, name)
            found.interrupted = move.results[-1].interrupted

    def _in_order(self, found: Moves) -> list[tuple[FirstMove, MoveResult]]:
        """Returns the moves in the order of their searches: the deciding move of a proof first.

        The proof of the position usually decides the position after this move, too.
        """
        best = {result.best_move for result in found.results}
        pairs = list(zip(self._first_moves, found.moves, strict=True))
        wanted = {first.same_as for first, _ in pairs if first.text in best}
        return sorted(pairs, key=lambda pair: pair[0].action not in wanted)

    def _has_result(self, path: str) -> bool:
        return self._options.out is not None and (self._options.out / path / RESULT).exists()

    def _search_or_do_without_folder(self, move: MoveResult, name: str) -> None:
        """Searches after a move. If its folder cannot be written, nothing is saved."""
        try:
            self._search(move.state, name, move.results)
        except OSError as error:
            if self._options.out is None:
                raise
            move.results.clear()
            with_folder, self._options = self._options, dataclasses.replace(self._options, out=None)
            try:
                self._search(move.state, name, move.results)
            finally:
                self._options = with_folder
            for result in move.results:
                result.unsaved = result.unsaved or unsaved("folder", error)

    def _complete(self, found: Moves) -> None:
        """Sets the values, the results of symmetric moves, and those of moves not searched."""
        mover, by_action = int(self._game.to_move(self._state)), dict[int, MoveResult]()
        stop = Stop("Interrupted.") if found.interrupted else self._used_up()
        for first, move in zip(self._first_moves, found.moves, strict=True):
            by_action[first.action] = move
            if first.same_as != first.action:
                other = by_action[first.same_as]
                move.results, move.symmetric_to = other.results, other.move
            elif not move.results:
                result = Result(Verdict.UNKNOWN, self._claims[0], "")
                result.set_stop(stop or Stop("The position after this move was not searched."))
                move.results = [result]
            move.value = value_of(mover, move.results, self._game.may_draw)

    # ---- one search ------------------------------------------------------------------------------
    def _search(self, state: State, name: str, found: list[Result]) -> None:
        """Searches the claims in a position, and appends their results to ``found``."""
        question = Question(self._game, state, self._claims)
        stage = None
        if len(self._claims) > 1:
            stage = value_stage(question, self._options_of(name, self._paths(name)))
        if isinstance(stage, SeparateClaims):
            found += answer_stage(stage, self._options)
            self._charge(self._paths(name), found)
        else:
            for claim, path in zip(self._claims, self._paths(name), strict=True):
                options = self._options_of(path, [path])
                stage = first_stage(question._replace(claims=claim), options)
                found += answer_stage(stage, options)
                self._charge([path], found[-1:])
                if found[-1].verdict is not Verdict.DISPROVED or found[-1].interrupted:
                    break
        for result in found:
            result.rename_limit(self._limits)

    def _options_of(self, folder: str, paths: Sequence[str]) -> RunOptions:
        """Returns the options of a search in ``folder``, with what other searches leave of limits.

        ``paths`` are the folders of its claims.
        """
        out, resume = self._options.out, self._options.resume
        settings = dataclasses.replace(self._options.settings, limits=self._left(paths))
        return dataclasses.replace(
            self._options,
            settings=settings,
            out=None if out is None else out / folder,
            # ``value_stage`` itself resumes folders that exist.
            resume=resume,
            resume_if_exists=resume,
        )

    def _left(self, paths: Sequence[str] = ()) -> Limits:
        """Returns the limits without the effort of all searches but those in ``paths``."""
        others = [spent for path, spent in self._spent.items() if path not in paths]
        return effort.remaining(self._limits, functools.reduce(Effort.plus, others, Effort()))

    def _used_up(self) -> Stop | None:
        """Returns the stop at a limit that all searches together have used up, or None."""
        for limit_name, left in vars(self._left()).items():
            if left is not None and left <= 0:
                return Stop.at_limit(self._limits, limit_name)
        return None

    def _charge(self, paths: Sequence[str], results: Sequence[Result]) -> None:
        """Records the effort of the results of one search, with its earlier runs."""
        spent = Effort()
        for result in results:
            spent = spent.plus(Effort(*(getattr(result, each) for each in Effort._fields)))
        self._spent |= dict.fromkeys(paths, Effort()) | {paths[0]: spent}

    @contextlib.contextmanager
    def _folder(self) -> Iterator[None]:
        """Locks the folder of the moves. If it cannot be made, each search reports that."""
        out, folder = self._options.out, None
        about = {
            "format": "jaxsolve-moves",
            "version": 1,
            "rules": self._game.rule_set,
            "position": self._game.text(self._state),
            "claims": [claim.text(self._game.players) for claim in self._claims],
        }
        if out is not None:
            with contextlib.suppress(OSError):
                folder = RunFolder(out / FOLDER, MARKER, about, resume=self._options.resume)
        try:
            yield
        finally:
            if folder is not None:
                folder.release()
