"""Threat search (VCF and VCT) equals the checker's rules and brute force; verdicts with it equal
exhaustive play.
"""

from __future__ import annotations

import copy
import itertools
import os
import random

import numpy as np
import pytest

from jaxsolve.games.game import HasThreatSearch
from jaxsolve.games.gomoku import odds, vct, windows
from jaxsolve.games.gomoku import threats as sight
from jaxsolve.games.registry import make
from jaxsolve.games.threats import (
    BOTH,
    NOBODY,
    Branch,
    decode_tree,
    encode_tree,
    make_threat_search,
    search_threats,
)
from jaxsolve.proof.check import check
from jaxsolve.proof.check.audit.certificate import Certificate
from jaxsolve.proof.check.audit.flatten import flatten
from jaxsolve.proof.check.audit.replay import replay
from jaxsolve.proof.check.checker import judge
from jaxsolve.proof.check.games.gomoku.rules import Gomoku
from jaxsolve.search import Claim, Limits, Settings, Verdict
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from support import mutations
from support.oracles import minimax
from support.oracles.gomoku_lines import VARIANTS, drawn, fails, passed, sound, winning_lines
from support.oracles.gomoku_trees import named, tree_fails
from support.search import Setting, accepted, claims, settings

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


def looking(rule_set: str, budgets: tuple[int, int, int] = sight.BUDGETS, trees: int = NOBODY):
    """A function from a position's text to its threat search, and the game."""
    game = make(rule_set)
    facts, scratch = windows.facts_of(game.grid, game.line, game.win == "exact5", budgets)
    seen = make_threat_search(
        sight.search_threats,
        odds.log_odds,
        facts,
        scratch + vct.scratch_size(game.num_actions),
        game.num_actions,
    )
    return lambda text: search_threats(seen, game.host_pack(game.read(text)), trees), game


@pytest.mark.parametrize("rule_set", VARIANTS)
def test_lines_equal_the_rules(rule_set):
    """Lines win by the rules; the unrefuted replies are those of the checker's zone; brute force
    finds no further win.
    """
    see, game = looking(rule_set, (1 << 20, 0, 0))
    rules, rng, tally = (
        Gomoku(rule_set),
        random.Random(rule_set),
        {"wins": 0, "threatens": 0, "nothing": 0},
    )
    for _ in range(4000 if LONG else 250):
        text = drawn(rules, rng)
        if not sound(rules, text) or rules.position(text).fours:
            continue
        found = see(text)
        line = [] if found is None else [game.action_text(action) for action in found.tree]
        if found is not None and found.wins:
            assert not fails(rules, text, line), (text, line)
        else:
            assert next(winning_lines(rules, text, 4), None) is None, text
            if found is not None:
                assert not fails(rules, passed(text), line), (text, line)
                unrefuted = {
                    game.action_text(action)
                    for action in range(game.num_actions)
                    if found.zone >> action & 1
                }
                assert unrefuted == rules.sequence(rules.position(text), line).keys(), (text, line)
            elif not rules.position(passed(text)).fours:
                assert next(winning_lines(rules, passed(text), 4), None) is None, text
        tally["nothing" if found is None else "wins" if found.wins else "threatens"] += 1
    assert min(tally.values()) >= 3, tally


@pytest.mark.parametrize("rule_set", VARIANTS)
def test_trees_equal_the_rules(rule_set):
    """Trees of either side win by the rules; the unrefuted replies are those of the checker's zone;
    encoding is lossless.
    """
    see, game = looking(rule_set, (sight.BUDGETS[0], 400, 400), BOTH)
    rules, rng, tally = Gomoku(rule_set), random.Random(rule_set), {"wins": 0, "threatens": 0}
    while min(tally.values()) < (300 if LONG else 4):
        text = drawn(rules, rng)
        if (
            not sound(rules, text)
            or rules.position(text).fours
            or (found := see(text)) is None
            or not isinstance(found.tree, Branch)
        ):
            continue
        tree = named(found.tree, game.action_text)
        assert not tree_fails(rules, text if found.wins else passed(text), tree), (text, tree)
        if not found.wins:
            unrefuted = {
                game.action_text(action)
                for action in range(game.num_actions)
                if found.zone >> action & 1
            }
            assert unrefuted == rules.sequence(rules.position(text), tree).keys(), (text, tree)
        assert decode_tree(encode_tree(found.tree)) == found.tree
        tally["wins" if found.wins else "threatens"] += 1


@pytest.mark.full
def test_a_search_for_one_player_finds_that_players_trees():
    """A search for one player's trees finds what a search for both finds for that player, and lines
    of either.
    """
    rule_set = "gomoku-8;line=5;win=five-or-more;knowledge=4t"
    looks = [looking(rule_set, trees=trees)[0] for trees in (0, 1, BOTH, NOBODY)]
    rules, rng, trees = Gomoku(rule_set), random.Random(13), 0
    for text in (drawn(rules, rng) for _ in range(3000)):
        if not sound(rules, text) or rules.position(text).fours:
            continue
        of_black, of_white, of_both, of_nobody = (see(text) for see in looks)
        if of_nobody is not None:
            assert of_black == of_white == of_both == of_nobody
            continue
        mover = rules.position(text).side
        assert of_both == ((of_black, of_white)[mover] or (of_black, of_white)[1 - mover])
        trees += of_both is not None
    assert trees > 20


def test_a_threat_search_depends_on_the_position_alone():
    rule_set = "gomoku-8;line=5;win=five-or-more;knowledge=4t"
    see, rules, rng = looking(rule_set, trees=BOTH)[0], Gomoku(rule_set), random.Random(3)
    texts = [
        text
        for text in (drawn(rules, rng) for _ in range(1500))
        if sound(rules, text) and not rules.position(text).fours
    ][:300]
    first = [see(text) for text in texts]
    again = {text: see(text) for text in rng.sample(texts, len(texts))}
    assert (
        [again[text] for text in texts]
        == first
        == [looking(rule_set, trees=BOTH)[0](text) for text in texts]
    )
    assert sum(found is not None for found in first) > 50


def test_only_four_threat_knowledge_has_a_threat_search():
    assert (
        isinstance(make("gomoku-9;knowledge=4t"), HasThreatSearch)
        and make("gomoku-9;knowledge=4t").threat_search() is not None
    )
    assert make("gomoku-9").threat_search() is None
    assert not isinstance(make("hex-4"), HasThreatSearch)


def test_with_no_fours_to_try_only_wins_by_one_move_are_seen():
    see, game = looking("gomoku-8;line=5;win=five-or-more;knowledge=4t", (0, 0, 0))
    three = (
        "......../......../..XXX.../......../......../......../......../......../........"
    ).removesuffix("/........") + " b"
    assert see(three).tree[0] in (game.parse_action("B6"), game.parse_action("F6"))
    rules, rng = Gomoku(game.rule_set), random.Random(5)
    texts = [
        text
        for text in (drawn(rules, rng) for _ in range(1000))
        if sound(rules, text) and not rules.position(text).fours
    ]
    assert {len(found.tree) for found in map(see, texts) if found is not None} == {1}


def test_refuted_replies_lose_in_a_threat_search():
    rule_set = "gomoku-8;line=5;win=five-or-more;knowledge=4t"
    see, game = looking(rule_set)
    rules, rng, tally = Gomoku(rule_set), random.Random(9), [0, 0]
    for text in (drawn(rules, rng) for _ in range(1500)):
        if (
            not sound(rules, text)
            or rules.position(text).fours
            or (found := see(text)) is None
            or found.wins
        ):
            continue
        assert found.unrefuted & ~found.zone == 0
        for move, after in rules.replies(rules.position(text)).items():
            action = game.parse_action(move)
            if (
                found.zone >> action & 1
                and not rules.position(after).fours
                and rules.verdict(rules.position(after)) is None
            ):
                lost = (then := see(after)) is not None and then.wins
                assert lost is not bool(found.unrefuted >> action & 1), (text, move)
                tally[lost] += 1
    assert min(tally) > 20


@pytest.mark.short(1)
@pytest.mark.parametrize(
    ("rule_set", "plies"),
    [
        ("gomoku-5;line=3;win=exact5;knowledge=4t", range(2, 9)),
        ("gomoku-5;line=4;win=five-or-more;knowledge=4t", range(10, 17)),
        ("gomoku-5;line=4;win=exact5;knowledge=4t", range(10, 17)),
        ("gomoku-6;line=4;win=five-or-more;knowledge=4t", range(12, 19)),
    ][:: 1 if LONG else 3],
)
def test_verdicts_equal_minimax_with_and_without_threats(rule_set, plies, tmp_path):
    """Every certificate is accepted; those with threats of several moves also hold by play and
    written out reply by reply.
    """
    game, oracle, asked = (
        make(rule_set),
        minimax.DepthFirst(make(rule_set), 100_000 if LONG else 6000),
        itertools.cycle(claims(make(rule_set))),
    )
    turn, done, threats, answers = settings(nodes=(None,)), 0, 0, set()
    for text in minimax.random_positions(game, plies, 1, None):
        claim = next(asked)
        try:
            right = minimax.expected(oracle.holds(text, claim))
        except minimax.TooLarge:
            continue
        for zones in (True, False):
            got = search(game, text, claim, next(turn), zones, tmp_path)
            assert got.verdict is right, (text, claim, zones)
            threats += zones and with_threats(got.certificate)
        done += 1
        answers.add(right)
        if done == (80 if LONG else 6):
            break
    assert done and (not LONG or (len(answers) == 2 and threats))


def search(game, text, claim, setting, zones, folder, nodes=None):
    """A finished search with an accepted certificate, replayed and, if small, written out in full;
    unfinished only with ``nodes``.
    """
    out = folder / f"{sum(1 for _ in folder.iterdir())}"
    given = Settings(
        setting.method,
        Limits(nodes=nodes or (2_000_000 if LONG else 200_000)),
        seed=setting.seed,
        wave=setting.wave,
        zones=zones,
    )
    job = Job(game, game.parse(text), claims=claim, options=RunOptions(settings=given, out=out))
    run_jobs([job])
    (result,) = job.finish()
    if nodes and result.reason == f"The limit of {nodes} nodes was reached.":
        return result
    accepted(game, game.parse(text), claim, result)
    proof, report = Certificate(), None
    report = judge(result.certificate, proof)
    assert report.accepted and not replay(proof, 30).reason
    if report.nodes < 300:
        flatten(proof, out / "plain.jsonl.gz")
    return result


def with_threats(path) -> bool:
    """Whether a certificate uses threats of several moves."""
    return any(isinstance(line.get("threat"), list) for line in mutations.load(path))


def with_branches(path) -> bool:
    """Whether a certificate uses trees that are not lines."""
    return any(
        isinstance(part, list)
        for line in mutations.load(path)
        if isinstance(line.get("threat"), list)
        for part in line["threat"]
    )


@pytest.mark.short(1)
@pytest.mark.parametrize("method", ["dfpn", "fdfpn", "pns", "rzs"])
def test_proofs_contain_trees(method, tmp_path):
    """If the side to move cannot disturb a tree, the certificate contains that tree; it holds by
    play and written out.
    """
    rule_set = "gomoku-6;line=4;win=five-or-more;knowledge=4t"
    see, game = looking(rule_set, trees=BOTH)
    rules, rng, trees = Gomoku(rule_set), random.Random(method), 0
    while trees < (20 if LONG else 2):
        text = drawn(rules, rng)
        if not sound(rules, text) or rules.position(text).fours:
            continue
        found = see(text)
        if found is None or found.wins or not isinstance(found.tree, Branch):
            continue
        mover = rules.position(text).side
        got = search(
            game, text, Claim(1 - mover), Setting(method, 32, None, 0), True, tmp_path, nodes=300
        )
        trees += got.verdict is Verdict.PROVED and with_branches(got.certificate)


PROBLEM = (
    "........./........./.....XX../..X....../..XX..O../..O.O..../..OO...../........./......... b"
)


def test_mutated_threats_are_refused(tmp_path):
    """Any change of a threat or of its listed replies is refused; the unchanged certificate is
    accepted.
    """
    rule_set = "gomoku-9;line=5;win=five-or-more;knowledge=4t"
    game, path = make(rule_set), tmp_path / "spoilt.gz"
    result = search(game, PROBLEM, Claim(0), Setting("dfpn", 32, None, 0), True, tmp_path)
    lines, spoilt = mutations.load(result.certificate), 0
    for number, node in enumerate(lines):
        if not isinstance(node.get("threat"), list):
            continue
        threat, replies = node["threat"], node["and"]
        empty = [
            game.action_text(action)
            for action in np.flatnonzero(
                np.asarray(game.cells(game.read(node["pos"]))).ravel() == 0
            )
        ]
        changed = [
            {"threat": [*threat, "A1"]},
            {"threat": threat[:-1]},
            {"threat": []},
            {"threat": threat[0] * 2},
            {"threat": [1]},
        ]
        changed += [{"and": replies[:at] + replies[at + 1 :]} for at in range(len(replies))]
        changed += (
            [
                {"and": [*replies, [move, replies[0][1]]]}
                for move in empty
                if move not in dict(replies)
            ][:3]
            if replies
            else []
        )
        for change in changed:
            path.write_bytes(
                mutations.dump(
                    mutations.tidy(
                        copy.deepcopy([*lines[:number], {**node, **change}, *lines[number + 1 :]])
                    )
                )
            )
            assert not check(path).accepted, change
            spoilt += 1
    assert spoilt > 10
