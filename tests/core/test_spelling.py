"""Misspelt words: the number of edits, and the name that is meant."""

from __future__ import annotations

import pytest

from jaxsolve.core import spelling


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [("", "", 0), ("", "ab", 2), ("solve", "sovle", 1), ("abc", "ca", 3), ("komi", "kom", 1)],
)
def test_the_distance_counts_edits_and_swaps_of_neighbours(one, other, edits):
    assert spelling.distance(one, other) == spelling.distance(other, one) == edits


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("sovle", "solve"),
        ("SOLV", "solve"),
        ("--resum", "--resume"),
        ("kom", "komi"),
        ("weather", None),
        ("s", None),
        ("", None),
    ],
)
def test_a_name_is_meant_only_if_it_is_near(wrong, meant):
    assert spelling.nearest(wrong, ["solve", "suite", "--resume", "--rule", "ko", "komi"]) == meant
    assert spelling.nearest(wrong, []) is None


def test_a_hint_ends_a_sentence_with_the_name_that_is_meant():
    assert spelling.hint("sovle", ["solve", "suite"]) == "; did you mean 'solve'?"
    assert spelling.hint("weather", ["solve", "suite"]) == ""
