"""VCF lines (victory by continuous fours) in the checker's Gomoku.

The law holds by play, each condition is necessary, and mutated nodes are refused.
"""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.gomoku.rules import Gomoku
from support.oracles.gomoku_lines import VARIANTS, drawn, fails, passed, sound, winning_lines
from support.proofs.weaker import false_step

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


def unanswered(rules: Gomoku, text: str, line: list[str], listed: dict[str, str]) -> str:
    """A reply that is not listed and does not lose to the line; empty if there is none."""
    for reply, after in rules.replies(rules.position(text)).items():
        if reply not in listed and fails(rules, after, line):
            return reply
    return ""


@pytest.mark.short(2)
@pytest.mark.parametrize("rule_set", VARIANTS)
def test_every_omitted_reply_loses_to_the_line(rule_set):
    rules, rng, accepted, left_out, long = Gomoku(rule_set), random.Random(rule_set), 0, 0, 0
    while accepted < (2000 if LONG else 120):
        text = drawn(rules, rng)
        if not sound(rules, text) or rules.position(text).fours:
            continue
        lines = list(winning_lines(rules, passed(text), 3))
        rng.shuffle(lines)
        for line in lines[:3]:
            listed = rules.sequence(rules.position(text), line)
            assert not unanswered(rules, text, line, listed), (text, line)
            replies = rules.replies(rules.position(text))
            assert listed.items() <= replies.items()
            accepted, left_out, long = (
                accepted + 1,
                left_out + len(replies) - len(listed),
                long + (len(line) > 1),
            )
    assert left_out > accepted and long > accepted // 20


class WithoutOwnFours(Gomoku):
    """The zone lacks the cells at which the opponent makes a four or a line."""

    def _own_fours(self, own, enemy):
        return 0


class WithoutTheLine(Gomoku):
    """The zone lacks the cells of the line, except its last two completing cells."""

    def sequence(self, position, moves):
        plain = super().sequence(position, moves)
        own = position.stones[1 - position.side]
        return {
            move: text
            for move, text in plain.items()
            if move not in moves or self.wins_at(own, self.grid.point(move))
        }


class WithoutTheEnd(Gomoku):
    """The zone lacks the last two completing cells."""

    def _four(self, own, enemy, moves):
        own, enemy, zone = super()._four(own, enemy, moves)
        return own, enemy, 0 if len(moves) == 1 else zone


class WithoutNearly(Gomoku):
    """Ignores the fours that a forced reply makes together with the omitted stone."""

    def _near(self, own, enemy, reply):
        return 0


class WithoutAnswers(Gomoku):
    """Lets the claimant continue where a forced reply makes a four."""

    def _four(self, own, enemy, moves):
        return super()._four(own, enemy, (*moves[:2], self.grid.full) if len(moves) > 1 else moves)


class WithoutWinningReplies(Gomoku):
    """Lets the claimant continue where a forced reply makes a winning line."""

    def _four(self, own, enemy, moves):
        if len(moves) == 1:
            return super()._four(own, enemy, moves)
        own, after = own | moves[0], enemy | moves[1]
        if (
            self.completing(own, enemy, moves[0]) != moves[1]
            or self.completing(after, own, moves[1]) & ~moves[2]
        ):
            raise Refused("no four, or not answered")
        return own, after, self._near(own, enemy, moves[1])


class WithoutForcing(Gomoku):
    """Accepts every four of the line as forcing its reply."""

    def _four(self, own, enemy, moves):
        if (
            len(moves) == 1
            or moves[0] & (own | enemy)
            or moves[1] & (own | enemy)
            or self.wins_at(enemy, moves[1])
        ):
            return super()._four(own, enemy, moves)
        own, after = own | moves[0], enemy | moves[1]
        if self.completing(after, own, moves[1]) & ~moves[2]:
            raise Refused("not answered")
        return own, after, self._near(own, enemy, moves[1])


class WithoutTwo(Gomoku):
    """Accepts one completing cell at the end as a win."""

    def state(self, cells):
        return -1 if cells else 0


WEAKER = {
    WithoutOwnFours: "fours",
    WithoutTheLine: "line",
    WithoutTheEnd: "end",
    WithoutNearly: "nearly",
    WithoutAnswers: "answers",
    WithoutWinningReplies: "winning replies",
    WithoutForcing: "forcing",
    WithoutTwo: "two",
}


def random_lines(rules: Gomoku, text: str, rng: random.Random):
    """Winning lines, and random lines of fours with arbitrary replies, in random order."""
    lines = list(winning_lines(rules, passed(text), 2))
    yield from rng.sample(lines, min(3, len(lines)))
    position = rules.position(text)
    wins, fours = Gomoku.scan(rules, position, 1 - position.side)
    cells = [cell for cell in fours if not cell & wins]
    for _ in range(6):
        if not cells:
            return
        line = []
        for _ in range(rng.randint(0, 2)):
            four = rng.choice(cells)
            partners = [bit for bit in rules.grid.names if bit & fours[four]]
            if rng.random() < 0.5:  # or any cell, as if the four forced it
                partners = [
                    bit
                    for bit in rules.grid.names
                    if bit & ~(position.stones[0] | position.stones[1] | four)
                ]
            line += [four, rng.choice(partners)]
        yield [rules.grid.names[bit] for bit in [*line, rng.choice(cells)]]


class Threat(NamedTuple):
    """A threat that a weaker checker accepts, and the replies that the checker lists."""

    rules: Gomoku
    text: str
    line: list[str]
    listed: dict[str, str]

    @property
    def unanswered(self) -> str:
        return unanswered(self.rules, self.text, self.line, self.listed)


def threats(weaker: type[Gomoku], rng: random.Random) -> Iterator[Threat]:
    """Threats at random positions that play can continue."""
    for _ in range(40_000):
        rule_set = rng.choice(VARIANTS[:3])
        rules, lax = made(rule_set, Gomoku), made(rule_set, weaker)
        text = drawn(rules, rng)
        try:
            position = rules.position(text)
            if rules.verdict(position) is not None or rules._lined(position.stones[position.side]):
                continue
        except Refused:
            continue
        for line in random_lines(rules, text, rng):
            try:
                listed = lax.sequence(position, line)
            except Refused:
                continue
            yield Threat(rules, text, line, listed)


@pytest.mark.parametrize("weaker", WEAKER, ids=WEAKER.values())
def test_each_condition_is_necessary(weaker):
    """Without the condition some accepted threat does not win after every omitted reply.

    With it that threat is refused, or the reply is listed.
    """
    threat = false_step(
        threats(weaker, random.Random(weaker.__name__)), lambda threat: bool(threat.unanswered)
    )
    with contextlib.suppress(Refused):
        assert threat.unanswered in threat.rules.sequence(
            threat.rules.position(threat.text), threat.line
        ), threat


_MADE: dict[tuple[str, type[Gomoku]], Gomoku] = {}


def made(rule_set: str, kind: type[Gomoku]) -> Gomoku:
    """One rule set of a kind, cached."""
    if (rule_set, kind) not in _MADE:
        _MADE[rule_set, kind] = kind(rule_set)
    return _MADE[rule_set, kind]


@pytest.mark.full
def test_accepted_lines_win_by_play_also_on_unreachable_positions():
    """Random lines on unsound positions too, for example with unanswered fours."""
    rng, accepted = random.Random(7), 0
    for _ in range(30_000 if LONG else 800):
        rules = made(rng.choice(VARIANTS), Gomoku)
        text = drawn(rules, rng)
        position = rules.position(text)
        if rules.verdict(position) is not None or rules._lined(position.stones[position.side]):
            continue  # the game is over where the side to move has a line
        for line in random_lines(rules, text, rng):
            try:
                listed = rules.sequence(position, line)
            except Refused:
                continue
            accepted += 1
            assert not unanswered(rules, text, line, listed), (text, line)
    assert accepted > 100


FOURS = ".......X/......../..XXX.../......../......../......../...OO.../O....... w"


def test_an_open_three_leaves_three_replies():
    rules = Gomoku("gomoku-8;line=5;win=five-or-more;knowledge=4t")
    position = rules.root(FOURS)
    assert set(rules.sequence(position, ["F6"])) == {"B6", "F6", "G6"}
    assert set(rules.sequence(position, ["B6"])) == {"A6", "B6", "F6"}


@pytest.mark.parametrize(
    "line",
    [
        [],
        ["F6", "G6"],
        ["C6"],
        ["F6", "G6", "B6"],
        ["G6", "F6", "F6"],
        ["A1"],
        ["H1"],
        ["Z9"],
        ["f6"],
        [""],
        ["G6"],
    ],
)
def test_invalid_threats_are_refused(line):
    rules = Gomoku("gomoku-8;line=5;win=five-or-more;knowledge=4t")
    with pytest.raises(Refused):
        rules.sequence(rules.root(FOURS), line)


def test_threats_of_several_moves_need_four_threats():
    rules = Gomoku("gomoku-8;line=5;win=five-or-more;knowledge=ndk")
    with pytest.raises(Refused, match="without four threats"):
        rules.sequence(rules.root(FOURS), ["F6"])
    four = Gomoku("gomoku-8;line=5;win=five-or-more;knowledge=4t")
    position = four.root(
        ".......X/......../OXXXX.../......../......../......../...OO.../O....... w fours=F6"
    )
    with pytest.raises(Refused, match="one reply"):
        four.sequence(position, ["F6"])
