"""Searches below lines: the verdicts of fresh searches, in a tree that is kept in between."""

from __future__ import annotations

import functools
import itertools
import random

import numpy as np
import pytest

from jaxsolve.cluster.line_job import LineJob
from jaxsolve.proof.log import ProofLog
from jaxsolve.search import Claim, Limits, Settings, Verdict, solve
from jaxsolve.search.run import lines, restarts
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.lines import Line, inform, keeps_lines
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool
from jaxsolve.search.tree.tree import ACTION, INF, NODES, NONE, SOLVED_FLAG
from support.oracles import minimax
from support.plain_hex import make
from support.search import LONG

QUESTIONS = {  # rule set, position, claim, longest line
    "hex": ("hex-4", "..../..../..../.... b", Claim(0), 6),
    "gomoku": (
        "gomoku-5;line=4;win=five-or-more;knowledge=ndk",
        "XO.OX/OX.XO/..O.../...../..... b".replace("......", "....").replace("..O...", "..O.."),
        Claim(0),
        6,
    ),
    "loa": ("loa-4", None, Claim(1, "does-not-lose"), 5),
    "knightthrough": ("knightthrough-5;rules=all", None, Claim(0), 5),
    "threats": (
        "gomoku-9;line=5;win=five-or-more;knowledge=4t",
        "........./........./...OO.O../...X.X.../....X..../..X....../..O....../........./........."
        " b",
        Claim(0),
        1,
    ),
    "superko": ("go-2;ko=positional;komi=1", None, Claim(0, "does-not-lose"), 5),
}
METHODS = ("pns", "dfpn", "fdfpn")
FOLLOWING = [name for name in QUESTIONS if name != "threats"]  # its searches restart


def question(name: str):
    rule_set, text, claim, longest = QUESTIONS[name]
    game = make(rule_set)
    return game, game.init() if text is None else game.parse(text), claim, longest


def job_of(name: str, method: str, seed: int = 0, **settings) -> LineJob:
    game, state, claim, _ = question(name)
    chosen = Settings(method, seed=seed, check=False, **settings)
    return LineJob(game, state, claim, RunOptions(settings=chosen))


def random_line(name: str, rng: random.Random) -> tuple[tuple[int, ...], list]:
    """Random moves from the root, and the positions before and after them, all unfinished."""
    game, state, _, longest = question(name)
    moves, states = [], [state]
    for _ in range(rng.randrange(1, longest + 1)):
        actions = np.flatnonzero(np.asarray(_legal(game)(state))).tolist()
        move = rng.choice(actions)
        after = _step(game)(state, move)
        if int(game.kernel.outcome(after)):
            break
        state = after
        moves.append(move)
        states.append(state)
    return tuple(moves), states


@functools.cache
def _legal(game):
    import jax

    return jax.jit(game.legal_mask)


@functools.cache
def _step(game):
    import jax

    return jax.jit(game.step)


def search_below(job: LineJob, line: tuple[int, ...], nodes: int) -> lines.Line | object:
    """Begins a line, searches it, and returns the answer; None if it cannot be followed."""
    if job.begin(line, Limits(nodes=nodes)):
        pool = Pool(job.evaluator, job.settings.flights)
        pool.submit(job)
        pool.run()
        pool.drain()
    elif not job.leads:
        return None
    return job.end_line()


@pytest.mark.short(5)
@pytest.mark.parametrize(
    ("name", "method"),
    [(name, METHODS[number % 3]) for number, name in enumerate(FOLLOWING)]
    + [(name, METHODS[number % 3 - 1]) for number, name in enumerate(FOLLOWING)],
)
def test_searches_below_lines_have_the_verdicts_of_fresh_searches(name, method):
    """In one kept tree, with limits that end many of the searches early."""
    game, _, claim, _ = question(name)
    rng, job, seen = random.Random(name), job_of(name, method, wave=4), dict[str, int]()
    for _ in range(200 if LONG else 25):
        line, states = random_line(name, rng)
        if not line or not job.usable:
            job = job if job.usable else job_of(name, method, wave=4)
            continue
        answer = search_below(job, line, rng.choice([5, 50, 3000]))
        if answer is None:
            seen["closed"] = seen.get("closed", 0) + 1
            continue
        verdict = answer.result.verdict
        seen[str(verdict)] = seen.get(str(verdict), 0) + 1
        if verdict is Verdict.UNKNOWN:
            assert answer.records is None and answer.result.nodes <= 3000
            continue
        assert 0 <= answer.depth <= len(line) and answer.records is not None
        right = solve(
            game, states[answer.depth], claim=claim, limits=Limits(nodes=30_000), check=False
        ).verdict
        assert right in (verdict, Verdict.UNKNOWN), (line, answer.depth)
        # Its proof has the position itself.
        packed = np.asarray(game.pack(states[answer.depth]))
        assert (answer.records[:, : game.state_words] == packed).all(axis=1).any()
    assert sum(seen.values()) > 5 and {"proved", "disproved"} & seen.keys(), seen


@pytest.mark.parametrize(
    ("name", "method"),
    [("loa", "dfpn"), ("loa", "mcts"), ("superko", "rzs"), ("threats", "dfpn"), ("threats", "pns")],
)
def test_many_short_searches_of_the_root_are_one_search(name, method, monkeypatch):
    """Every method takes the nodes that it takes in one go, also if it restarts."""
    monkeypatch.setattr(restarts, "THREATS", restarts.Budgets(64, 64, 1.25))
    whole, job = job_of(name, method, wave=4), job_of(name, method, wave=4)
    right, nodes, searches = search_below(whole, (), 30_000), 0, 0
    while job.usable:
        answer = search_below(job, (), 40)
        nodes, searches = nodes + answer.result.nodes, searches + 1
        assert nodes < 2 * right.result.nodes + 200 and searches < nodes
    assert searches > 2 and answer.depth == 0 and answer.records is not None
    assert answer.result.verdict is right.result.verdict is not Verdict.UNKNOWN
    job, keeps = job_of(name, method), method != "mcts" and method != "rzs" and name != "threats"
    assert job.follows(()) and job.follows((0,)) == keeps
    job.close()


def entered(name: str, line: tuple[int, ...], wave: int = 4) -> tuple[LineJob, Line]:
    """A new job whose paths have been moved to the end of a line."""
    job = job_of(name, "dfpn", wave=wave)
    search = job.search
    for _ in range(4):  # expand the root
        state, action, count = Job.advance(job, 0, 1)
        if not count:
            break
        search.absorb(0, search.evaluator(state, action, search.seed))
    search.retreat()
    found = Line(search, line)
    return job, found


@pytest.mark.parametrize("name", ["hex", "loa", "knightthrough"])
def test_all_paths_stand_at_the_end_of_the_line(name):
    rng, stood = random.Random(f"paths {name}"), 0
    for _ in range(16 if LONG else 8):
        moves, states = random_line(name, rng)
        if not moves:
            continue
        job, line = entered(name, moves)
        search = job.search
        count = len(search.work.paths.depth)
        if not line.enter(0, count):
            assert not line.complete or line.decided() is not None
            continue
        paths, tree, stood = search.work.paths, search.tree, stood + 1
        assert line.complete and line.decided() is None
        end = np.asarray(job.game.pack(states[-1]))
        for path in range(count):
            assert paths.depth[path] == len(moves)
            nodes = paths.nodes[path, : len(moves) + 1]
            assert nodes.tolist() == line.nodes
            edges = tree.nodes[nodes[:-1]]["edges"] + paths.edges[path, : len(moves)]
            assert (tree.edges[edges]["action"] & ACTION).tolist() == list(moves)
            assert np.array_equal(tree.states[nodes[-1]], end)
        assert line.enter(0, count)  # nothing changes
        assert paths.depth.tolist() == [len(moves)] * count
        search.retreat()
        assert paths.depth.tolist() == [0] * count
    assert stood > 1


def test_lines_that_cannot_be_followed_are_refused():
    for moves in ((0, 0), (16,), (3, 3, 3), (-1,), (1 << 40,)):
        job, line = entered("hex", moves)
        assert not line.enter(0, len(job.search.work.paths.depth))
        assert not line.complete and line.decided() is None
    job, line = entered("hex", tuple(range(16)) * 40)  # longer than any path
    assert not line.enter(0, 1)


def test_a_node_that_is_decided_on_the_way_is_reported():
    """Hex 4x4 after c2: White loses. So a line through it ends there."""
    game, _, _, _ = question("hex")
    job = job_of("hex", "dfpn", wave=4)
    oracle = minimax.DepthFirst(game, 1_000_000)
    winning = next(
        move
        for move in range(16)
        if oracle.holds(game.text(_step(game)(game.init(), move)), Claim(0))
    )
    other = next(move for move in range(16) if move != winning)
    first = search_below(job, (winning,), 50_000)
    assert first.result.verdict is Verdict.PROVED
    # With the reply decided the root is decided, too; both are on every line through it.
    again = job.begin((winning, other), Limits(nodes=10))
    assert not again and job.leads
    answer = job.end_line()
    assert answer.result.verdict is Verdict.PROVED and answer.depth <= 1
    assert answer.result.nodes == 0 and len(answer.records)


def decided(search) -> dict[bytes, int]:
    used = search.tree.nodes[: search.tree.counters[NODES]]
    at = np.flatnonzero(used["marks"] & SOLVED_FLAG)
    return {search.tree.states[node].tobytes(): int(used["pn"][node]) for node in at}


def known_edges(search) -> dict[tuple[int, int], tuple[int, ...]]:
    """(node, move) -> (child, decided numbers) of the visited edges that lead somewhere."""
    tree, found = search.tree, {}
    for node, record in enumerate(tree.nodes[: tree.counters[NODES]]):
        for edge in tree.edges[record["edges"] : record["edges"] + record["visited"]]:
            a, b, child = int(edge["a"]), int(edge["b"]), int(edge["child"])
            if child != NONE or 0 in (a, b):
                settled = (a, b) if 0 in (a, b) else ()
                found[node, int(edge["action"]) & ACTION] = (child, *settled)
    return found


@pytest.mark.parametrize("name", ["hex", "loa", "gomoku"])
def test_numbers_of_others_decide_nothing(name):
    """Any numbers: the edges that were decided or visited stay, the others get numbers in range."""
    rng = random.Random(f"inform {name}")
    game, state, claim, _ = question(name)
    for round in range(20 if LONG else 4):
        settings = Settings("pns", seed=round, wave=1, check=False)
        job = Job(game, state, claims=claim, options=RunOptions(settings=settings))
        search = job.search
        for _ in range(60):
            words, action, count = job.advance(0, 1)
            if not count or job.done:
                break
            search.absorb(0, search.evaluator(words, action, search.seed))
            if job.done:
                break
            before = decided(search)
            edges = known_edges(search)
            numbers = np.array(
                [
                    (rng.randrange(-2, game.num_actions + 2), *values)
                    for values in (
                        (rng.choice([0, 1, 5, INF, 4 * INF]), rng.choice([0, 1, 7, INF, -3]))
                        for _ in range(rng.randrange(6))
                    )
                ],
                np.int64,
            ).reshape(-1, 3)
            inform(search, 0, numbers)
            assert decided(search) == before and search.verdict is None
            assert known_edges(search) == edges
        job.close()


@pytest.mark.parametrize("method", ["pns", "dfpn"])
def test_false_numbers_cost_time_only(method):
    """A search that is told random numbers after each leaf has the verdict of one that is not."""
    rng, verdicts = random.Random(method), set()
    for name, limit in itertools.product(("hex", "superko"), range(6 if LONG else 2)):
        game, _, claim, _ = question(name)
        _, states = random_line(name, rng)
        right = solve(game, states[-1], claim=claim, check=False).verdict
        settings = Settings(method, seed=limit, wave=1, check=False)
        job = Job(game, states[-1], claims=claim, options=RunOptions(settings=settings))
        search = job.search
        for _ in range(100_000):
            if job.done:
                break
            words, action, count = job.advance(0, 1)
            if not count:
                continue
            search.absorb(0, search.evaluator(words, action, search.seed))
            told = [
                (action, rng.randrange(0, 40), rng.randrange(0, 40))
                for action in range(game.num_actions)
            ]
            if search.verdict is None:
                inform(search, 0, np.array(told, np.int64))
        assert search.verdict is right
        verdicts.add(right)
        job.close()
    assert verdicts


def test_only_methods_with_proof_numbers_keep_lines():
    found = {
        method: keeps_lines(job_of("hex", method).search) for method in ("pns", "dfpn", "mcts")
    }
    assert found == {"pns": True, "dfpn": True, "mcts": False}


def test_the_numbers_of_a_line_are_those_of_its_visited_moves():
    job = job_of("hex", "dfpn", wave=4)
    answer = search_below(job, (0,), 30)
    if answer.result.verdict is Verdict.UNKNOWN:
        actions = answer.numbers[:, 0].tolist()
        assert actions and len(set(actions)) == len(actions) and 0 not in actions
        assert (answer.numbers[:, 1:] >= 0).all()
    assert isinstance(job.current.log, ProofLog)
