"""False reports: mutants of reports that workers have made, and the truth of what they prove."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jaxsolve.cluster.orders import Order, Report, packed
from jaxsolve.cluster.verification import Distrust, Proved, read, verify
from jaxsolve.cluster.worker import Worker
from jaxsolve.evaluate import Evaluator, shared_evaluator, sides_to_move
from jaxsolve.games.game import Game
from jaxsolve.search import Settings
from support.cluster import Question

NUMBERS = (-1, -2, 1 << 31, 1 << 62, 1 << 80, 0.5, float("nan"), float("inf"), True, None, "1", [])
VALUES = (*NUMBERS, {}, "proved", "", "no verdict", [[1, 2]], [[1, 2, -1]], [[True, 1, 1]])


class Source(NamedTuple):
    """An order with the true report of a worker."""

    question: Question
    order: Order
    report: Report
    evaluator: Evaluator

    @property
    def root(self) -> np.ndarray:
        game = self.question.game
        return game.host_pack(game.parse(self.order.position))


def source(question: Question, number: int = 7, method: str = "dfpn") -> Source:
    """The order of a whole question, and the report of a worker that solves it."""
    game, state, claim = question.game, question.state, question.claim
    nodes = question.nodes * 4 + 2000
    order = Order(number, 1, 3, game.rule_set, game.text(state), claim, nodes, 60.0)
    report = Report.decode(Worker(Settings(method, check=False)).run(order.encode()))
    assert report.verdict == str(question.verdict), question.name
    return Source(question, order, report, shared_evaluator(game))


def judge(each: Source, message: bytes) -> Proved | str | None:
    """What the manager adopts of a message: its proof, None, or the reason why it adopts none."""
    try:
        report = read(each.order, message)
        if report.depth >= 0:
            return "another position"
        return verify(each.order, report, each.root, each.evaluator)
    except Distrust as error:
        return str(error)


# ---- mutations of the records --------------------------------------------------------------------
def _split(rows: np.ndarray, game: Game) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    words = game.state_words
    return rows[:, :words], rows[:, words : words + 1].view(np.int32)[:, 0], rows[:, words + 1 :]


def _some(rng: random.Random, rows: np.ndarray) -> list[int]:
    return rng.sample(range(len(rows)), rng.choice([1, min(3, len(rows)), -(-len(rows) // 2)]))


def drop(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    return np.delete(rows, _some(rng, rows), axis=0)


def truncate(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    kept = rng.randrange(len(rows))
    return rows[:kept] if rng.random() < 0.5 else rows[kept + 1 :]


def permute(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    return rows[rng.sample(range(len(rows)), len(rows))]


def reverse(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    return rows[::-1].copy()


def duplicate(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    return np.insert(rows, rng.randrange(len(rows) + 1), rows[_some(rng, rows)], axis=0)


def flip_bits(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    for row in _some(rng, rows):
        rows[row, rng.randrange(rows.shape[1])] ^= np.uint32(1 << rng.randrange(32))
    return rows


def flip_states(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    for row in _some(rng, rows):
        rows[row, rng.randrange(game.state_words)] ^= np.uint32(1 << rng.randrange(32))
    return rows


def change_moves(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    for row in _some(rng, rows):
        _split(rows, game)[1][row] = rng.randrange(-1, game.num_actions)
    return rows


def flip_results(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    moves = _split(rows, game)[1]
    for row in _some(rng, rows):
        moves[row] = rng.randrange(game.num_actions) if moves[row] < 0 else -1
    return rows


def flip_all_results(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    moves = _split(rows, game)[1]
    moves[:] = np.where(moves < 0, rng.randrange(game.num_actions), -1)
    return rows


def change_covers(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    moves = _split(rows, game)[1]
    for row in _some(rng, rows):
        moves[row] = np.int64(rng.getrandbits(32) - (1 << 31)).astype(np.int32)
    return rows


def shrink_zones(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    zones = _split(rows, game)[2]
    for row in _some(rng, rows):
        zones[row] &= np.array([rng.getrandbits(32) for _ in zones[row]], np.uint32)
    return rows


def empty_zones(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    _split(rows, game)[2][:] = 0
    return rows


def fill_zones(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    zones = _split(rows, game)[2]
    for row in _some(rng, rows):
        zones[row] = 0xFFFFFFFF
    return rows


def lie_first(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    """Puts records with the opposite result before the true ones."""
    lies = rows[_some(rng, rows)].copy()
    return np.concatenate([flip_all_results(rng, lies, game), rows])


def empty(rng: random.Random, rows: np.ndarray, game: Game) -> np.ndarray:
    return rows[:0]


ROWS: dict[str, Callable[[random.Random, np.ndarray, Game], np.ndarray]] = {
    each.__name__: each
    for each in (
        *(drop, truncate, permute, reverse, duplicate, flip_bits, flip_states, change_moves),
        *(flip_results, flip_all_results, change_covers, shrink_zones, empty_zones, fill_zones),
        *(lie_first, empty),
    )
}


# ---- mutations of the report ---------------------------------------------------------------------
def other_verdict(rng: random.Random, report: Report) -> Report:
    flipped = {"proved": "disproved", "disproved": "proved"}[report.verdict]
    return dataclasses.replace(report, verdict=flipped)


def other_job(rng: random.Random, report: Report) -> Report:
    name = rng.choice(["id", "attempt", "version", "depth"])
    value = rng.choice([0, 1, 2, 5, 1 << 40])
    return dataclasses.replace(report, **{name: value})


def too_many_nodes(rng: random.Random, report: Report) -> Report:
    return dataclasses.replace(report, nodes=rng.choice([1 << 20, 1 << 61]))


def too_much_time(rng: random.Random, report: Report) -> Report:
    return dataclasses.replace(
        report, **rng.choice([{"cpu_seconds": 1e18}, {"evaluations": 1 << 61}])
    )


def other_words(rng: random.Random, report: Report) -> Report:
    words = rng.choice([0, 1, 2, report.words - 1, report.words + 1, 2 * report.words, 1 << 20])
    return dataclasses.replace(report, words=words)


def damage(rng: random.Random, report: Report) -> Report:
    data = bytearray(report.records)
    kind = rng.randrange(4)
    if kind == 0:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del data[rng.randrange(len(data)) :]
    elif kind == 2:
        data += rng.randbytes(rng.randrange(1, 9))
    else:
        data = bytearray(rng.randbytes(len(data)))
    return dataclasses.replace(report, records=bytes(data))


def no_records(rng: random.Random, report: Report) -> Report:
    return dataclasses.replace(report, records=b"", words=rng.choice([0, report.words]))


REPORTS = {
    each.__name__: each
    for each in (
        other_verdict,
        other_job,
        too_many_nodes,
        too_much_time,
        other_words,
        damage,
        no_records,
    )
}


# ---- mutations of the message --------------------------------------------------------------------
def other_value(rng: random.Random, head: dict[str, Any]) -> bytes:
    head[rng.choice(list(head))] = rng.choice(VALUES)
    return json.dumps(head).encode()


def other_fields(rng: random.Random, head: dict[str, Any]) -> bytes:
    if rng.random() < 0.5:
        del head[rng.choice(list(head))]
    else:
        head["more"] = 1
    return json.dumps(head).encode()


def no_json(rng: random.Random, head: dict[str, Any]) -> bytes:
    text = json.dumps(head).encode()
    at = rng.randrange(len(text))
    return rng.choice(
        [
            text[:at],
            text[:at] + b"\xff" + text[at:],
            text[1:],
            b"[" * 100_000,
            b'{"id": ' + b"9" * 5000 + b"}",
            b"[" + text + b"]",
            b"null",
            b"",
            text[:-1] + b', "id": 7}',
        ]
    )


HEADS = {each.__name__: each for each in (other_value, other_fields, no_json)}
KINDS = (*ROWS, *REPORTS, *HEADS, "foreign_records", "foreign_report")


def mutant(kind: str, rng: random.Random, each: Source, others: list[Source]) -> bytes:
    """A report that differs from the true one of ``each``; ``others`` are those of other jobs."""
    report, game = each.report, each.question.game
    if kind in ROWS:
        rows = ROWS[kind](rng, report.array().copy(), game)
        return dataclasses.replace(report, records=packed(rows)).encode()
    if kind in REPORTS:
        return REPORTS[kind](rng, report).encode()
    if kind in HEADS:
        head, _, records = report.encode().partition(b"\n")
        return HEADS[kind](rng, json.loads(head)) + b"\n" + records
    other = rng.choice(others).report
    if kind == "foreign_records":
        words = rng.choice([other.words, report.words])
        return dataclasses.replace(report, records=other.records, words=words).encode()
    return dataclasses.replace(
        other, id=report.id, attempt=report.attempt, version=report.version
    ).encode()


# ---- truth ---------------------------------------------------------------------------------------
def stated(each: Source, proved: Proved) -> list[tuple[np.ndarray, bool]]:
    """(packed position, whether the order's claim holds there) of every adopted record."""
    movers = sides_to_move(each.question.game, proved.states)
    holds = (proved.moves >= 0) == (movers == each.order.claim.player)
    return list(zip(proved.states, holds.tolist(), strict=True))
