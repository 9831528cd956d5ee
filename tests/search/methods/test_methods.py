"""A method is one object, one file and one entry of the list: no other code knows it by name."""

from __future__ import annotations

import ast
import dataclasses
import json
import random
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import jaxsolve.search
from jaxsolve import cli
from jaxsolve.commands.interface import options
from jaxsolve.jit.host import compiled
from jaxsolve.search import METHODS, Claim, Limits, Settings, Verdict, solve, solve_value
from jaxsolve.search import settings as search_settings
from jaxsolve.search.methods import ProofNumber
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool
from jaxsolve.search.run.warm_up import warm_up
from jaxsolve.search.tree.eviction import compact, evict
from jaxsolve.search.tree.tree import DROPPED_FLAG, EVICTED, LIVE, NODES
from support import least_visited
from support import search as search_tools
from support.least_visited import LeastVisited, words_agree
from support.oracles import minimax
from support.plain_hex import make

TOY = LeastVisited("least-visited", wave=4)
PACKAGE = Path(jaxsolve.search.__file__).parent
OUTSIDE = [path for path in sorted(PACKAGE.rglob("*.py")) if "methods" not in path.parts]
FORWARDS = "__init__.py"  # re-exports the classes
CHOOSES = "settings.py"  # lists the names and the default


@pytest.fixture
def listed(monkeypatch):
    """The method's entry in the list."""
    monkeypatch.setitem(METHODS, TOY.name, TOY)


@pytest.mark.parametrize(
    ("rule_set", "plies"),
    [("hex-4", range(5, 10)), ("gomoku-4;line=3;win=exact5;knowledge=ndk", range(4, 8))],
)
def test_a_listed_method_answers_as_minimax_does(listed, rule_set, plies, tmp_path):
    game = make(rule_set)
    oracle, asked = minimax.DepthFirst(game), search_tools.claims(game)
    for number, text in zip(
        range(40 if search_tools.LONG else 4),
        minimax.random_positions(game, plies, 5),
        strict=False,
    ):
        claim = asked[number % len(asked)]
        setting = search_tools.Setting(
            TOY.name, (1, 4, 32)[number % 3], (None, 256)[number % 2], number
        )
        got = search_tools.run(game, game.parse(text), claim, setting, tmp_path)
        assert got.verdict is minimax.expected(oracle.holds(text, claim)), (text, claim, setting)


def test_it_searches_two_claims_in_one_tree(listed):
    game = make("gomoku-3;line=3;win=five-or-more;knowledge=ndk")
    assert solve_value(game, game.init(), method=TOY.name).text == "draw"


def test_the_command_line_offers_it(listed, monkeypatch, tmp_path):
    """The choices are the keys of the list, and a search with a new one runs."""
    assert (*search_settings.METHOD_NAMES, TOY.name) == tuple(METHODS)
    monkeypatch.setattr(options, "METHOD_NAMES", tuple(METHODS))
    words = [
        "solve",
        "moves:a2",
        "--game",
        "hex-3",
        "--method",
        TOY.name,
        "--json",
        "--out",
        str(tmp_path / "run"),
    ]
    result = CliRunner().invoke(cli.app, words)
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["verdict"], answer["checked"]) == (20, "disproved", True)
    assert solve(make("hex-3"), make("hex-3").init(), method=TOY.name).verdict is Verdict.PROVED


@compiled
def _most_recent_last(order, first):
    for i in range(len(first)):
        order[0, i] = order[1, i] = first[i]


@dataclasses.dataclass(frozen=True)
class Ordering(LeastVisited):
    """Orders moves by a compiled loop of its own."""

    def put_in_order(self, work, first):
        _most_recent_last(work.order, first)


def test_its_loops_are_compiled_before_the_search():
    """By default every method that runs compiled code is called once before a search."""
    method = Ordering("ordering", wave=4)
    assert not _most_recent_last.signatures
    warm_up(method, False, True)
    warm = [list(loop.signatures) for loop in (_most_recent_last, least_visited._select)]
    assert (
        all(warm)
        and solve(make("hex-4"), make("hex-4").init(), method=method).verdict is Verdict.PROVED
    )
    assert [loop.signatures for loop in (_most_recent_last, least_visited._select)] == warm


@dataclasses.dataclass(frozen=True)
class Careless(ProofNumber):
    """Leaves actions out of its order."""

    def put_in_order(self, work, first):
        work.order[1] = 0


@dataclasses.dataclass(frozen=True)
class Weighted(ProofNumber):
    """Has an array among its settings."""

    weights: np.ndarray | None = None


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        (Careless("careless"), "does not hold each action once"),
        (Weighted("weighted", weights=np.zeros(2)), "cannot be hashed .*: a tuple can"),
    ],
)
def test_a_method_that_cannot_be_searched_with_is_refused(method, sentence):
    with pytest.raises(ValueError, match=f"method '{method.name}' .*{sentence}"):
        solve(make("hex-3"), make("hex-3").init(), method=method)


def test_a_tree_is_shared_only_with_methods_without_extra_words():
    """A method with extra words would miss them in another method's tree."""

    class Remembers(ProofNumber):
        extra_words = 1

    one, plain = Remembers("remembers"), METHODS["dfpn"]
    assert one.shares_tree(plain) and not plain.shares_tree(one) and not one.shares_tree(one)


def test_extra_words_stay_with_their_edges(listed):
    """Extra words move with their edges when a node grows, and at eviction and compaction."""
    game, rng = make("hex-5"), random.Random(2)
    job = Job(
        game,
        game.init(),
        claims=Claim(1),
        options=RunOptions(
            settings=Settings(TOY.name, Limits(nodes=3000), max_nodes=400, wave=8, flights=1)
        ),
    )
    pool = Pool(job.evaluator, 1)
    pool.submit(job)
    checked = 0
    while pool.poll():
        tree = job.search.tree
        if rng.random() < 0.02:
            evict(tree, int(tree.counters[LIVE]) * 3 // 4)
        if rng.random() < 0.02:
            compact(tree)
        for node in rng.sample(range(int(tree.counters[NODES])), min(3, int(tree.counters[NODES]))):
            if not tree.nodes[node]["marks"] & DROPPED_FLAG:
                checked += int(tree.nodes[node]["visited"])
                assert words_agree(tree, node)
    tree = job.search.tree
    live = [
        node
        for node in range(int(tree.counters[NODES]))
        if not tree.nodes[node]["marks"] & DROPPED_FLAG
    ]
    assert all(words_agree(tree, node) for node in live)
    assert checked > 1000 and tree.counters[EVICTED] > 400
    assert not job.finish()[0].certificate
    job.close()


def methods_named_in(tree: ast.AST) -> list[str]:
    """Names of methods, their classes and files in the code, without docstrings and comments."""
    classes = {type(method).__name__ for method in METHODS.values()}
    files = {type(method).__module__ for method in METHODS.values()}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in METHODS:
            found.append(node.value)
        if isinstance(node, ast.ImportFrom):
            found += [alias.name for alias in node.names if alias.name in classes]
            found += [node.module] if node.module in files else []
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name in files]
        if (isinstance(node, ast.Name) and node.id in classes) or (
            isinstance(node, ast.Attribute) and node.attr in classes
        ):
            found.append(node.id if isinstance(node, ast.Name) else node.attr)
    return found


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_other_file_of_the_search_names_a_method(path):
    named = methods_named_in(ast.parse(path.read_text(encoding="utf-8")))
    if path.name == FORWARDS:
        named = [name for name in named if name in METHODS]
    if path.name == CHOOSES:
        for name in search_settings.METHOD_NAMES:
            named.remove(name)
    assert len(named) == (path.name == CHOOSES), named


def test_the_scan_for_method_names_finds_them():
    text = (
        "from jaxsolve.search.methods.mcts.method import MonteCarlo\n"
        "if method.name == 'dfpn' or isinstance(method, MonteCarlo):\n    pass"
    )
    assert sorted(methods_named_in(ast.parse(text))) == [
        "MonteCarlo",
        "MonteCarlo",
        "dfpn",
        "jaxsolve.search.methods.mcts.method",
    ]
