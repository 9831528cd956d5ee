"""VCT trees (victory by continuous threats) in the checker's Gomoku.

The law holds by play, each condition is necessary, and mutated trees are refused.
"""

from __future__ import annotations

import copy
import itertools
import json
import os
import random
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.gomoku import rules as gomoku
from jaxsolve.proof.check.games.gomoku.rules import Gomoku
from support.oracles.gomoku_lines import VARIANTS, drawn, passed, sound
from support.oracles.gomoku_trees import (
    Threat,
    about_to_win,
    branches,
    is_line,
    mutated,
    seeing,
    tree_fails,
    unanswered,
)
from support.paths import ROOT
from support.proofs.weaker import false_step, weakened

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


class Drawn(NamedTuple):
    """A position after a null move of its side to move, and a candidate tree of the other side."""

    rules: Gomoku
    text: str
    tree: Threat

    def listed(self, rules: Gomoku) -> dict[str, str] | None:
        """The replies that the rules leave to be answered; None if they refuse the tree."""
        try:
            return rules.sequence(rules.position(self.text), self.tree)
        except Refused:
            return None

    def is_false(self, listed: dict[str, str], rng: random.Random | None = None) -> bool:
        return bool(unanswered(self.rules, self.text, self.tree, listed, rng))


def goes_on(rules: Gomoku, text: str) -> bool:
    """Whether a position can occur if fours may be left unanswered."""
    position = rules.position(text)
    return not rules._lined(position.stones[position.side]) and rules.verdict(position) is None


def found_trees(rng: random.Random, only_sound: bool = True) -> Iterator[Drawn]:
    """Trees that the search finds at random positions."""
    made = {rule_set: Gomoku(rule_set) for rule_set in VARIANTS}
    while True:
        rules = made[rng.choice(VARIANTS)]
        text = drawn(rules, rng)
        if rules.position(text).fours or not (
            sound(rules, text) if only_sound else goes_on(rules, text)
        ):
            continue
        tree = seeing(rules_of(rules))(text)
        if tree is not None and not is_line(tree):
            yield Drawn(rules, text, tree)


def rules_of(rules: Gomoku) -> str:
    win = "exact5" if rules.exact else "five-or-more"
    return f"gomoku-{rules.grid.size};line={rules.line};win={win};knowledge=4t"


def test_every_omitted_reply_loses_to_the_tree():
    """Trees that the search finds are accepted.

    They win if their side moves, and after every reply outside their zone, against any defence.
    """
    rng = None if LONG else random.Random(3)
    left_out, threes, fours, found = 0, 0, 0, found_trees(random.Random(1))
    for _ in range(600 if LONG else 25):
        each = next(found)
        listed = each.listed(each.rules)
        assert listed is not None, each
        assert not tree_fails(each.rules, passed(each.text), each.tree), each
        assert not each.is_false(listed, rng), each
        replies = each.rules.replies(each.rules.position(each.text))
        assert listed.items() <= replies.items()
        left_out += len(replies) - len(listed)
        threes += sum(bool(branch[1]) for branch in branches(each.tree))
        fours += sum(not branch[1] for branch in branches(each.tree))
    assert left_out > 200 and threes > 25 and fours > 3


def candidates(rng: random.Random) -> Iterator[Drawn]:
    """Trees, mutated trees, and trees on boards with an unanswered four."""
    for found in found_trees(rng, only_sound=False):
        yield found
        for _ in range(6):
            yield found._replace(tree=mutated(found.tree, rng, list(found.rules.grid.bit_of)))
        unsound = about_to_win(found.rules, found.text, found.tree)
        if unsound is not None and goes_on(found.rules, unsound[0]):
            yield found._replace(text=unsound[0], tree=unsound[1])


@pytest.mark.full
def test_accepted_trees_win_by_play_also_on_unreachable_positions():
    rng = None if LONG else random.Random(4)
    accepted = refused = 0
    for number, each in enumerate(candidates(random.Random(2))):
        if number == (8_000 if LONG else 250):
            break
        listed = each.listed(each.rules)
        accepted, refused = accepted + (listed is not None), refused + (listed is None)
        assert listed is None or not each.is_false(listed, rng), each
    assert accepted > 30 and refused > 30


REPLIES = "replies = zone | self._own_fours(enemy, own)"
BELOW = "self._near(own, enemy, reply) | self._tree(own, enemy | reply, answer, owed)"
WINS = 'if self.wins_at(enemy, reply):\n                raise Refused(f"the reply'
WEAKER = {
    "Z4": ("zone = self._own_fours(enemy, own) | self._tree(", "zone = self._tree("),
    "Z5, the move": ("return own, stone | zone | self._beside", "return own, zone | self._beside"),
    "Z5, the reply": (
        "return own, stone | completing, completing",
        "return own, stone, completing",
    ),
    "Z6": ("return own, stone | zone | self._beside", "return own, stone | self._beside"),
    "Z6, all completing cells": (
        "return zone | self.completing(own | line[-1], enemy, line[-1])",
        "return zone",
    ),
    "Z7": (BELOW, BELOW.partition(" | ")[2]),
    "Z8": ("zone = self._one_of_two(self.lacking(enemy, own, 3), answered)", "zone = 0"),
    "Z8 and Z9, each cell that is not": ("if missing & ~bit & ~answered)", "if False)"),
    "Z9": ("zone |= self._one_of_two(self.lacking(enemy, own, 3, line[at + 1]), answered)", "pass"),
    "zones of the trees below": (BELOW, BELOW.replace("| self", "| 0 * self")),
    "B1, a four forces": (
        "if not completing or self.state(completing) == TWO:",
        "if self.state(completing) == TWO:",
    ),
    "B2, Z4 of it": (REPLIES, "replies = zone"),
    "B2, Z1 to Z3 of it": (REPLIES, "replies = self._own_fours(enemy, own)"),
    "B2, each is listed": ("        if replies:\n", "        if False:\n"),
    "B3, no winning line": (
        'if self.wins_at(enemy, reply):\n                raise Refused(f"the reply',
        'if False:\n                raise Refused(f"the reply',
    ),
    "B3, fours are answered": ("if owed & ~first:", "if False:"),
}


RARE = (
    "gomoku-8;line=5;win=five-or-more;knowledge=4t",
    ".......X/..OO...O/....X.../..X..OO./...OX..O/......O./..XX..../........ b",
    [
        "E7",
        ["B7"],
        [
            ["B7", ["F7", [], [["G7", ["F6", "D8", "F4"]]]]],
            ["A7", ["F7"]],
            [
                "F7",
                [
                    "E5",
                    ["D5", "H5", "D6"],
                    [
                        ["D5", ["F6", "D8", "C3"]],
                        ["H5", ["D8", "F6", "D6"]],
                        ["D6", ["F6", "D8", "C3"]],
                    ],
                ],
            ],
        ],
    ],
)
"""A line's last move leaves three completing cells, and two opponent's stones may take two of them.

One in 1,000 random trees.
"""


@pytest.mark.full
@pytest.mark.parametrize("clause", WEAKER)
def test_each_condition_is_necessary(clause):
    """Without the condition some accepted tree does not win after every omitted reply.

    With it that tree is refused, or the reply is listed.
    """
    kind, lax = weakened(Gomoku, *WEAKER[clause]), {}

    def steps() -> Iterator[Drawn]:
        rare = Drawn(Gomoku(RARE[0]), *RARE[1:])
        for number, each in enumerate(itertools.chain([rare], candidates(random.Random(clause)))):
            assert number < 30_000, "no false tree has been found"
            rule_set = rules_of(each.rules)
            if rule_set not in lax:
                lax[rule_set] = kind(rule_set)
            listed = each.listed(lax[rule_set])
            if listed is not None and listed != each.listed(each.rules):
                yield each

    each = false_step(
        steps(), lambda each: each.is_false(each.listed(lax[rules_of(each.rules)]) or {})
    )
    strict = each.listed(each.rules)
    assert strict is None or not each.is_false(strict)


BOARD = ".....X/....X./X..O../....../....../.....O b"
TREE: Threat = [
    "D3",
    ["D5"],
    [["D5", ["C4", "E2", "E4"]], ["D6", ["D2"]], ["D2", ["C4", "E2", "E4"]]],
]


def test_the_example_of_the_format_is_a_tree():
    """White threatens by D3 and then by fours.

    Five of Black's 31 replies lie outside the zone and change nothing.
    """
    rules = Gomoku("gomoku-6;line=4;win=five-or-more;knowledge=4t")
    assert json.dumps(TREE) in (ROOT / "jaxsolve/proof/FORMAT.md").read_text()
    left = set(rules.replies(rules.root(BOARD))) - set(rules.sequence(rules.root(BOARD), TREE))
    assert left == {"B1", "B6", "C1", "C3", "E1"}
    assert not unanswered(rules, BOARD, TREE, rules.sequence(rules.root(BOARD), TREE))


def mutate(change) -> Threat:
    tree = copy.deepcopy(TREE)
    return change(tree) or tree


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tree: tree.append([]), "neither a line nor a move"),
        (lambda tree: tree.__delitem__(2), "neither a line nor a move"),
        (lambda tree: tree.__setitem__(0, 3), "a move of the threat is 3"),
        (lambda tree: tree.__setitem__(0, "F6"), "F6 is taken"),
        (lambda tree: tree.__setitem__(0, "Z9"), "Z9"),
        (lambda tree: tree.__setitem__(1, tree[1][0]), "neither a line nor a move"),
        (lambda tree: tree.__setitem__(1, [None]), "a move of the threat is None"),
        (lambda tree: tree.__setitem__(1, []), "threatens nothing"),
        (lambda tree: tree.__setitem__(2, []), "no answer to"),
        (lambda tree: tree[2].append(tree[2][0]), "not called for, or listed twice"),
        (lambda tree: tree[2].append(["A1", ["A2"]]), "not called for, or listed twice"),
        (lambda tree: tree[2][0].append("A1"), "no reply with what answers it"),
        (lambda tree: tree[2][0].__setitem__(0, None), "a reply of the threat is None"),
        (lambda tree: tree[2][0].__setitem__(1, None), "not a list"),
        (lambda tree: tree[2][0].__setitem__(1, {}), "not a list"),
        (lambda tree: tree[2][0].__setitem__(1, []), "does not end with the claimant's"),
        (lambda tree: tree[2][0].__setitem__(1, ["A1"]), "."),
    ],
)
def test_invalid_trees_are_refused(change, message):
    rules = Gomoku("gomoku-6;line=4;win=five-or-more;knowledge=4t")
    with pytest.raises(Refused, match=message):
        rules.sequence(rules.root(BOARD), mutate(change))


def test_a_tree_deeper_than_the_limit_is_refused():
    rules, tree = Gomoku("gomoku-6;line=4;win=five-or-more;knowledge=4t"), ["D5"]
    for _ in range(gomoku.DEEPEST + 1):
        tree = ["D3", ["D5"], [["D5", tree]]]
    with pytest.raises(Refused, match="more than 64 branches above each other"):
        rules.sequence(rules.root(BOARD), tree)
