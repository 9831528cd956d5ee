"""VCT trees by the checker's rules alone.

Play against a tree, and random trees, sound and unsound.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator
from typing import Any

from jaxsolve.games.gomoku import odds, vct, windows
from jaxsolve.games.gomoku import threats as sight
from jaxsolve.games.gomoku.game import Gomoku as Gomoku4T
from jaxsolve.games.registry import make
from jaxsolve.games.threats import BOTH, Branch, ThreatTree, make_threat_search, search_threats
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.gomoku.rules import Gomoku
from support.oracles.gomoku_lines import fails, passed

Threat = list[Any]  # in the form of a certificate


@functools.cache
def seeing(rule_set: str) -> Callable[[str], Threat | None]:
    """The search's threat at a position after the null move of its side to move."""
    game = make(rule_set)
    assert isinstance(game, Gomoku4T)
    facts, scratch = windows.facts_of(game.grid, game.line, game.win == "exact5", (60, 400, 400))
    seen = make_threat_search(
        sight.search_threats,
        odds.log_odds,
        facts,
        scratch + vct.scratch_size(game.num_actions),
        game.num_actions,
    )

    def see(text: str) -> Threat | None:
        sight = search_threats(seen, game.host_pack(game.read(passed(text))), BOTH)
        return None if sight is None or not sight.wins else named(sight.tree, game.action_text)

    return see


def named(tree: ThreatTree, name: Callable[[int], str]) -> Threat:
    """A tree with moves by name."""
    if not isinstance(tree, Branch):
        return [name(move) for move in tree]
    return [
        name(tree.move),
        [name(move) for move in tree.line],
        [[name(reply), named(answer, name)] for reply, answer in tree.answers],
    ]


def is_line(threat: Threat) -> bool:
    return all(isinstance(move, str) for move in threat)


def tree_fails(rules: Gomoku, text: str, threat: Threat) -> str:
    """The reason why the side to move does not win by a tree; empty if it wins.

    All legal replies are tried.
    """
    if is_line(threat):
        return fails(rules, text, threat)
    stone, line, answers = threat
    position = rules.position(text)
    claimant = position.side
    try:
        after = rules.child(position, stone)
    except Refused as error:
        return str(error)
    verdict = rules.verdict(rules.position(after))
    if verdict is not None:
        return "" if verdict.winner == claimant else f"{stone} ends the game"
    answered = dict(answers)
    for reply, then in rules.replies(rules.position(after)).items():
        verdict = rules.verdict(rules.position(then))
        if verdict is not None:
            return f"{reply} ends the game"
        why = tree_fails(rules, then, answered.get(reply, line))
        if why:
            return f"{reply}: {why}"
    return ""


def unanswered(
    rules: Gomoku,
    text: str,
    threat: Threat,
    listed: dict[str, str],
    rng: random.Random | None = None,
) -> str:
    """A reply that is not listed and does not lose to the threat; empty if there is none.

    With ``rng`` four random replies are tried, otherwise all.
    """
    left = [
        (reply, after)
        for reply, after in rules.replies(rules.position(text)).items()
        if reply not in listed
    ]
    for reply, after in left if rng is None else rng.sample(left, min(4, len(left))):
        if rules.verdict(rules.position(after)) is not None or tree_fails(rules, after, threat):
            return reply
    return ""


def branches(threat: Threat) -> Iterator[Threat]:
    """The branches of a tree, parents first."""
    if not is_line(threat):
        yield threat
        for _, answer in threat[2]:
            yield from branches(answer)


def mutated(threat: Threat, rng: random.Random, cells: list[str]) -> Threat:
    """A copy of a tree with one change."""
    threat = copied(threat)
    found = list(branches(threat))
    if not found:
        threat[rng.randrange(len(threat))] = rng.choice(cells)
        return threat
    branch = rng.choice(found)
    _, line, answers = branch
    one, other = rng.choice(answers), rng.choice(answers)
    how = rng.randrange(9)
    if how == 0:
        branch[0] = rng.choice(cells)
    elif how == 1:
        branch[1] = line[:-2]
    elif how == 2:
        answers.remove(one)
    elif how == 3:
        one[1], other[1] = other[1], one[1]
    elif how == 4:
        one[0] = rng.choice(cells)
    elif how == 5:
        one[1] = line or one[1][:1]
    elif how == 6:
        branch[1:] = [], []
    elif how == 7:
        branch[2] = [answer for answer in answers if answer[0] not in line]
    else:
        branch[2] = [answer for answer in answers if rng.random() < 0.3]
    return threat


def about_to_win(rules: Gomoku, text: str, threat: Threat) -> tuple[str, Threat] | None:
    """A position in which the side to move has an unanswered four, and a tree that ignores it.

    Each branch lets that side win, and continues.
    """
    board, side = text.split()[:2]
    rows, stone = board.split("/"), "XO"["bw".index(side)]
    four = stone * (rules.line - 1) + "."
    if any(cell not in (stone, ".") for cell in rows[-1][: rules.line]) or any(
        named in str(threat) for named in _corner(rules)
    ):
        return None
    rows[-1] = four + rows[-1][rules.line :]
    threat, last = copied(threat), _corner(rules)[-1].strip("'")
    for branch in branches(threat):
        if branch[1]:
            branch[2].append([last, branch[1]])
    return f"{'/'.join(rows)} {side}", threat


def _corner(rules: Gomoku) -> list[str]:
    return [f"'{column}1'" for column in "ABCDE"[: rules.line]]


def copied(threat: Threat) -> Threat:
    return [copied(part) if isinstance(part, list) else part for part in threat]
