"""``audit``: checks one file and, if the certificate is accepted, runs the audits."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from jaxsolve.proof.check.audit.certificate import Certificate
from jaxsolve.proof.check.audit.strategy import NotFollowed
from jaxsolve.proof.check.checker import Report, check, judge
from jaxsolve.proof.check.errors import Refused, show

Found = TypeVar("Found")


@dataclasses.dataclass(frozen=True)
class Audits:
    """The audits to run after the check."""

    replay: int = 0  # number of games of the replay; 0: no replay
    seed: int = 0  # random seed of the replay
    flatten: str | None = None  # file for the plain certificate; None: no flattening
    most: int | None = None  # most nodes of the plain certificate; None: flatten.MOST


@dataclasses.dataclass(frozen=True)
class AuditReport:
    """The result of the check and the audits."""

    # 0 accepted, 1 refused, 2 unreadable, not audited or the plain certificate not written
    exit_code: int
    sentences: tuple[str, ...]  # one for each result; a failure comes last
    fields: dict[str, Any]  # the results as JSON values


def audit(path: str, audits: Audits) -> AuditReport:
    """Checks the certificate at ``path``, then runs the audits until one of them fails.

    Any fault of the file gives a report and no exception.
    """
    if not audits.replay and audits.flatten is None:
        return _checked(check(path))
    proof = Certificate()
    found = _checked(judge(path, proof))
    if found.exit_code == 0 and audits.replay:
        found = _replayed(found, proof, audits)
    if found.exit_code == 0 and audits.flatten is not None:
        found = _flattened(found, proof, audits.flatten, audits.most)
    return found


def _checked(report: Report) -> AuditReport:
    fields = {"accepted": report.accepted, "sentence": report.sentence}
    return AuditReport(report.exit_code, (report.sentence,), fields)


def _replayed(found: AuditReport, proof: Certificate, audits: Audits) -> AuditReport:
    from jaxsolve.proof.check.audit.replay import replay

    try:
        games = _guarded(proof, lambda: replay(proof, audits.replay, audits.seed))
    except Refused as error:
        return _refused(found, f"refused: {error}.")
    except NotFollowed as error:
        return _not_done(found, "replay", "not replayed", error)
    names = ("root_games", "node_games", "longest", "seed")
    fields = {"replay": {name: getattr(games, name) for name in names}}
    if games.reason:
        return _refused(found, games.sentence, fields)
    return AuditReport(0, (*found.sentences, games.sentence), found.fields | fields)


def _flattened(found: AuditReport, proof: Certificate, out: str, most: int | None) -> AuditReport:
    from jaxsolve.proof.check.audit.flatten import MOST, NotWritten, flatten

    try:
        nodes = _guarded(proof, lambda: flatten(proof, out, MOST if most is None else most))
    except Refused as error:
        return _refused(found, f"refused: {error}.")
    except (NotFollowed, NotWritten) as error:
        return _not_done(found, "flatten", "not written", error)
    sentence = (
        f"written as a plain proof: {show(out, 200)}, {nodes} nodes, accepted by the plain rules."
    )
    fields = {"flatten": {"file": out, "nodes": nodes}}
    return AuditReport(0, (*found.sentences, sentence), found.fields | fields)


def _refused(
    found: AuditReport, sentence: str, fields: dict[str, Any] | None = None
) -> AuditReport:
    refused = {"accepted": False, "sentence": sentence}
    return AuditReport(1, (*found.sentences[1:], sentence), found.fields | refused | (fields or {}))


def _not_done(found: AuditReport, name: str, result: str, error: Exception) -> AuditReport:
    """Returns the report of an audit that does not apply. The certificate stays accepted."""
    fields = {name: {"error": f"{error}"}}
    return AuditReport(2, (*found.sentences, f"{result}: {error}."), found.fields | fields)


def _guarded(proof: Certificate, run: Callable[[], Found]) -> Found:
    """Returns ``run()``. An unexpected exception of a plug-in's rules becomes Refused."""
    from jaxsolve.proof.check.audit.flatten import NotWritten

    try:
        return run()
    except (Refused, NotFollowed, NotWritten):
        raise
    except Exception as error:
        if not proof.source.plugin:
            raise
        raise proof.source.broken(error) from None
