"""Further textbook shapes: the command reports the status of the literature, with every proof
accepted.
"""

from __future__ import annotations

import pytest

from support.search import LONG
from support.tsumego_shapes import MORE
from support.tsumego_table import study_json


@pytest.mark.full
@pytest.mark.parametrize("name", MORE if LONG else list(MORE)[::2])
def test_a_shape_stands_as_books_say(name):
    board, *expected = MORE[name]
    found = study_json(board)
    assert [found[f"{side}_first"]["status"] for side in ("black", "white")] == expected
    assert all(row["checked"] for row in found["questions"])
