"""Every step of a search follows the formulas of the papers, recomputed from the steps before."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jaxsolve.games.game import Outcome
from jaxsolve.games.registry import make
from jaxsolve.play.players import named_search
from jaxsolve.play.tree_search import search
from support.play_positions import positions

SIMULATIONS = 100
DRAWISH = "2,0,1,1,0,0/0,0,1,1,0,0 s captured=21:21", "1,0,1,0,1,0/2,0,1,0,0,0 s captured=21:21"
INF = math.inf


class Grown:
    """A finished search tree: visits, totals and outcomes, by the actions to each node."""

    def __init__(self, forest, tree):
        self.nodes, self.visits, self.totals = {}, {}, {}
        self._take(forest, int(forest.trees["root"][tree]), ())

    def _take(self, forest, node, path):
        record = self.nodes[path] = forest.nodes[node]
        for edge in range(record["edges"], record["edges"] + record["tried"]):
            way = (*path, int(forest.edges["action"][edge]))
            self.visits[way], self.totals[way] = (
                int(forest.edges["visits"][edge]),
                float(forest.edges["total"][edge]),
            )
            self._take(forest, int(forest.edges["child"][edge]), way)


class Formulas:
    """Reference: proof numbers (Allis 1994), solving and selection (Kowalski et al. 2024, 2025)."""

    def __init__(self, settings, tree, claims):
        self.settings, self.tree = settings, tree
        self.claimed = tree.nodes[()]["mover"]
        self.children = {path: [] for path in tree.nodes}
        for path in tree.nodes:
            if path:
                self.children[path[:-1]].append(path)
        self.numbers = {}
        for path in sorted(tree.nodes, key=len, reverse=True):
            self.numbers[path] = [self._numbers(path, claim) for claim in range(claims)]

    def is_or(self, path):
        return self.tree.nodes[path]["mover"] == self.claimed

    def visits_of(self, path):
        """Simulations that came to a node, the one that made it among them."""
        return (
            self.tree.visits[path]
            if path
            else sum(self.tree.visits[child] for child in self.children[()])
        )

    def _numbers(self, path, claim):
        """Of "the root's player wins" (claim 0), "it does not lose" (1)."""
        node, below = (
            self.tree.nodes[path],
            [self.numbers[child][claim] for child in self.children[path]],
        )
        if node["outcome"] != Outcome.ONGOING:
            won = node["outcome"] == (Outcome.FIRST_WINS, Outcome.SECOND_WINS)[self.claimed]
            return (0, INF) if won or (claim == 1 and node["outcome"] == Outcome.DRAW) else (INF, 0)
        if not below:
            new = (1, node["moves"] if self.settings.mobility else 1)
            return new if self.is_or(path) else new[::-1]
        every = below + [(1, 1)] * (node["moves"] - len(below))
        proofs, disproofs = zip(*every, strict=True)
        return (min(proofs), sum(disproofs)) if self.is_or(path) else (sum(proofs), min(disproofs))

    def bounds(self, path):
        """On the result for the root's player: 0 a loss, 1 a draw, 2 a win."""
        first, last = self.numbers[path][0], self.numbers[path][-1]
        return (first[0] == 0) + (last[0] == 0), 2 - (first[1] == 0) - (last[1] == 0)

    def is_solved(self, path):
        first, last = self.numbers[path][0], self.numbers[path][-1]
        if self.settings.layers == "players":
            return self.bounds(path)[0] == self.bounds(path)[1]
        return first[1] == 0 or (first if self.settings.layers == "single" else last)[0] == 0

    def is_left_alone(self, path, above):
        """Whether the solver passes a move by, its node not being solved."""
        if self.tree.visits[path] <= self.settings.threshold:
            return False
        if self.settings.layers != "players" or self.is_solved(path):
            return self.is_solved(path)
        (least, most), (sure, possible) = self.bounds(path), self.bounds(above)
        return most <= sure if self.is_or(above) else least >= possible

    def standing(self, path, above):
        """What a move is ranked by, the smaller the better for the one who moves."""
        own = 0 if self.is_or(above) else 1
        first, last = self.numbers[path][0][own], self.numbers[path][-1][own]
        return {"single": (first,), "double": (first, last), "players": (last if own else first,)}[
            self.settings.layers
        ]

    def best(self, path, *, solver=True, ranks=True, layers=True):
        """Possible next steps at a node: some of its children, or None for an untried move."""
        settings, children = self.settings, self.children[path]
        if len(children) < self.tree.nodes[path]["moves"]:
            return {None}
        spread = math.log(self.visits_of(path))
        scores = {}
        for child in children:
            visits = self.tree.visits[child]
            scores[child] = self.tree.totals[child] / visits + settings.exploration * math.sqrt(
                spread / visits
            )
        if settings.ranks and ranks:
            order = [self.standing(child, path)[: None if layers else 1] for child in children]
            places = [1 + sum(other < each for other in order) for each in order]
            worst = len(children) if settings.by_children else max(places)
            for child, place in zip(children, places, strict=True):
                scores[child] += settings.c_pn * (1 - place / worst)
        if settings.solver and solver and not self.is_solved(path):
            scores = {
                child: score
                for child, score in scores.items()
                if not self.is_left_alone(child, path)
            }
        highest = max(scores.values())
        return {child for child, score in scores.items() if score > highest - 1e-9}


def gone(before, after):
    """The nodes that a simulation has gone to, from the two trees."""
    seen = sorted(
        (way for way in after.visits if after.visits[way] != before.visits.get(way, 0)), key=len
    )
    assert seen and all(
        after.visits[way] == before.visits.get(way, 0) + 1 and way[:-1] == last
        for way, last in zip(seen, [(), *seen], strict=False)
    )
    return seen


def followed(name, text, words, seed):
    """Follows a search simulation by simulation, and asks the formulas about each.

    Returns how many steps only solving, ranks or their second layer explain, and whether a proved
    win ended it.
    """
    game, settings = (
        make(name),
        [named_search(text, count, None) for count in range(1, SIMULATIONS + 1)],
    )
    found = search(
        settings, game, np.repeat(words[None], SIMULATIONS, axis=0), [seed] * SIMULATIONS
    )
    claims, told = found.forest.numbers.shape[1], dict.fromkeys(("solver", "ranks", "layers"), 0)
    assert claims == (2 if game.may_draw and settings[0].layers != "single" else 1)
    trees = [Grown(found.forest, tree) for tree in range(SIMULATIONS)]
    before = None
    for count, after in enumerate(trees, start=1):
        if before is not None:
            formulas = Formulas(settings[0], before, claims)
            if settings[0].final and formulas.numbers[()][0][0] == 0:
                assert (found.simulations[count - 1 :] == count - 1).all()
                return told | {"ended": 1}
            path = gone(before, after)
            for at, below in zip([(), *path], [*path, None], strict=True):
                if at not in before.nodes:
                    break
                if below is None:
                    assert before.nodes[at]["outcome"] != Outcome.ONGOING
                    break
                best = formulas.best(at)
                assert (below if below in before.nodes else None) in best
                for part in told:
                    told[part] += not best & formulas.best(at, **{part: False})
        assert found.simulations[count - 1] == count
        before = after
    return told | {"ended": 0}


@pytest.mark.short(1)
@pytest.mark.parametrize(
    "text",
    [
        "uct",
        "uct:c=0.3",
        "pnmcts",
        "pnmcts:flags=U,c_pn=0.4,new=one,rank=children",
        "pnmcts:flags=FU,c_pn=1000000,new=one",
    ],
)
def test_every_simulation_follows_the_formula(text):
    """From where no game is over within as many plies as a tree of so few simulations is deep."""
    game = make("loa-7")
    told = followed("loa-7", text, np.asarray(game.pack(game.init())), 7)
    assert told.pop("ranks") > 0 if text.startswith("pnmcts") else True
    assert not any(told.values())


@pytest.mark.short(3)
@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("loa-4", "pnmcts:flags=FSU", "solver ranks ended"),
        ("loa-4", "pnmcts:flags=SU,threshold=0", "solver ranks"),
        ("loa-4", "pnmcts:flags=S", "solver"),
        ("loa-4", "pnmcts:flags=FSU,layers=double", "solver ranks ended"),
        ("loa-4", "pnmcts:flags=SU,layers=double,threshold=0", "solver ranks"),
        ("loa-4", "pnmcts:flags=FSU,layers=players,rank=children,new=one", "solver ranks ended"),
        ("loa-4", "pnmcts:flags=SU,layers=players,threshold=0", "solver ranks"),
        ("awari", "pnmcts:flags=SU,layers=double,threshold=0,c=0.3", "solver ranks layers"),
        ("awari", "pnmcts:flags=SU,layers=players,threshold=0,c=0.3", "solver ranks"),
    ],
)
def test_every_simulation_follows_the_formula_near_the_end_of_games(name, text, parts):
    """Where games end inside the tree; ``parts``: rules that alone explain some steps."""
    game = make(name)
    late = (
        positions(game, 3, 6, seed=3)
        if name == "loa-4"
        else [np.asarray(game.pack(game.parse(words))) for words in DRAWISH]
    )
    told = [followed(name, text, words, seed) for seed, words in enumerate(late)]
    seen = {part for each in told for part, count in each.items() if count}
    assert seen >= set(parts.split()) and ("ended" in seen) == ("ended" in parts)
