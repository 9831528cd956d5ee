"""The checker's Go rules against a plain-Python oracle over random play, and known positions."""

from __future__ import annotations

import os
import random

import pytest

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.go import life
from jaxsolve.proof.check.games.go.rules import Go
from jaxsolve.proof.check.grid import gtp
from support.oracles import go as oracle
from support.proofs import corpus as check_corpus

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
SIDES = ("black", "white")
KO = ("simple", "positional", "situational")
RULES = [
    *(f"go-{n};ko={ko};komi={komi}" for n, komi in ((2, "1"), (3, "0.5"), (5, "7.5")) for ko in KO),
    *(
        f"killallgo-7;ko={ko};passes={passes};fill_eyes={fill}"
        for ko, passes, fill in zip(
            KO, ("stones", "not-achieved", "stones"), ("false", "true", "false"), strict=True
        )
    ),
    "killallgo-9;ko=simple;passes=not-achieved;fill_eyes=false",
    check_corpus.tsumego(4, "live", "black", "B2,C3", fill_eyes="false", ko_black="forbid"),
    check_corpus.tsumego(4, "kill", "white", "B2,C3", ko="situational"),
    check_corpus.tsumego(
        4, "live", "white", "B2,C3", ko="positional", fill_eyes="false", ko_black="forbid"
    ),
    *(
        check_corpus.tsumego(4, goal, side, "any", "A1,B1,A2,B2,C2,D3,A4", ko_white="forbid")
        for goal, side in (("live", "black"), ("kill", "black"))
    ),
    check_corpus.tsumego(2, "kill", "black", "any", fill_eyes="false"),
    check_corpus.tsumego(3, "kill", "black", "any", ko_black="threats-1"),
    check_corpus.tsumego(4, "live", "white", "B2,C3", ko_black="threats-3"),
]


class Twin:
    """One rule set in the terms of the oracle.

    Points are numbered by row from the bottom, then by column.
    """

    def __init__(self, rules: str):
        base, *fields = rules.split(";")
        self.kind, size = base.split("-")
        self.n = int(size)
        self.options = dict(field.split("=") for field in fields)
        self.ko = self.options["ko"]
        self.names = [
            f"{'ABCDEFGHJKLMNOPQRST'[p % self.n]}{p // self.n + 1}" for p in range(self.n**2)
        ]
        self.actions = [*self.names, "pass"]
        region = self.options.get("region", "all")
        self.legal = {
            "ko": self.ko,
            "fill_eyes": self.options.get("fill_eyes") != "false",
            "region": None
            if region == "all"
            else {self.names.index(name) for name in region.split(",")},
            "forbid_ko": tuple(self.options.get(f"ko_{side}") == "forbid" for side in SIDES),
        }
        kos = [self.options.get(f"ko_{side}", "").partition("-") for side in SIDES]
        self.legal["threatening"] = next(
            (side for side, (kind, _, _) in enumerate(kos) if kind == "threats"), None
        )
        self.threats = sum(int(count or 0) for kind, _, count in kos if kind == "threats")
        crucial = self.options.get("crucial", "any")
        self.crucial = (
            None
            if crucial == "any"
            else frozenset(self.names.index(name) for name in crucial.split(","))
        )
        self.defender = SIDES.index(self.options.get("defender", "white"))

    def board(self, cells) -> str:
        rows = [cells[r * self.n : (r + 1) * self.n] for r in reversed(range(self.n))]
        return "/".join("".join(".XO"[c] for c in row) for row in rows)

    def text(self, p: oracle.Position) -> str:
        fields = [self.board(p.board), "bw"[p.side]]
        fields += [f"ko={self.names[p.ko]}"] if p.ko is not None else []
        fields += [f"passes={p.passes}"] if p.passes else []
        fields += [f"ply={p.ply}"] if p.ply < 3 else []
        if self.crucial is not None and p.crucial != self.crucial:
            fields.append("crucial=" + (",".join(self.names[q] for q in sorted(p.crucial)) or "-"))
        fields += [f"threats={p.threats}"] if p.threats != self.threats else []
        if self.ko != "simple" and p.history:
            fields.append(
                "history="
                + ";".join(
                    self.board(board) + ("" if side is None else f":{'bw'[side]}")
                    for board, side in p.history
                )
            )
        return " ".join(fields)

    def start(self, rng) -> oracle.Position:
        """A start position. That of a problem has its crucial stones and some others."""
        cells = [0] * self.n**2
        for q in self.crucial or ():
            cells[q] = self.defender + 1
        side = rng.randrange(2) if self.kind == "tsumego" else 0
        return oracle.Position(
            tuple(cells),
            side,
            ply=0 if self.n == 7 else 3,
            crucial=self.crucial or frozenset(),
            threats=self.threats,
        )

    def replies(self, p: oracle.Position) -> dict[str, str]:
        actions = [
            *oracle.legal(self.n, p, **self.legal),
            *([self.n**2] if p.ply in (1, 3) else []),
        ]
        return {self.actions[a]: self.text(self.step(p, a)) for a in actions}

    def step(self, p: oracle.Position, action: int) -> oracle.Position:
        waits, defender = self.threats > 0, self.defender + 1
        return oracle.step(self.n, p, action, ko=self.ko, defender=defender, waits=waits)

    def verdict(self, p: oracle.Position):
        """(winner, reason), or None if the game is not over."""
        if self.kind == "go":
            black, white = oracle.area(self.n, p.board)
            lead = black - white - float(self.options["komi"])
            return (None if not lead else 0 if lead > 0 else 1, "score") if p.passes == 2 else None
        if self.crucial and not p.crucial:
            return 1 - self.defender, "captured"
        alive = oracle.benson(self.n, p.board, self.defender + 1)
        if alive if self.crucial is None else alive & p.crucial:
            return self.defender, "benson"
        if p.passes < 2:
            return None
        if self.kind == "killallgo":
            return int(self.options["passes"] == "stones" and 2 in p.board), "passes"
        return (1 - self.defender if self.options["goal"] == "live" else self.defender), "passes"


@pytest.mark.short(8)
@pytest.mark.parametrize("rules", RULES)
def test_rules_equal_the_oracle_over_random_play(rules):
    twin, mine, rng = Twin(rules), Go(rules), random.Random(rules)
    for _ in range(60 if LONG else 4 if twin.n > 4 else 12):
        p = twin.start(rng)
        for _ in range(3 * twin.n**2):
            text = twin.text(p)
            position = mine.root(text)
            verdict = mine.verdict(position)
            assert (verdict and tuple(verdict)) == twin.verdict(p), text
            for claimant in (0, 1):
                assert mine.ended(position, claimant) == (verdict is not None) or verdict == (
                    claimant,
                    "benson",
                )
            if verdict is not None:
                break
            replies = mine.replies(position)
            assert replies == twin.replies(p), text
            for name in twin.actions:
                if name in replies:
                    assert mine.child(position, name) == replies[name]
                else:
                    with pytest.raises(Refused):
                        mine.child(position, name)
            name = (
                rng.choice([move for move in replies if move != "pass"] or ["pass"])
                if rng.random() < 0.93
                else rng.choice([*replies])
            )
            p = twin.step(p, twin.actions.index(name))


def test_benson_equals_the_oracle_on_random_boards():
    rng = random.Random(3)
    seen = 0
    for _ in range(20_000 if LONG else 1500):
        n = rng.choice((2, 3, 4, 5, 6, 7))
        empty = rng.choice((0.15, 0.3, 0.5))
        cells = tuple(0 if rng.random() < empty else 1 + (rng.random() < 0.8) for _ in range(n * n))
        if any(cells[q] and not oracle.liberties(n, cells, q) for q in range(n * n)):
            continue
        grid = gtp(n)
        twin = Twin(f"go-{n};ko=simple;komi=0")
        stones = grid.stones(twin.board(cells))
        for player in (0, 1):
            mask = life.alive(grid, stones[player], grid.full ^ stones[0] ^ stones[1])
            want = oracle.benson(n, cells, player + 1)
            assert {name for name, bit in grid.bit_of.items() if bit & mask} == {
                twin.names[q] for q in want
            }
            seen += bool(want)
    assert seen > 100


ALIVE = {
    "two eyes in the corner": (".O.OX/OOOOX/XXXXX/...../.....", True),
    "one eye": (".OOOX/OOOOX/XXXXX/...../.....", False),
    "one big eye of two points": ("..OOX/OOOOX/XXXXX/...../.....", False),
    "an eye with a dead stone in it counts": ("X.O.O/OOOOO/XXXXX/...../.....", True),
    "two stones inside that leave a point off the chain": (".X.O./..OOO/OOOXX/XXXXX/.....", False),
    "two chains that share two eyes": (".OX.O/OOOOO/XXXXX/...../.....", True),
    "chains joined only by eyes": ("O.O../.O.O./O.O../OOO../XXX..", False),
    "a ring of chains around shared eyes": (".O.../O.O../.O.../...../.....", False),
}


@pytest.mark.parametrize("name", ALIVE)
def test_known_shapes(name):
    board, alive = ALIVE[name]
    grid = gtp(5)
    black, white = grid.stones(board)
    assert bool(life.alive(grid, white, grid.full ^ black ^ white)) == alive


def moves(rules: str, text: str) -> set[str]:
    mine = Go(rules)
    return set(mine.replies(mine.position(text)))


PLAIN = "go-{n};ko={ko};komi=0"


def test_ko_is_set_by_a_lone_capturing_stone_only():
    mine = Go(PLAIN.format(n=4, ko="simple"))
    before = mine.root(".XO./XO.O/.XO./.... b")
    after = mine.replies(before)["C3"]
    assert after == ".XO./X.XO/.XO./.... w ko=B3"
    assert "B3" not in mine.replies(mine.root(after))
    # After the same capture with a second own stone beside it, the opponent may retake at once.
    wider = mine.replies(mine.root(".XO./XO.X/.XOO/.O.. b"))["C3"]
    assert " ko=" not in wider


def test_superko_forbids_the_board_or_the_board_with_its_side():
    back = "XO/.. w"
    for ko, entry, legal in (
        ("positional", ".O/O.", False),
        ("situational", ".O/O.:b", False),
        ("situational", ".O/O.:w", True),
    ):
        assert ("A1" in moves(PLAIN.format(n=2, ko=ko), f"{back} history={entry}")) == legal


def test_pass_in_superko_history():
    positional, situational = (Go(PLAIN.format(n=2, ko=ko)) for ko in ("positional", "situational"))
    assert positional.child(positional.root("X./.. w"), "pass") == "X./.. b passes=1"
    assert (
        situational.child(situational.root("X./.. w"), "pass") == "X./.. b passes=1 history=X./..:w"
    )


EYES = {
    "centre, one false corner": ("XX./X.X/XXX b", True),
    "centre, two false corners": ("XX./X.X/XXO b", False),
    "centre, two empty corners": (".X./X.X/XXX b", False),
    "corner": (".X./XX./... b", True),
    "corner, diagonal empty": (".X./X../... b", False),
    "edge": ("X.X/XXX/... b", True),
    "edge, one corner missing": ("X.X/XX./... b", False),
}


@pytest.mark.parametrize("name", EYES)
def test_true_eyes_may_not_be_filled(name):
    text, eye = EYES[name]
    point = {"centre": "B2", "corner": "A3", "edge": "B3"}[name.split(",")[0]]
    for fill in ("true", "false"):
        legal = moves(check_corpus.tsumego(3, "kill", "white", "any", fill_eyes=fill), text)
        assert (point in legal) == (fill == "true" or not eye)


def test_true_eye_of_the_smallest_board():
    assert "A1" in moves(
        check_corpus.tsumego(2, "kill", "white", "any", fill_eyes="false"), "X./.X b"
    )
    assert "A1" not in moves(
        check_corpus.tsumego(2, "kill", "white", "any", fill_eyes="false"), "XX/.X b"
    )


def test_opening_of_seven_by_seven():
    mine = Go("killallgo-7;ko=simple;passes=stones;fill_eyes=true")
    empty = "/".join(["......."] * 7)
    first = mine.replies(mine.root(f"{empty} b ply=0"))
    assert len(first) == 49 and "pass" not in first and first["A1"].endswith(" w ply=1")
    second = mine.replies(mine.root(first["D4"]))
    assert [*second] == ["pass"] and second["pass"].endswith(" b ply=2")
    third = mine.replies(mine.root(second["pass"]))
    assert len(third) == 48 and "pass" not in third and third["A1"].endswith("X...... w")
    for text in (
        f"{empty} w ply=0",
        f"{empty} b ply=1",
        f"{empty} b ply=2",
        f"{empty} b passes=1 ply=0",
        first["D4"].replace("ply=1", "ply=2"),
    ):
        with pytest.raises(Refused):
            mine.root(text)


BAD = (
    [
        ("go-3;ko=simple;komi=0.5", text)
        for text in (
            ".../.../...",
            ".../.../... B",
            ".../.../.. b",
            ".../.../...  b",
            ".../.../... b ",
            ".../.../... b passes=0",
            ".../.../... b passes=3",
            ".../.../... b ko=B2",
            ".X./XOX/.X. w ko=B2",
            "XXX/XXX/XXX b",
            "OXO/XX./... b ply=1",
            ".../.../... b history=.../.../...",
            ".../.../... b crucial=-",
            "x../.../... b",
            ".../.../... b\n",
            "OX./X../... b passes=1 ko=A1",
        )
    ]
    + [
        ("go-2;ko=positional;komi=0", text)
        for text in (
            "X./.. w history=X./..",
            "../.. b history=",
            "../.. b ko=A1",
            "../.. b history=../..:b",
            "../.. b history=../..;",
        )
    ]
    + [
        (check_corpus.tsumego(3, "kill", "white", "A1,B1"), text)
        for text in (
            "... / b",
            ".../.../O.. b",
            ".../.../XO. b",
            ".../.../OO. b crucial=A1,B1",
            ".../.../OO. b crucial=B1,A1",
            ".../.../OO. b crucial=C1",
            ".../.../OO. b crucial=",
        )
    ]
)


@pytest.mark.parametrize("rules, text", BAD)
def test_positions_that_are_not_canonical_are_refused(rules, text):
    with pytest.raises(Refused):
        Go(rules).root(text)


@pytest.mark.parametrize(
    "rules",
    [
        "go-9",
        "go-9;komi=7.5;ko=simple",
        "go-9;ko=simple;komi=7.25",
        "go-9;ko=simple;komi=7.5;",
        "go-1;ko=simple;komi=0",
        "go-20;ko=simple;komi=0",
        "go-9;ko=Simple;komi=0",
        "go-9;ko=simple;komi=00",
        "go-9;ko=simple;komi=1e3",
        "go-9;ko=simple;komi=nan",
        "killallgo-8;ko=simple;passes=stones;fill_eyes=true",
        "killallgo-9;ko=simple;passes=stones",
        "killallgo-9;ko=simple;passes=stones;fill_eyes=yes",
        "killallgo-9;ko=simple;fill_eyes=true;passes=stones",
        check_corpus.tsumego(5, "live", "white", "B1,A1"),
        check_corpus.tsumego(5, "live", "white", ""),
        check_corpus.tsumego(5, "live", "white", "all"),
        check_corpus.tsumego(5, "live", "white", "I1"),
        check_corpus.tsumego(5, "live", "white", "A6"),
        check_corpus.tsumego(5, "live", "red", "A1"),
        check_corpus.tsumego(5, "win", "white", "A1"),
        check_corpus.tsumego(5, "live", "white", "A1", "A1,A1"),
        check_corpus.tsumego(5, "live", "white", "A1", ko_black="no"),
    ],
)
def test_unknown_rule_sets_are_refused(rules):
    with pytest.raises(Refused):
        Go(rules)
