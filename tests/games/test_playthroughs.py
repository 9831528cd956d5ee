"""Golden records: replaying a recorded game move by move reproduces its record exactly."""

import pytest

from jaxsolve.games import available, describe
from support import playthrough

RECORDS = sorted(playthrough.FOLDER.glob("*.txt"))
# Records that are also replayed on the other supported Python.
SHORT = ("awari", "hex-5", "knightthrough-8", "loa-8", "minishogi")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.smoke] * (path.stem in SHORT))
        for path in RECORDS
    ],
)
def test_replaying_a_record_reproduces_it(path):
    record = path.read_text()
    assert playthrough.write(*playthrough.read(record)) == record


def test_the_records_of_the_short_part_exist():
    assert {path.stem for path in RECORDS} >= set(SHORT)


def test_every_family_has_a_record():
    rules = [
        path.read_text().splitlines()[0].removeprefix("rules ")
        for path in playthrough.FOLDER.glob("*.txt")
    ]
    for base in available():
        assert any(rule_set.startswith(describe(base).stem) for rule_set in rules), base


def test_an_illegal_move_is_not_replayed():
    game, start, moves = playthrough.read((playthrough.FOLDER / "hex-5.txt").read_text())
    with pytest.raises(ValueError, match="Move 2"):
        playthrough.write(game, start, [moves[0], moves[0]])
