"""Cost of collecting a certificate from a long proof log.

Usage: ``python -m jaxsolve.bench.long_log RULES POSITION RECORDS MEMORY_MB [plain]``. The log has
RECORDS records. Among them are the records of a real search; the others are made up, and the proof
does not need them. With ``plain`` the search uses no zones.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import tempfile
from pathlib import Path

import numpy as np

from jaxsolve.core.process import cpu_seconds, setup
from jaxsolve.evaluate import shared_evaluator
from jaxsolve.games.registry import make
from jaxsolve.proof.certify import certify
from jaxsolve.proof.decided import Decided
from jaxsolve.proof.log import ProofLog
from jaxsolve.question import Claim, Verdict
from jaxsolve.search import Limits, solve

BLOCK = 1 << 16
"""Number of records that are written at a time."""


def long_log(folder: Path, rule_set: str, opening: str, zones: bool, records: int) -> None:
    """Solves a position and writes a log of ``records`` records to ``folder``.

    The records of the search keep their order and are spread evenly among the made-up records. A
    made-up record is a record of the search with random words as its position.

    Args:
      folder: receives the log and the files of the search.
      rule_set: id of the rule set.
      opening: text of the position.
      zones: whether the search uses relevance zones.
      records: number of records.

    Raises ValueError if the position is not solved within 200 CPU seconds.
    """
    setup()
    game = make(rule_set)
    state, evaluator = game.parse(opening), shared_evaluator(game, zones=zones)
    result = solve(
        game, state, out=folder / "search", limits=Limits(cpu_seconds=200), evaluator=evaluator
    )
    if result.verdict is Verdict.UNKNOWN:
        raise ValueError(f"{rule_set} {opening}: undecided, so there is no proof to collect")
    mover = int(game.to_move(state))
    claim = (
        Claim(mover) if result.verdict is Verdict.PROVED else Claim(mover).opposite(game.may_draw)
    )
    zone_words, rng = evaluator.zone_words, np.random.default_rng(0)
    question: dict[str, object] = {
        "rules": game.rule_set,
        "claim": Claim(mover).text(game.players),
        "canonical": False,
    }
    with_all = ProofLog(question, game.state_words, folder / "search" / "proof.log", zone_words)
    real = np.concatenate(list(with_all.blocks()))
    with_all.close()
    log = ProofLog(question, game.state_words, folder / "proof.log", zone_words, memory_mb=512)
    for at in range(0, records, BLOCK):
        count = min(BLOCK, records - at)
        mixed = real[rng.integers(0, len(real), count)]
        mixed[:, : game.state_words] = rng.integers(
            0, 1 << 32, (count, game.state_words), dtype=np.uint32
        )
        part = real[at * len(real) // records : (at + count) * len(real) // records]
        places = (
            np.sort(rng.choice(count, len(part), replace=False))
            if len(part) <= count
            else np.arange(count)
        )
        mixed[places] = part[: len(places)]
        log.append(*log.split(mixed))
        log.flush()
    log.close()
    (folder / "question.json").write_text(json.dumps({"log": question, "player": claim.player}))


def collect(folder: Path, rule_set: str, opening: str, zones: bool, memory_mb: int) -> None:
    """Makes the certificate from the log in ``folder``, and prints its CPU time and memory.

    Prints the peak memory of the process, and its increase after the rules were compiled.

    Args:
      folder: folder that ``long_log`` has filled.
      rule_set: id of the rule set.
      opening: text of the position.
      zones: whether the search used relevance zones.
      memory_mb: memory for the collection of the proof.
    """
    setup()
    game = make(rule_set)
    evaluator, state = shared_evaluator(game, zones=zones), game.parse(opening)
    shared_evaluator(game, autoplay=False, zones=zones)(
        np.tile(np.asarray(game.pack(state)), (64, 1)), np.full(64, -1, np.int32)
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    question = json.loads((folder / "question.json").read_text())
    start = cpu_seconds()
    zone_words = evaluator.zone_words
    log = ProofLog(question["log"], game.state_words, folder / "proof.log", zone_words, memory_mb)
    opened = cpu_seconds() - start
    root, path = np.asarray(game.pack(state)), folder / "proof.jsonl.gz"
    found = Decided(game, evaluator, log, Claim(question["player"]), root, path)
    proof = certify(found, memory_mb=memory_mb)
    spent, after = cpu_seconds() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    check = proof.checked.cpu_seconds if proof.checked else 0.0
    print(
        f"{rule_set}: {len(log):,} records, {(folder / 'proof.log').stat().st_size / 1e9:.2f} GB; "
        f"certificate of {proof.nodes:,} nodes in {spent:.1f} CPU s "
        f"(opening the log {opened:.1f}, the check {check:.1f}); "
        f"peak memory {after / 1024:.0f} MB, {(after - before) / 1024:.0f} MB of it for this"
    )


def main(rule_set: str, opening: str, records: int, memory_mb: int, zones: bool) -> None:
    """Makes the log in one process and the certificate in another process.

    The search thus does not affect the peak memory of the process that makes the certificate.
    """
    with tempfile.TemporaryDirectory() as name:
        for step in (long_log, collect):
            size = records if step is long_log else memory_mb
            process = multiprocessing.get_context("spawn").Process(
                target=step, args=(Path(name), rule_set, opening, zones, size)
            )
            process.start()
            process.join()


if __name__ == "__main__":
    main(
        sys.argv[1],
        sys.argv[2],
        int(float(sys.argv[3])),
        int(sys.argv[4]),
        "plain" not in sys.argv[5:],
    )
