"""Searches of Hex with knowledge: rows, zones, certificates and verdicts are right."""

from __future__ import annotations

import gc
import gzip
import itertools
import random

import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.cluster.solving import ClusterOptions, Run
from jaxsolve.evaluate import Evaluator, Heads
from jaxsolve.games.hex import Hex
from jaxsolve.games.hex.host_rows import host_rows_of
from jaxsolve.games.hex.node_fields import node_fields
from jaxsolve.games.row_words import mover_of, outcome_of, winner_of
from jaxsolve.networks.heads import HeadOutputs
from jaxsolve.search import Claim, Settings, Verdict, solve
from jaxsolve.search.run.records import question_of
from support.oracles.hex_values import Values
from support.search import LONG, run, settings


def random_text(values: Values, draw: random.Random, least: int, most: int) -> str:
    """A position that a game can reach, or not: the numbers of stones may differ."""
    size = values.rules.grid.size
    cells = [values.rules.grid.point(name) for name in values.rules.grid.names.values()]
    stones = draw.sample(cells, draw.randrange(least, min(most, size * size)))
    black = sum(cell for i, cell in enumerate(stones) if i % 2 == 0)
    return values.text(black, sum(stones) - black, draw.randrange(2))


def ongoing(values: Values, draw: random.Random, least: int, most: int):
    """Random positions whose game is not over, without end."""
    while True:
        text = random_text(values, draw, least, most)
        if values.rules.verdict(values.rules.position(text)) is None:
            yield text


def winner_after(values: Values, game: Hex, words: np.ndarray) -> int:
    return values.winner(values.rules.position(game.text(game.unpack(words))))


@pytest.mark.parametrize("size, least", [(2, 0), (3, 0), (4, 4)])
def test_rows_say_the_truth(size, least):
    """A known winner wins; if none is known, a winning move is listed where there is one."""
    game, values, draw = Hex(size), Values(size), random.Random(size)
    evaluator, kinds = Evaluator(game), set()
    layout = evaluator.layout
    for text in itertools.islice(ongoing(values, draw, least, 9), 2000 if LONG else 200):
        state = game.host_pack(game.read(text))[None]
        (row,) = evaluator(state, np.array([-1], np.int32))
        assert np.array_equal(row[: layout.state], state[0])
        truth, info = values.winner(values.rules.position(text)), int(row[layout.info])
        known = winner_of(info)
        kinds.add(known == 0)
        assert known in (0, truth + 1)
        legal = np.flatnonzero(
            np.unpackbits(
                row[layout.masks : layout.masks + layout.mask].view(np.uint8), bitorder="little"
            )
        )
        assert (len(legal) == 0) == (known != 0)
        after = evaluator(np.repeat(state, len(legal), 0), legal.astype(np.int32))
        wins = []
        for child in after:
            outcome, mover = outcome_of(int(child[layout.info])), mover_of(int(child[layout.info]))
            assert mover == 1 - mover_of(info)
            if outcome:
                wins.append(outcome - 1 == mover_of(info))
            else:
                wins.append(winner_after(values, game, child[: layout.state]) == mover_of(info))
        assert known or any(wins) == (truth == mover_of(info))
    assert size < 4 or kinds == {True, False}


@pytest.mark.parametrize("size, count", [(6, 60), (9, 6)])
def test_the_state_after_a_move_is_one_of_the_rules(size, count):
    """Words, outcome and key are those that the rules give the same board.

    The row is that of the position itself, where fills are looked for everywhere.
    """
    game, draw = Hex(size), random.Random(1)
    evaluator, plain = Evaluator(game), Evaluator(game, host=False, zones=False)
    values = Values(size)
    for text in itertools.islice(ongoing(values, draw, 0, 5 * size), count):
        state = game.read(text)
        empty = np.flatnonzero(game.cells(state).reshape(-1) == 0)
        # The move is legal with the fills, too, if the row lists it.
        packed = game.host_pack(state)[None]
        (row,) = evaluator(packed, np.array([-1], np.int32))
        layout = evaluator.layout
        for action in empty.tolist():
            if not row[layout.masks + action // 32] >> np.uint32(action % 32) & 1:
                continue
            (child,) = evaluator(packed, np.array([action], np.int32))
            (row_of_child,) = evaluator(child[None, : layout.state], np.array([-1], np.int32))
            assert np.array_equal(row_of_child, child)
            again = game.read(game.text(game.unpack(child[: layout.state])))
            assert np.array_equal(game.host_pack(again), child[: layout.state])
            (ruled,) = plain(child[None, : layout.state], np.array([-1], np.int32))
            assert np.array_equal(
                ruled[plain.layout.key : plain.layout.key + 2],
                child[layout.key : layout.key + 2],
            )
            assert outcome_of(int(ruled[plain.layout.info])) == outcome_of(int(child[layout.info]))


@pytest.mark.parametrize("size, least, most", [(3, 0, 6), (4, 5, 10)])
def test_every_method_finds_the_winner_and_its_certificate_is_accepted(size, least, most, tmp_path):
    game, values, draw = Hex(size), Values(size), random.Random(size)
    texts = ongoing(values, draw, least, most)
    for number, setting in enumerate(itertools.islice(settings(), 360 if LONG else 36)):
        text = next(texts)
        claim = Claim(number % 2, "wins")
        answer = run(game, game.read(text), claim, setting, tmp_path)
        truth = values.winner(values.rules.position(text)) == claim.player
        assert answer.verdict is (Verdict.PROVED if truth else Verdict.DISPROVED), (setting, text)


def test_larger_boards_have_accepted_certificates(tmp_path):
    """The checker is the oracle: 5x5 to 7x7, and two words a set on 9x9."""
    draw = random.Random(3)
    for size, most in ((5, 3), (6, 8), (7, 18), (9, 45)):
        game, texts = Hex(size), ongoing(Values(size), draw, most // 2, most)
        decided = 0
        for number in range(40 if LONG else 5):
            state, setting = game.read(next(texts)), next(settings())
            answer = run(game, state, Claim(number % 2, "wins"), setting, tmp_path, 3000)
            decided += answer.verdict is not Verdict.UNKNOWN
        assert decided


def by_stones(params, planes, legal):
    """A network whose outputs depend on the numbers of stones."""
    del params
    counts = planes.sum(axis=(1, 2)).astype(jnp.float32)
    prior = legal * (1.0 + jnp.arange(legal.shape[1]))
    prior = prior / jnp.maximum(prior.sum(axis=1, keepdims=True), 1.0)
    return HeadOutputs(prior, (counts[:, 0] - counts[:, 1]) / 16, counts[:, :2])


def test_rows_with_values_have_the_same_rules_part():
    """Values of random games and of a network are those of the position in the row."""
    game, plain, values = Hex(4), Hex(4, knowledge=False), Values(4)
    texts = itertools.islice(ongoing(values, random.Random(5), 2, 9), 60)
    words = np.stack([game.host_pack(game.read(text)) for text in texts])
    stay = np.full(len(words), -1, np.int32)
    rules = Evaluator(game)(words, stay)
    at = Evaluator(game).layout
    legal = np.unpackbits(
        rules[:, at.masks : at.masks + at.mask].view(np.uint8), axis=1, bitorder="little"
    )
    moves = np.where(legal.any(axis=1), legal.argmax(axis=1), -1).astype(np.int32)
    rules = Evaluator(game)(words, moves)
    for options in ({"playouts": 2}, {"heads": Heads(by_stones, {}, most_cost=9.0)}):
        evaluator = Evaluator(game, **options)
        evaluator.compile([60])
        assert evaluator.host_rows() is None
        rows, at = evaluator(words, moves, 5), evaluator.layout
        assert np.array_equal(rows[:, : at.values], rules)
        again = Evaluator(plain, **options)(rules[:, : at.state], stay, 5)
        assert np.array_equal(rows[:, at.values :], again[:, at.values :])
        assert len(np.unique(rows[:, at.values])) > 2


def test_the_first_move_of_a_proof_wins_without_the_fills():
    """Also where a move wins with the fills and loses without: in the first position of a size."""
    draw = random.Random(7)
    for size, most in ((4, 3000 if LONG else 40), (5, 300 if LONG else 4)):
        game, values = Hex(size), Values(size)
        known = {4: "O.X./X.O./...X/.... b", 5: ".XO../....O/.OX../..X.X/..O.X w"}[size]
        texts = itertools.chain([known], ongoing(values, draw, size * size // 3, size * size))
        for text in itertools.islice(texts, most):
            state = game.read(text)
            mover, result = int(state.meta) & 1, solve(game, state)
            assert result.checked
            if result.verdict is not Verdict.PROVED:
                assert result.best_move is None
                continue
            assert result.best_move is not None, text
            after = game.step(state, game.parse_action(result.best_move))
            won = int(after.meta) >> 1 == mover + 1
            assert won or winner_after(values, game, game.host_pack(after)) == mover, text


def test_a_run_without_zones_shows_no_knowledge(tmp_path):
    """Its rows are those of the rules, and its certificate has no field of knowledge."""
    game = Hex(4)
    for number, options in enumerate(
        ({"zones": False}, {"evaluator": Evaluator(game, canonical=True)})
    ):
        out = tmp_path / str(number)
        result = solve(game, game.read("X.../..../..../.... w"), out=out, **options)
        assert result.checked and result.verdict is not Verdict.UNKNOWN
        text = gzip.decompress((out / "proof.jsonl.gz").read_bytes())
        assert b'"fill"' not in text and b'"vc"' not in text


def test_a_log_with_knowledge_is_no_log_without():
    """Records of one search are not valid for the other: their moves start from other boards."""
    game, plain, claim = Hex(4), Hex(4, knowledge=False), Claim(0, "wins")
    evaluators = (Evaluator(game), Evaluator(plain), Evaluator(game, zones=False))
    known, *others = (question_of(each.game, claim, each) for each in evaluators)
    assert known["knowledge"] and not any("knowledge" in header for header in others)


def test_workers_refuse_a_game_without_the_knowledge_that_they_use():
    run_of = Run(ClusterOptions(workers=1), Settings())
    with pytest.raises(ValueError, match="knowledge"):
        run_of.make_pool(Evaluator(Hex(4, knowledge=False)), 1)


def test_boards_without_knowledge():
    assert not Hex(12).shows_knowledge and not Hex(11, knowledge=False).shows_knowledge
    assert Hex(5, knowledge=False).host_rows(100) is None
    game = Hex(5)
    assert host_rows_of(game, Evaluator(game, zones=False).layout.width) is None
    with pytest.raises(ValueError, match="not known"):
        node_fields(game, game.read("X..../...../...../...../..... b"), "known", 1)


def test_memory_of_rows_outlives_its_maker():
    evaluator = Evaluator(Hex(4))
    rows = evaluator.game.host_rows(evaluator.layout.width)
    state = evaluator.game.host_pack(evaluator.game.init())[None]
    first = evaluator(state, np.array([-1], np.int32)).copy()
    gc.collect()
    assert rows is not None
    assert np.array_equal(evaluator(state, np.array([-1], np.int32)), first)
