"""Every answer has a certificate that the checker accepts; every mutated one is refused."""

from __future__ import annotations

import itertools

import pytest

from jaxsolve.games.registry import make
from jaxsolve.proof.check import check
from jaxsolve.search import Verdict
from support import mutations, plain_hex
from support.oracles import minimax
from support.search import LONG, claims, run, settings

SOURCES = {
    "hex-5": range(1, 6),
    "hex-5 by pairs": range(1, 6),  # without ``knowledge``
    "slither-3": range(0, 5),
    "gomoku-4;line=3;win=exact5;knowledge=4t": range(0, 6),
    "gomoku-5;line=4;win=five-or-more;knowledge=4t": range(12, 18),
    "go-2;ko=positional;komi=1": range(0, 6),
    "minishogi": range(40, 90),
    "awari": range(150, 220),
    "knightthrough-5;rules=all": range(6, 14),
    "loa-4": range(4, 10),
}


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """(verdict, path) of certificates that the searches wrote, some of every game."""
    folder = tmp_path_factory.mktemp("runs")
    found = []
    for rule_set, plies in SOURCES.items():
        name, _, pairs = rule_set.partition(" ")
        game = (plain_hex.make if pairs else make)(name)
        turn, asked = settings(nodes=(None,)), itertools.cycle(claims(game))
        wanted = 12 if LONG else 2
        for text in itertools.islice(minimax.random_positions(game, plies, 7), 20 * wanted):
            got = run(game, game.parse(text), next(asked), next(turn), folder, 5000)
            if got.verdict is not Verdict.UNKNOWN:
                found.append((got.verdict, got.result.certificate))
                wanted -= 1
            if not wanted:
                break
    return found


def test_proofs_and_disproofs_have_certificates(certificates):
    assert {verdict for verdict, _ in certificates} == {Verdict.PROVED, Verdict.DISPROVED}
    assert len(certificates) >= (50 if LONG else 10)


def test_every_mutated_certificate_is_refused(certificates, tmp_path):
    target, kinds = tmp_path / "mutant.gz", set()
    for number, (_, path) in enumerate(certificates):
        for name, data in mutations.mutants(path, number):
            target.write_bytes(data)
            assert not check(target).accepted, (name, path)
            kinds.add(name)
    assert len(kinds) >= 12 and kinds >= mutations.ZONED
