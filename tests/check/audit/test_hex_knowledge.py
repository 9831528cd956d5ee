"""Audits of Hex certificates with fields for which the claimant's moves are not listed."""

from __future__ import annotations

import json

import pytest

from jaxsolve.games.hex import Hex
from jaxsolve.proof.check import check
from jaxsolve.proof.check.__main__ import main
from jaxsolve.proof.check.audit.flatten import flatten
from jaxsolve.proof.check.audit.replay import replay
from jaxsolve.proof.check.audit.strategy import NotFollowed
from jaxsolve.search import Claim
from support import mutations
from support.proofs.audited import read
from support.proofs.audited import run as cli
from support.search import Setting, run

QUESTIONS = {
    "steps": "..../..../..../.... b",
    "fill": ".X../..../..../.... w",
    "instead": "....X/...../...../...../..... w",
}


@pytest.fixture(scope="session")
def proofs(tmp_path_factory):
    """Field -> path of a searched certificate with the field."""
    folder, found = tmp_path_factory.mktemp("knowledge"), {}
    for field, text in QUESTIONS.items():
        game = Hex(len(text.split("/")))
        result = run(game, game.read(text), Claim(0), Setting("dfpn", None, None, 0), folder).result
        assert result.certificate is not None
        assert any(field in line for line in mutations.load(result.certificate))
        found[field] = str(result.certificate)
    return found


@pytest.mark.parametrize("field", QUESTIONS)
def test_an_audit_says_that_it_cannot_follow_the_field(field, proofs, tmp_path, capsys):
    """The certificate stays accepted; the exit code is 2 and no file is written."""
    for words, name in (
        (["--replay", "20"], "replay"),
        (["--flatten", f"{tmp_path}/f"], "flatten"),
    ):
        assert main([proofs[field], *words]) == 2
        report = capsys.readouterr()
        assert ": accepted: " in report.out and report.err.count("\n") == 1
        assert "the certificate does not list, and an audit does not derive them" in report.err
        found = cli(proofs[field], *words, "--json")
        fields = json.loads(found.stdout)
        assert found.exit_code == 2 and fields["accepted"] and fields[name]["error"] in report.err
    assert check(proofs[field]).accepted and not list(tmp_path.iterdir())


@pytest.mark.parametrize("field", QUESTIONS)
def test_the_functions_raise_the_same(field, proofs, tmp_path):
    for act in (lambda proof: replay(proof, 5), lambda proof: flatten(proof, tmp_path / "f")):
        with pytest.raises(NotFollowed):
            act(read(proofs[field]))
