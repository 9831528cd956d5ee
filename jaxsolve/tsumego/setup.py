"""Builds a life-and-death task from the user's input: board, crucial stones and region.

Crucial stones and region that are not given are proposed (``tsumego/enclosure.py``).
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jaxsolve.core.strict_json import shortened
from jaxsolve.formats import position, sgf
from jaxsolve.formats.record import FormatError
from jaxsolve.games import registry
from jaxsolve.games.game import Game
from jaxsolve.games.go.text import parse_points, points_text
from jaxsolve.proof.check import grid as grids
from jaxsolve.tsumego import enclosure
from jaxsolve.tsumego.enclosure import Board
from jaxsolve.tsumego.status import Ko, StatusQuestion

SIDES = ("black", "white")
DEFAULT_REGION = "auto"
CHOOSE = "choose others with --crucial P2,Q3"
_KEPT = (
    "ko",
    "fill_eyes",
)  # rule options taken from the user's input; ``Task.rules`` sets the others


@dataclass(frozen=True)
class Given:
    """A Go position as given by the user, with the marks and rule options that came with it."""

    name: str
    size: int
    board: str  # ``<board>`` of the certificate format
    side: int | None = None  # to move; None if not given
    ko: str | None = None  # the ko point that ``side`` may not retake
    marks: Mapping[str, frozenset[tuple[int, int]]] = field(default_factory=dict)
    where: str = ""  # the place of the position in an SGF record, in words
    title: str = ""
    options: Mapping[str, str] = field(
        default_factory=dict
    )  # options of the tsumego rule set that came with the position
    killall: str | None = None  # rule-set id of Killall-Go; None for other rules


@dataclass(frozen=True)
class Task:
    """A life-and-death task: crucial stones, the region, and rule options.

    Sets of points are masks of ``grid``.
    """

    given: Given
    defender: int  # player of the crucial stones
    crucial: int  # 0: any stone of the defender (Killall-Go)
    region: int  # where stones may be placed
    options: Mapping[str, str]  # ``ko`` and ``fill_eyes``
    remarks: tuple[
        tuple[str, str], ...
    ]  # (topic, sentence for the user) about the choice of crucial stones and region

    @functools.cached_property
    def grid(self) -> grids.Grid:
        return grids.gtp(self.given.size)

    @functools.cached_property
    def stones(self) -> Board:
        return enclosure.board_of(self.grid, self.given.board)

    @property
    def whole(self) -> bool:
        """Whether stones may be placed anywhere."""
        return self.region == self.grid.full

    def rules(self, question: StatusQuestion) -> str:
        """Returns the rule-set id whose goal is that of ``question``.

        Killall-Go has the same id for all questions. Its goal is that White lives.
        """
        if self.given.killall is not None:
            return self.given.killall
        attacker_may, defender_may = (
            ("allow", "forbid") if question.ko is Ko.AGAINST else ("forbid", "allow")
        )
        chosen = {
            "goal": question.goal,
            "defender": SIDES[self.defender],
            "crucial": self.grid.list(self.crucial),
            "region": "all" if self.whole else self.grid.list(self.region),
            f"ko_{SIDES[self.defender]}": defender_may,
            f"ko_{SIDES[1 - self.defender]}": attacker_may,
        }
        return registry.make(f"tsumego-{self.given.size}", **chosen, **self.options).rule_set

    def answer(self, question: StatusQuestion, proved: bool) -> bool:
        """Returns the answer to ``question`` when the goal of its rules was proved or disproved.

        In Killall-Go the goal is always to live, so proving it answers ``kill`` in the negative.
        """
        return proved if self.given.killall is None or question.goal == "live" else not proved

    def name(self, question: StatusQuestion) -> str:
        """Returns the name of the question in files and tables."""
        return "live" if self.given.killall is not None else question.name

    def root(self, side: int) -> str:
        """Returns the position with ``side`` to move, as text.

        A ko ban of the given position applies only to the side that was given to move.
        """
        ko = f" ko={self.given.ko}" if self.given.ko is not None and side == self.given.side else ""
        return f"{self.given.board} {SIDES[side][0]}{ko}"

    @functools.cached_property
    def scope(self) -> enclosure.Scope:
        """Which results provably hold on the whole board.

        For a region smaller than the board, no result does if a move outside can change the legal
        moves inside. This is so under superko, with a ko ban in the position, and if eyes may not
        be filled (the capture of a wall can make a point an eye or not).
        """
        banned = (
            self.options.get("ko", "simple") != "simple"
            or self.options.get("fill_eyes", "true") != "true"
            or self.given.ko is not None
        )
        if banned and not self.whole:
            return enclosure.Scope(False, False)
        return enclosure.scope(self.stones, self.defender, self.crucial, self.region)


# ---- reading -------------------------------------------------------------------------------------
def read(text: str, game: str | None, options: Mapping[str, str]) -> Given:
    """Reads the position of a task.

    Args:
      text: an SGF file with or without variations, ``-`` for SGF on standard input, or any position
        that ``jaxsolve solve`` takes.
      game: rule-set id, or None for the default.
      options: rule options.

    Raises:
      FormatError: the position cannot be read or is not a Go position.
    """
    _refuse_whole_games(game)
    data = _sgf(text)
    if data is None:
        problem = position.resolve(text, game=game, options=options)
        return _given(
            problem.id, problem.game, problem.game.text(problem.state), title=problem.title
        )
    name = "standard input" if text == "-" else Path(text).name
    try:
        marked = sgf.read_marked(data)
        record, side = marked.record, marked.record.to_move
        if record.has_setup and side is None and not record.moves:
            # The record needs a side to move; the study lets either side move first.
            record = dataclasses.replace(record, to_move=0)
        else:
            side = -1
        rules = _rules_of(record.properties.get("rules", ""), game, record.size)
        made = registry.make(rules, **options)
        found = _given(
            name,
            made,
            made.text(sgf.position(record, made)),
            marked.record.properties.get("title", ""),
        )
    except ValueError as error:
        raise FormatError(f"{name}: {error}") from None
    return dataclasses.replace(
        found, side=found.side if side == -1 else None, marks=marked.marks, where=marked.where
    )


def _sgf(text: str) -> bytes | None:
    """Returns the bytes of the SGF record that ``text`` names, or None for other texts.

    Raises FormatError if the file cannot be read or is not an SGF record.
    """
    if text == "-":
        data = sys.stdin.buffer.read()
        if b"(;" not in b"".join(data[:4096].split()):
            raise FormatError(
                "standard input holds no SGF record; one looks like (;GM[1]SZ[9]AB[ee]AW[cc])"
            )
        return data
    if not text.endswith(".sgf"):
        return None
    try:
        data = Path(text).read_bytes()
    except OSError as error:
        raise FormatError(f"cannot read {text}: {error.strerror}") from None
    if b"(;" not in b"".join(data[:4096].split()):
        raise FormatError(
            f"{Path(text).name} is not an SGF record: one looks like (;GM[1]SZ[9]AB[ee]AW[cc])"
        )
    return data


def _rules_of(phrase: str, game: str | None, size: int) -> str:
    """Returns the rule-set id for an SGF record.

    Args:
      phrase: the rules property of the record; used if it is a life-and-death rule set.
      game: rule-set id of the user; it takes precedence.
      size: board size, for the default ``tsumego-<size>``.
    """
    if game is not None:
        return game
    phrase = phrase.replace("\\", "").strip()
    return phrase if phrase.startswith(("tsumego-", "killallgo-")) else f"tsumego-{size}"


def _refuse_whole_games(game: str | None) -> None:
    """Raises FormatError if ``--game`` names rules without a life-and-death goal."""
    base = "" if game is None else game.partition(";")[0]
    if base.startswith("go-"):
        raise FormatError(
            f"--game {shortened(base)}: life and death needs tsumego-{shortened(base[3:])} or"
            " killallgo-9; leave --game out"
        )


def _pairs(fields: list[str]) -> dict[str, str]:
    """Converts texts ``key=value`` to a mapping."""
    parts = [field.partition("=") for field in fields]
    return {name: value for name, _, value in parts}


def _given(name: str, game: Game, text: str, title: str = "") -> Given:
    base, *chosen = game.rule_set.split(";")
    if game.name != "go" or not base.startswith(("tsumego-", "killallgo-", "go-")):
        raise FormatError(f"life and death is for Go positions, not for {shortened(game.rule_set)}")
    board, side, *fields = text.split()
    found = _pairs(fields)
    strange = {"history": "a history", "ply": "forced moves", "passes": "passes"}
    for strangest in found.keys() & strange:
        raise FormatError(
            f"only one side can move in a position with {strange[strangest]}: give the board alone"
        )
    if found.get("crucial"):
        raise FormatError(
            f"crucial={found['crucial']}: some crucial stones are gone already; name the others"
            " with --crucial"
        )
    options = _pairs(chosen)
    return Given(
        name,
        int(base.rpartition("-")[2]),
        board,
        side="bw".index(side),
        ko=found.get("ko"),
        title=title,
        options={} if base.startswith("go-") else options,
        killall=game.rule_set if base.startswith("killallgo-") else None,
    )


# ---- choosing ------------------------------------------------------------------------------------
def choose(given: Given, crucial: str | None, region: str | None) -> Task:
    """Builds the task, and proposes crucial stones and region if they are not given.

    Args:
      given: the position.
      crucial: points of the crucial stones, such as ``P2,Q3``. None: the marked stones of the
        record, or those of its rule set, or a proposed group.
      region: ``auto``, ``all``, or points such as ``A1-D3,E1``. None: the region of the rule set,
        or ``auto``.

    Raises:
      FormatError: stones of both colours, an empty point, several kinds of marks, no group to
        propose, or a point off the board.
    """
    grid = grids.gtp(given.size)
    stones = enclosure.board_of(grid, given.board)
    kept = {name: given.options[name] for name in _KEPT if name in given.options}
    if given.killall is not None:
        if crucial is not None or region not in (None, "auto", "all"):
            raise FormatError(
                "Killall-Go asks whether White lives anywhere: leave out --crucial and --region"
            )
        return Task(
            given, 1, 0, grid.full, kept, (("question", "can White live anywhere? (Killall-Go)"),)
        )
    mask, phrase = _crucial(given, stones, crucial)
    defender = 0 if mask & stones.stones[0] else 1
    area, about = _region(given, stones, defender, mask, region)
    return Task(given, defender, mask, area, kept, (("crucial", phrase), ("region", about)))


def _points(given: Given, text: str, what: str) -> int:
    """Parses a comma-separated list of points and rectangles to a mask.

    A rectangle is written as two opposite corners, ``A1-C3``. ``what`` names the list in error
    messages. Raises FormatError.
    """
    size, grid = given.size, grids.gtp(given.size)
    mask = 0
    try:
        for part in text.split(","):
            corners = [parse_points(size, corner, what)[0] for corner in part.split("-", 1)]
            (top, bottom), (left, right) = (
                sorted((corners[0] // size, corners[-1] // size)),
                sorted((corners[0] % size, corners[-1] % size)),
            )
            points = [
                row * size + column
                for row in range(top, bottom + 1)
                for column in range(left, right + 1)
            ]
            added = sum(grid.point(name) for name in points_text(size, points).split(","))
            if mask & added:
                raise ValueError(f"{what} names {shortened(part)} twice.")
            mask |= added
    except ValueError as error:
        raise FormatError(f"{what}: {error}") from None
    return mask


def _crucial(given: Given, stones: Board, text: str | None) -> tuple[int, str]:
    """Returns the mask of the crucial stones, and a phrase about them and their source."""
    if text is not None:
        mask, source = _points(given, text, "--crucial"), "named with --crucial"
    elif given.marks:
        mask, source = _marked(given, stones)
    elif given.options.get("crucial", "any") != "any":
        mask, source = _points(given, given.options["crucial"], "crucial"), "named by the rule set"
    else:
        return _proposed(stones)
    what = "--crucial" if text is not None else source.split()[-1]
    _one_colour(stones, mask, what)
    return mask, f"{_described(stones, mask)}, {source}"


def _one_colour(stones: Board, mask: int, what: str) -> None:
    """Raises FormatError unless all points of ``mask`` hold stones of one colour."""
    if empty := mask & stones.empty:
        raise FormatError(
            f"{what} names {_some(stones, empty)}, where there is no stone: crucial points are"
            f" stones of the defender; {CHOOSE}"
        )
    if all(mask & side for side in stones.stones):
        black, white = (_some(stones, mask & side) for side in stones.stones)
        raise FormatError(
            f"{what} names stones of both colours, black at {black} and white at {white}: crucial"
            f" are stones of one side; {CHOOSE}"
        )


def _marked(given: Given, stones: Board) -> tuple[int, str]:
    size = given.size
    masks = {name: _mask(stones, points, size) for name, points in given.marks.items()}
    taken = [name for name, mask in masks.items() if mask & ~stones.empty]
    if len(taken) > 1:
        raise FormatError(
            f"{given.name}: {' and '.join(taken)} mark stones, and only one kind of mark can mean"
            f" the crucial ones; {CHOOSE}"
        )
    name = taken[0] if taken else next(iter(masks))
    return masks[name], f"marked in the record by {name}"


def _mask(stones: Board, places: frozenset[tuple[int, int]], size: int) -> int:
    return sum(stones.grid.point(sgf.point_text("go", size, *place)) for place in places)


def _proposed(stones: Board) -> tuple[int, str]:
    group = enclosure.proposed(stones)
    if group is None:
        raise FormatError(
            "no group is enclosed or near the other side's stones: name the stones in question with"
            " --crucial, such as --crucial P2,Q3"
        )
    return (
        group.stones,
        f"{_described(stones, group.stones)}, proposed: the weakest enclosed group; {CHOOSE}",
    )


def _described(stones: Board, mask: int) -> str:
    side = SIDES[0 if mask & stones.stones[0] else 1]
    return f"{side} {_some(stones, mask, 12)}"


def _some(stones: Board, mask: int, most: int = 6) -> str:
    names = stones.grid.list(mask).split(",")
    return ", ".join(names[:most]) + (f" ... ({len(names)} in all)" if len(names) > most else "")


def _region(
    given: Given, stones: Board, defender: int, crucial: int, text: str | None
) -> tuple[int, str]:
    """Returns the mask of the region, and a sentence about the choice of the region."""
    full, source = stones.grid.full, "named with --region"
    if text is None and given.options.get("region", "all") != "all":
        text, source = given.options["region"], "named by the rule set"
    text = DEFAULT_REGION if text is None else text.strip()
    if text.lower() == "all":
        return full, "the whole board"
    if text.lower() != "auto":
        mask = _points(given, text, "--region")
        near = (
            ""
            if not crucial or mask & (crucial | stones.liberties(crucial))
            else "; it has no liberty of the crucial stones"
        )
        return mask, f"{_count(mask)}, {source}{near}"
    mask = enclosure.enclosed(stones, defender, crucial)
    if not enclosure.is_open(stones, mask):
        return (
            mask,
            f"{_count(mask)}, proposed: what {SIDES[1 - defender]} stones enclose; choose others"
            " with --region all or POINTS",
        )
    mask = enclosure.box(stones, defender, crucial)
    if mask == full:
        return full, "the whole board: nothing closes the stones in"
    what = f"{_count(mask)}, proposed: not enclosed, so what the stones reach in a rectangle"
    return mask, f"{what}; others with --region all or POINTS"


def _count(mask: int) -> str:
    return f"{mask.bit_count()} point{'s' if mask.bit_count() != 1 else ''}"
