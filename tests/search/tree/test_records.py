"""Records from files: a file with a right digest is refused or harmless."""

from __future__ import annotations

import random
import shutil
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from jaxsolve.games.game import Game, State
from jaxsolve.games.zones import COVER_FLAG
from jaxsolve.proof.log import CHUNK, MAGIC, ProofLogError
from jaxsolve.proof.record_checks import are_records, zone_words_of
from jaxsolve.search import Claim, Limits, PatternsError, SharedPatterns, Verdict, solve
from jaxsolve.search.run.records import LOG
from support.cli import run
from support.plain_hex import make
from support.search import LONG

CAP = "tsumego-3;goal=kill;defender=white;crucial=B2"
QUESTIONS = {  # rule set, position, claim
    "tsumego": (CAP, "XXO/.O./OOX b", Claim(0)),
    "life": ("tsumego-3;goal=live;defender=white", ".../.X./... w", Claim(1)),
    "slither": ("slither-3", ".../.../... b", Claim(0)),
    "hex": ("hex-5", "...../...../...../...../..... b", Claim(1)),
    "gomoku": ("gomoku-3;line=3;win=five-or-more;knowledge=ndk", "", Claim(1, "does-not-lose")),
    "awari": ("awari;rules=ludii", "0,0,0,3,2,0/0,1,3,0,0,2 s captured=18:19", Claim(0)),
    "knightthrough": ("knightthrough-5;rules=forward", "", Claim(0)),
    "loa": ("loa-4;simultaneous=draw;no_moves=pass", "", Claim(0)),
}
WITH_PATTERNS = ["tsumego", "life", "slither"]
LIMITS, FILES = Limits(nodes=150), 10_000 if LONG else 240


class Question(NamedTuple):
    """A question with its answer, UNKNOWN where the search for it is long."""

    game: Game
    state: State
    claim: Claim
    verdict: Verdict

    def ask(self, **options):
        """The result of a short search; it never contradicts the answer."""
        options = {"method": "dfpn", "limits": LIMITS, **options}
        result = solve(self.game, self.state, claim=self.claim, **options)
        assert Verdict.UNKNOWN in (result.verdict, self.verdict) or result.verdict is self.verdict
        return result


def question(name: str) -> Question:
    rule_set, text, claim = QUESTIONS[name]
    game = make(rule_set)
    state = game.parse(text) if text else game.init()
    verdict = solve(game, state, claim=claim, limits=Limits(nodes=3_000)).verdict
    return Question(game, state, claim, verdict)


def words(rng: random.Random, *shape: int) -> np.ndarray:
    return np.random.default_rng(rng.getrandbits(32)).integers(0, 1 << 32, shape, np.uint32)


def changed(rng: random.Random, game: Game, records: np.ndarray) -> np.ndarray:
    """Records of which some are damaged, from single bits to whole words."""
    records, states = records.copy(), game.state_words
    rows = rng.sample(range(len(records)), rng.randint(1, min(len(records), 20)))
    kind = rng.randrange(9)
    for row in rows:
        record, at = records[row], rng.randrange(records.shape[1])
        if kind == 0:
            record[:] = words(rng, len(record))
        elif kind == 1:
            record[at] = words(rng, 1)[0]
        elif kind == 2:
            record[at] ^= np.uint32(1 << rng.randrange(32))
        elif kind == 3:
            record[states] = np.uint32(rng.randrange(-1, game.num_actions) & 0xFFFFFFFF)
        elif kind == 4:
            record[states] = np.uint32(
                rng.choice([1, -1]) * (COVER_FLAG | rng.getrandbits(30)) & 0xFFFFFFFF
            )
        elif kind == 5:
            record[states + 1 :] &= words(rng, records.shape[1] - states - 1)
        elif kind == 6:  # stones are taken away; where both sets had none, nothing changes
            record[: states - 1] &= words(rng, states - 1) | words(rng, states - 1)
        elif kind == 7:
            record[:states] = records[rng.randrange(len(records)), :states]
        else:
            record[states:] = records[rng.randrange(len(records)), states:]
    if rng.random() < 0.2:
        records = records[words(rng, rng.randint(1, 60)) % len(records)]
    return records


# ---- files of patterns ---------------------------------------------------------------------------
def patterns_file(path: Path, name: str) -> tuple[Question, SharedPatterns]:
    """A file of patterns that a search has filled; further saves have right digests, too."""
    path.unlink(missing_ok=True)
    asked, patterns = question(name), SharedPatterns(path)
    asked.ask(patterns=patterns, limits=Limits(nodes=3000))
    assert len(patterns) > 20
    return asked, patterns


def saved(patterns: SharedPatterns) -> Path:
    patterns._changed = True
    patterns.save()
    return patterns.path


@pytest.mark.parametrize("name", WITH_PATTERNS)
def test_a_damaged_file_of_patterns_is_refused_or_gives_no_wrong_answer(name, tmp_path):
    asked, patterns = patterns_file(tmp_path / "patterns.npz", name)
    (held,) = patterns._questions.values()
    whole, ages, refused, used = held.records, held.ages, 0, 0
    patterns._unlock()
    for number in range(FILES // len(WITH_PATTERNS)):
        rng = random.Random(f"{name} {number}")
        held.records = changed(rng, asked.game, whole)
        held.ages = np.resize(ages, len(held.records))
        try:
            loaded = SharedPatterns(saved(patterns))
        except PatternsError as error:
            assert "that no search of" in str(error)
            refused += 1
            continue
        loaded._unlock()
        loaded.path = None
        asked.ask(patterns=loaded)
        used += 1
    assert refused > FILES // 12 and used > FILES // 12, (refused, used)


def test_numbers_out_of_range_in_a_file_of_patterns_are_refused(tmp_path):
    _, patterns = patterns_file(tmp_path / "patterns.npz", "tsumego")
    (held,) = patterns._questions.values()
    age, ages = patterns._age, held.ages
    patterns._unlock()
    for patterns._age, held.ages in (
        (1 << 70, ages),
        (-1, np.minimum(ages, -1)),
        (True, np.minimum(ages, 1)),
        (age, ages - age - 1),
        (age, ages + age + 1),
    ):
        with pytest.raises(PatternsError, match="or is damaged"):
            SharedPatterns(saved(patterns))


def test_a_point_with_two_stones_is_refused_by_the_command(tmp_path):
    asked, patterns = patterns_file(tmp_path / "patterns.npz", "tsumego")
    (held,) = patterns._questions.values()
    held.records[:, 1] |= held.records[:, 0]
    file = saved(patterns)
    patterns._unlock()
    text = asked.game.text(asked.state)
    refused = run("solve", text, "--game", CAP, "--patterns", file)
    assert refused.exit_code == 2 and "holds a record that no search of tsumego-3" in refused.stderr
    assert "Traceback" not in refused.stderr


# ---- proof logs ----------------------------------------------------------------------------------
def write_log(path: Path, records: np.ndarray) -> None:
    """Replaces the records of a log; checksums are right."""
    header = path.read_bytes().split(b"\n", 1)[0] + b"\n"
    data = np.ascontiguousarray(records).tobytes()
    path.write_bytes(header + CHUNK.pack(MAGIC, len(records), zlib.crc32(data)) + data)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_damaged_log_is_refused_or_gives_no_wrong_answer(name, tmp_path):
    asked, first = question(name), tmp_path / "first"
    asked.ask(out=first, limits=Limits(nodes=3000))
    header, body = (first / LOG).read_bytes().split(b"\n", 1)
    zones = zone_words_of(asked.game) if b'"zone_words": 0' not in header else 0
    width, parts = asked.game.state_words + 1 + zones, []
    while body:
        size = CHUNK.size + 4 * width * CHUNK.unpack(body[: CHUNK.size])[1]
        parts.append(np.frombuffer(body[CHUNK.size : size], np.uint32).reshape(-1, width))
        body = body[size:]
    whole, refused, used = np.concatenate(parts), 0, 0
    for number in range(FILES // len(QUESTIONS)):
        rng, folder = random.Random(f"{name} {number}"), tmp_path / "again"
        shutil.copytree(first, folder)
        for file in folder.glob("proof.jsonl*"):
            file.unlink()
        write_log(folder / LOG, changed(rng, asked.game, whole))
        try:
            asked.ask(out=folder, resume=True)
            used += 1
        except ProofLogError as error:
            assert "holds a record that no search of this question writes" in str(error)
            refused += 1
        shutil.rmtree(folder)
    assert refused > FILES // 50 and used > FILES // 50, (refused, used)


def test_an_impossible_record_is_refused_by_the_command(tmp_path):
    asked, out = question("tsumego"), tmp_path / "run"
    asked.ask(out=out)
    _, body = (out / LOG).read_bytes().split(b"\n", 1)
    width = asked.game.state_words + 1 + zone_words_of(asked.game)
    count = CHUNK.unpack(body[: CHUNK.size])[1]
    data = np.frombuffer(body[CHUNK.size : CHUNK.size + 4 * width * count], np.uint32)
    records = data.reshape(-1, width).copy()
    records[0, 1] |= records[0, 0]
    write_log(out / LOG, records)
    text = asked.game.text(asked.state)
    refused = run("solve", text, "--game", CAP, "--out", out, "--resume")
    assert refused.exit_code == 2 and "holds a record that no search" in refused.stderr
    assert "Traceback" not in refused.stderr


# ---- the check itself ----------------------------------------------------------------------------
def test_a_record_with_a_stray_bit_or_a_move_out_of_range_is_none():
    game = make(CAP)
    state, zones = game.host_pack(game.parse("XXO/.O./OOX b")), zone_words_of(game)
    good = np.concatenate([state, np.zeros(1 + zones, np.uint32)])[None]
    assert are_records(game, zones, good)
    for move in (-1, game.num_actions - 1, COVER_FLAG, ~COVER_FLAG):
        good[0, game.state_words] = np.uint32(move & 0xFFFFFFFF)
        assert are_records(game, zones, good)
    good[0, game.state_words] = game.num_actions
    assert not are_records(game, zones, good)
    good[0, game.state_words], good[0, -1] = 0, 1 << 10  # the pass is action 9
    assert not are_records(game, zones, good)
