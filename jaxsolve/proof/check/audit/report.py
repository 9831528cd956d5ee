"""Everything that can be asked about one file: the check, and two more nets under it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from jaxsolve.proof.check.audit.certificate import Certificate
from jaxsolve.proof.check.checker import check, judge
from jaxsolve.proof.check.errors import Refused, show

Found = TypeVar("Found")


@dataclasses.dataclass(frozen=True)
class Asked:
    """What is asked beside the check."""

    replay: int = 0  # games; 0: none
    seed: int = 0
    flatten: str | None = None  # the file to write
    most: int | None = None  # nodes of it; None: flatten.MOST


@dataclasses.dataclass(frozen=True)
class Answer:
    """What there is to say."""

    exit_code: int  # 0 accepted, 1 refused, 2 unreadable or the plain certificate not written
    sentences: tuple[str, ...]
    fields: dict[str, Any]  # the same for a program


def answer(path: str, asked: Asked) -> Answer:
    """Judges the certificate at ``path``, then what is asked of it; whatever refuses it ends the rest. Raises nothing, whatever the file holds."""
    if not asked.replay and asked.flatten is None:
        report = check(path)
        return Answer(
            report.exit_code,
            (report.sentence,),
            {"accepted": report.accepted, "sentence": report.sentence},
        )
    proof = Certificate()
    report = judge(path, proof)
    said = Answer(
        report.exit_code,
        (report.sentence,),
        {"accepted": report.accepted, "sentence": report.sentence},
    )
    if report.accepted and asked.replay:
        said = _replayed(said, proof, asked)
    if said.exit_code == 0 and asked.flatten is not None:
        said = _flattened(said, proof, asked.flatten, asked.most)
    return said


def _replayed(said: Answer, proof: Certificate, asked: Asked) -> Answer:
    from jaxsolve.proof.check.audit.replay import replay

    try:
        found = _by_the_rules(proof, lambda: replay(proof, asked.replay, asked.seed))
    except Refused as error:
        return _refused(said, f"refused: {error}.")
    fields = {
        "replay": {
            name: getattr(found, name) for name in ("root_games", "node_games", "longest", "seed")
        }
    }
    if found.reason:
        return _refused(said, found.sentence, fields)
    return Answer(0, (*said.sentences, found.sentence), said.fields | fields)


def _flattened(said: Answer, proof: Certificate, out: str, most: int | None) -> Answer:
    from jaxsolve.proof.check.audit.flatten import MOST, NotWritten, flatten

    try:
        nodes = _by_the_rules(proof, lambda: flatten(proof, out, MOST if most is None else most))
    except Refused as error:
        return _refused(said, f"refused: {error}.")
    except NotWritten as error:
        return Answer(
            2,
            (*said.sentences, f"not written: {error}."),
            said.fields | {"flatten": {"error": f"{error}"}},
        )
    sentence = (
        f"written as a plain proof: {show(out, 200)}, {nodes} nodes, accepted by the plain rules."
    )
    return Answer(
        0, (*said.sentences, sentence), said.fields | {"flatten": {"file": out, "nodes": nodes}}
    )


def _refused(said: Answer, sentence: str, fields: dict[str, Any] | None = None) -> Answer:
    return Answer(
        1,
        (*said.sentences[1:], sentence),
        said.fields | {"accepted": False, "sentence": sentence} | (fields or {}),
    )


def _by_the_rules(proof: Certificate, ask: Callable[[], Found]) -> Found:
    """``ask()``; what a plug-in's rules raise that they may not is Refused."""
    from jaxsolve.proof.check.audit.flatten import NotWritten

    try:
        return ask()
    except (Refused, NotWritten):
        raise
    except Exception as error:
        if not proof.source.plugin:
            raise
        raise proof.source.broken(error) from None
