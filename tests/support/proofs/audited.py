"""Certificates for the audits.

Of searches, of small problems, and with zones that are too small.
"""

from __future__ import annotations

import functools
import gzip
import random

from typer.testing import CliRunner

from jaxsolve.cli import app
from jaxsolve.formats import problems
from jaxsolve.proof.check.audit.certificate import Certificate
from jaxsolve.proof.check.checker import judge
from jaxsolve.proof.check.games.go import rules as go
from jaxsolve.proof.check.games.go.zones import GoZones
from jaxsolve.search import Claim, Limits, solve
from support import go_questions, mutations
from support.plain_hex import make
from support.proofs import go_zone_proofs
from support.proofs import go_zone_steps as steps
from support.proofs import solver as proof_tools
from support.proofs.go_zone_clauses import CLAUSES
from support.proofs.go_zone_solved import SOLVED
from support.proofs.weaker import weakened, without


def read(path, walk=Certificate):
    """An accepted certificate."""
    proof = walk()
    report = judge(path, proof)
    assert report.accepted, report.sentence
    return proof


def zoned() -> list:
    """Certificates with minimal zones."""
    return [go_zone_proofs.zoned(*problem) for problem in SOLVED]


@functools.cache
def searched(name: str, folder) -> str:
    """The path of a search's certificate, with zones where the game has them."""
    claim = None
    if name.startswith("quickstart:"):
        (problem,) = problems.load("quickstart.json", ids=[name.partition(":")[2]])
        game, state, claim = problem.game, problem.state, problem.claim
    else:
        rules, _, text = name.partition(" ")
        game = make(rules)
        state = game.parse(text)
    found = solve(game, state, claim=claim or Claim(0), limits=Limits(nodes=300_000), out=folder)
    assert found.checked and found.certificate is not None
    return str(found.certificate)


SEARCHED = {
    "go-life": "quickstart:go-life",
    "gomoku": "quickstart:gomoku-win",
    "hex": "hex-4 ..../..../..../.... b",
    "minishogi": "minishogi r...k/.+B.../P..SP/R.s../K...B w hands=Gg",
    "awari": "awari 1,0,2,1,0,2/0,1,1,0,1,1 n captured=20:18",
}


def problems_of_life(size: int, count: int, folder):
    """Certificates with zones of searches for random small problems."""
    rng, found = random.Random(size), 0
    while found < count:
        game = go_questions.task(rng, size, "true")
        state = go_questions.position(rng, game)
        if state is not None:
            result = solve(
                game,
                state,
                claim=Claim(found % 2),
                limits=Limits(nodes=20_000),
                out=folder / f"{rng.random()}",
            )
            if (
                result.certificate is not None
                and gzip.decompress(result.certificate.read_bytes()).count(b'"zone"') > 3
            ):
                found += 1
                yield result.certificate


LIES = {
    **{
        name: (without(GoZones, name), problem)
        for name, problem in {
            "shows_life": 1,
            "shows_capture": 0,
            "move_inside": 7,
            "child_inside": 0,
        }.items()
    },
    **{name: (without(GoZones, name), 5) for name in ("same_captures", "stones_stay")},
    "stays_illegal": (without(GoZones, "stays_illegal"), 7),
    **{
        clause: (weakened(GoZones, *CLAUSES[clause][:2]), 5)
        for clause in ("R1: it lies in Z", "R3: all of N(m) in Z", "A2: closed groups")
    },
}


def wrong(zones: type[GoZones], number: int, monkeypatch) -> list:
    """A certificate with zones as small as the weaker checker accepts.

    From then on the weaker checker is in use.
    """
    rules, root, player = SOLVED[number]
    monkeypatch.setattr(go_zone_proofs, "accepts", functools.partial(steps.accepts, zones=zones))
    monkeypatch.setattr(go, "GoZones", zones)
    return go_zone_proofs.Zoner(proof_tools.certificate("go", rules, root, player), 1).lines()


def mutated(lines: list, kind: str, change) -> list:
    """Applies ``change`` to the last node of a kind."""
    number = max(number for number, line in enumerate(lines) if kind in line)
    return mutations.tidy([change(line) if at == number else line for at, line in enumerate(lines)])


def run(*words):
    return CliRunner().invoke(app, ["check", *map(str, words)])
