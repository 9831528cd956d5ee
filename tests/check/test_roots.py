"""The solver and the checker accept exactly the same texts as roots."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from jaxsolve.games import make
from jaxsolve.games.game import Outcome
from jaxsolve.proof.check import check
from jaxsolve.proof.check.errors import Refused
from jaxsolve.search import Claim, Verdict, solve
from support.proofs import corpus as check_corpus
from support.proofs.solver import refused, rules_of

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
FIVE = "gomoku-{};line={};win={};knowledge={}"
SEVEN = "killallgo-7;ko={};passes=not-achieved;fill_eyes=true"
RULE_SETS = {  # rule set -> its share of the roots
    "awari;rules=ludii": 8,
    "hex-1": 1,
    "hex-2": 4,
    "hex-4": 6,
    "knightthrough-4;rules=forward": 6,
    "knightthrough-5;rules=all": 6,
    "loa-4;simultaneous=draw;no_moves=pass": 8,
    "loa-5;simultaneous=mover;no_moves=loss": 8,
    "minishogi;repetition=none": 10,
    "slither-1": 1,
    "slither-3": 8,
    "slither-4": 8,
    FIVE.format(3, 3, "five-or-more", "ndk"): 4,
    FIVE.format(4, 3, "five-or-more", "4t"): 10,
    FIVE.format(4, 3, "exact5", "4t"): 10,
    FIVE.format(6, 4, "exact5", "4t"): 8,
    FIVE.format(5, 3, "exact5", "ndk"): 3,
    "go-2;ko=positional;komi=0": 10,
    "go-3;ko=simple;komi=7.5": 12,
    "go-3;ko=situational;komi=1": 10,
    SEVEN.format("simple"): 8,
    SEVEN.format("situational"): 8,
    "killallgo-9;ko=positional;passes=stones;fill_eyes=false": 3,
    check_corpus.tsumego(3, "kill", "white", "A1,B2,C2", "A1,B1,C1,A3", ko_black="forbid"): 12,
    check_corpus.tsumego(4, "live", "black", "any", ko="positional", fill_eyes="false"): 8,
}
ROOTS = 10_000 if LONG else 1000
counts: Counter[str] = Counter()


class Maker:
    """Random texts of positions under one rule set.

    They come from play or from random stones, with fields that belong to the game and fields that
    do not.
    """

    def __init__(self, rule_set: str, rng: random.Random):
        self.game = make(rule_set)
        self.rules = rules_of(self.game.name, rule_set)
        self.rng = rng
        self.size = len(self.game.text(self.game.init()).split(" ")[0].split("/"))
        crucial = self.rules.options.crucial if self.game.name == "go" else None
        self.crucial = self.rules.grid.list(crucial).split(",") if crucial else []
        self.defender = "XO"[self.rules.options.living] if crucial else "."

    def text(self) -> str:
        parts = (self._played() if self.rng.random() < 0.4 else self._thrown()).split(" ")
        board, side, fields = parts[0], parts[1], parts[2:]
        for _ in range(self.rng.choice((0, 0, 1, 1, 2))):
            field = self._field(board)
            if self.rng.random() < 0.9:
                fields = [
                    other for other in fields if other.partition("=")[0] != field.partition("=")[0]
                ]
            fields.append(field)
        if self.rng.random() < 0.9:
            order = [
                "relocated",
                "hands",
                "captured",
                "fours",
                "ko",
                "passes",
                "ply",
                "crucial",
                "history",
            ]
            fields.sort(key=lambda field: order.index(field.partition("=")[0]))
        text = " ".join(
            [board, side if self.rng.random() < 0.9 else self.rng.choice("bwsnB"), *fields]
        )
        return self._mutated(text) if self.rng.random() < 0.1 else text

    def _played(self) -> str:
        text = self.game.text(self.game.init())
        if self.game.name == "go" and self.size != 7 and self.rng.random() < 0.7:
            text = self._thrown()
        for _ in range(self.rng.randrange(14)):
            try:
                position = self.rules.root(text)
            except Refused:
                break
            if self.rules.verdict(position):
                break
            replies = self.rules.replies(position)
            text = replies[self.rng.choice(sorted(replies))]
        return text

    def _thrown(self) -> str:
        if self.game.name == "awari":
            most = self.rng.choice((1, 2, 4, 6, 9))
            rows = [",".join(str(self.rng.randrange(most + 1)) for _ in range(6)) for _ in range(2)]
            side, south, north = self.rng.choice("sn"), *(self.rng.randrange(26) for _ in "SN")
            return f"{rows[0]}/{rows[1]} {side} captured={south}:{north}"
        if self.game.name == "minishogi":
            return self._pieces()
        board = self._board()
        for name in self.crucial:
            if self.rng.random() < 0.8:
                board = self.rules.grid.put(board, self.rules.grid.bit_of[name], self.defender)
        return f"{board} {self.rng.choice('bw')}"

    def _pieces(self) -> str:
        """All pieces of MiniShogi at random on the board or in hand; sometimes one more or less."""
        cells, hands = ["."] * 25, ""
        pieces = [*"KkRRBBGGSSPP"]
        if self.rng.random() < 0.2:
            pieces[self.rng.randrange(12)] = self.rng.choice("KRBGSP")
        for piece, at in zip(pieces, self.rng.sample(range(25), 12), strict=True):
            piece = piece.swapcase() if piece not in "Kk" and self.rng.random() < 0.5 else piece
            if piece not in "Kk" and self.rng.random() < 0.5:
                hands += piece
            else:
                cells[at] = "+" * (piece not in "KkGg" and self.rng.random() < 0.3) + piece
        board = "/".join("".join(cells[at : at + 5]) for at in range(0, 25, 5))
        hands = "".join(sorted(hands, key="RBGSPrbgsp".find)) if self.rng.random() < 0.9 else hands
        return f"{board} {self.rng.choice('bw')}" + (f" hands={hands}" if hands else "")

    def _board(self) -> str:
        weights = (self.rng.choice((1, 2, 4)), 1, self.rng.choice((0, 1, 1, 2)))
        return "/".join(
            "".join(self.rng.choices(".XO", weights, k=self.size)) for _ in range(self.size)
        )

    def _point(self) -> str:
        return f"{'ABCDEFGHJ'[self.rng.randrange(self.size)]}{self.rng.randrange(self.size + 1)}"

    def _field(self, board: str) -> str:
        """A field, mostly one of this game."""
        kinds = {
            "go": ("ko", "ko", "passes", "ply", "history", "crucial"),
            "gomoku": ("fours",),
            "awari": ("captured",),
            "slither": ("relocated",),
            "minishogi": ("hands",),
        }.get(self.game.name, ())
        kind = (
            self.rng.choice(kinds)
            if kinds and self.rng.random() < 0.9
            else self.rng.choice(("ko", "passes", "ply", "fours", "captured"))
        )
        if kind == "relocated":
            return kind
        if kind == "ko":
            return f"ko={self._point()}"
        if kind in ("passes", "ply"):
            return f"{kind}={self.rng.randrange(4)}"
        if kind == "fours":
            return f"fours={self._point() if self.rng.random() < 0.7 else self.rng.choice('123')}"
        if kind == "hands":
            return "hands=" + "".join(
                self.rng.choice("RBGSPrbgspK") for _ in range(self.rng.randrange(4))
            )
        if kind == "captured":
            return f"captured={self.rng.randrange(50)}:{self.rng.randrange(50)}"
        if kind == "crucial":
            return "crucial=" + (
                ",".join(self.rng.sample(self.crucial, self.rng.randrange(len(self.crucial) + 1)))
                or "-"
            )
        boards = [
            self._board() if self.rng.random() < 0.6 else board
            for _ in range(self.rng.randrange(1, 4))
        ]
        marked = ("situational" in self.game.rule_set) == (self.rng.random() < 0.9)
        return "history=" + ";".join(
            f"{text}:{self.rng.choice('bw')}" if marked else text for text in boards
        )

    def _mutated(self, text: str) -> str:
        at = self.rng.randrange(len(text))
        added = self.rng.choice(
            (" ", "/", "X", "O", ".", ";", ",", "0", "1", "=", "b", "٣", "\n", "", "")
        )
        return self.rng.choice(
            (
                text[:at] + added + text[at + 1 :],
                text[:at] + added + text[at:],
                text.lower(),
                f" {text}",
                f"{text} ",
            )
        )


@pytest.mark.parametrize(
    "rule_set", RULE_SETS, ids=[f"{name.partition(';')[0]}-{i}" for i, name in enumerate(RULE_SETS)]
)
def test_solver_and_checker_accept_the_same_roots(rule_set):
    """Both accept the same texts and agree whether the game is over.

    The checker accepts exactly the texts that the solver reads and would write unchanged.
    """
    maker = Maker(rule_set, random.Random(rule_set))
    game, rules = maker.game, maker.rules
    number = -(-ROOTS * RULE_SETS[rule_set] // sum(RULE_SETS.values()))
    for _ in range(number):
        text = maker.text()
        state, position = refused(game.parse, text), refused(rules.root, text)
        canonical = state is not None and game.text(state)
        assert (position is not None) == (canonical == text), text
        counts["refused"] += state is None
        if state is not None and canonical != text:
            counts["completed"] += 1
            position = rules.root(canonical)
        if state is not None:
            verdict, outcome = rules.verdict(position), Outcome(int(game.outcome(state)))
            expected = (
                Outcome.ONGOING
                if verdict is None
                else Outcome.DRAW
                if verdict.winner is None
                else Outcome(1 + verdict.winner)
            )
            assert outcome == expected, text
            counts["over" if verdict else "going on"] += 1
    counts["roots"] += number


def test_the_random_roots_include_every_kind():
    if not counts:
        pytest.skip("the roots were made by another worker")
    print(dict(counts))
    if counts["roots"] >= ROOTS:
        assert min(counts.values()) > ROOTS // 100, counts


def both(rule_set: str, text: str) -> bool:
    """Whether the solver and the checker accept the text; asserts that they agree."""
    game = make(rule_set)
    rules = rules_of(game.name, game.rule_set)
    state, position = refused(game.parse, text), refused(rules.root, text)
    assert (position is not None) == (state is not None and game.text(state) == text), text
    return position is not None


SIMPLE = "go-3;ko=simple;komi=0.5"
FIXED = {
    "two passes": (SIMPLE, ".../.../... b passes=2", True),
    "ko at the edge": ("go-3;ko=simple;komi=0", "X.X/OX./O.. w ko=B3", True),
    "ko taken by a chain": (SIMPLE, "OXO/OX./.O. b ko=A1", False),
    "ko beside a stone of the side that lost it": (SIMPLE, "X.X/OOX/O.O w ko=B3", False),
    "ko with two that could have taken it": (SIMPLE, ".XO/XO./O.. w ko=A3", False),
    "a true ko": ("go-4;ko=simple;komi=0", ".XO./X.XO/.XO./.... w ko=B3", True),
    "ko in a corner that one chain holds": ("go-3;ko=simple;komi=0", ".XO/XX./... w ko=A3", False),
    "ko and a pass": ("go-4;ko=simple;komi=0", ".XO./X.XO/.XO./.... w ko=B3 passes=1", False),
    "repeats a board of its history": ("go-2;ko=positional;komi=0", "X./.. w history=X./..", False),
    "repeats a board of its history, after a pass": (
        "go-2;ko=positional;komi=0",
        "X./.. b passes=1 history=X./..",
        False,
    ),
    "history of another board": ("go-2;ko=positional;komi=0", "X./.. w history=../..", True),
    "repeats a board and side of its history": (
        "go-2;ko=situational;komi=0",
        "X./.. w history=X./..:w",
        False,
    ),
    "repeats a board of its history with the other side": (
        "go-2;ko=situational;komi=0",
        "X./.. w history=X./..:b",
        True,
    ),
    "repeats a board and side after a pass": (
        "go-2;ko=situational;komi=0",
        "X./.. w passes=1 history=X./..:w;X./..:b",
        True,
    ),
    "opening with passes": (
        SEVEN.format("simple"),
        "/".join(["......."] * 7) + " b passes=2 ply=0",
        False,
    ),
    "opening": (SEVEN.format("simple"), "/".join(["......."] * 7) + " b ply=0", True),
    "joined by the side to move": ("hex-2", "X./X. b", False),
    "joined by the other side": ("hex-2", "X./X. w", True),
    "joined by a relocation": ("slither-2", "X./X. b relocated", True),
    "joined before the relocation": ("slither-2", "X./X. w relocated", False),
    "a relocation after which no placement is legal": (
        "slither-3",
        "X../.X./..X b relocated",
        False,
    ),
    "nothing to relocate": ("slither-3", "O../O../... b relocated", False),
    "a lone diagonal": ("slither-3", "X../.X./... w", False),
    "a lone diagonal in the middle of a turn": ("slither-3", "X../.X./... b relocated", True),
}


@pytest.mark.parametrize("name", FIXED)
def test_solver_and_checker_agree_on_roots_of_past_disagreements(name):
    rule_set, text, accepted = FIXED[name]
    assert both(rule_set, text) == accepted


# ---- four threats --------------------------------------------------------------------------------
NINE = FIVE.format(9, 5, "five-or-more", "4t")
OPEN_FOUR = (
    "........./.OOOO..../........./..XXX..../..X....../..X....../........./........./........."
)
TWO_FOURS = (
    "XOOOO..../XOOOO..../........./..XXX..../..X....../..X....../........./........./........."
)
FOURS = {
    "an open four is not answered": (OPEN_FOUR + " b", "fours=2", "white"),
    "a four is not answered": (OPEN_FOUR.replace(".OOOO.", "XOOOO.") + " b", "fours=F8", None),
    "two fours by stones far apart": (TWO_FOURS + " b", "fours=2", "white"),
    "the side to move has a four too": (
        OPEN_FOUR.replace("..XXX....", "OXXXX....") + " b",
        "fours=F6",
        "black",
    ),
    "the side to move has an open four": (
        OPEN_FOUR.replace("..XXX....", ".XXXX....") + " b",
        "fours=A6",
        "black",
    ),
    "nobody has a four": (OPEN_FOUR.replace(".OOOO.", ".OOO..") + " b", "", None),
}


@pytest.mark.parametrize("name", FOURS)
def test_an_unanswered_four_is_answered_first(name):
    text, field, winner = FOURS[name]
    game = make(NINE)
    whole = f"{text} {field}".rstrip()
    assert game.text(game.parse(text)) == whole and both(NINE, whole)
    assert both(NINE, text) == (not field)
    for wrong in {"fours=2", "fours=F8", "fours=F6", "fours=A6", "fours=E1"} - {field}:
        assert both(NINE, f"{text} {wrong}") == (
            winner == "black" and field == "fours=A6" and wrong == "fours=F6"
        )
    if winner:
        rules = rules_of("gomoku", NINE)
        verdict = rules.verdict(rules.root(whole))
        assert field != "fours=2" or (rules.players[verdict.winner], verdict.reason) == (
            winner,
            "two-fours",
        )


@pytest.mark.parametrize("name", [name for name, case in FOURS.items() if case[2]])
def test_positions_with_unanswered_fours_are_solved_and_checked(name, tmp_path):
    text, _, winner = FOURS[name]
    game = make(NINE)
    result = solve(
        game, game.parse(text), claim=Claim(game.players.index(winner), "wins"), out=tmp_path
    )
    assert result.verdict is Verdict.PROVED
    report = check(result.certificate)
    assert report.accepted and report.claim == f"{winner} wins"


@pytest.mark.parametrize("win", ["five-or-more", "exact5"])
def test_play_from_a_root_leads_to_roots(win):
    """After any set-up position, play leads to positions whose fours agree with the stones."""
    rule_set = FIVE.format(6, 4, win, "4t")
    rng, game, seen = random.Random(win), make(rule_set), 0
    rules = rules_of("gomoku", rule_set)
    maker = Maker(rule_set, rng)
    for _ in range(2000 if LONG else 300):
        state = refused(game.parse, maker._thrown())
        text = None if state is None else game.text(state)
        while text is not None:
            position = rules.root(text)
            replies = {} if rules.verdict(position) else rules.replies(position)
            text = replies[rng.choice(sorted(replies))] if replies else None
            seen += text is not None
    assert seen > 200
