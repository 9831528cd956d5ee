"""The name that a misspelt word most likely means."""

from __future__ import annotations

from collections.abc import Iterable


def distance(one: str, other: str) -> int:
    """Returns the number of edits between two words (optimal string alignment).

    An edit inserts, deletes or replaces a character, or swaps two neighbours.
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        here = [i]
        for j, b in enumerate(other, start=1):
            here.append(min(last[j] + 1, here[j - 1] + 1, last[j - 1] + (a != b)))
            if i > 1 and j > 1 and (a, one[i - 2]) == (other[j - 2], b):
                here[j] = min(here[j], before[j - 2] + 1)
        before, last = last, here
    return last[-1]


def nearest(wrong: str, names: Iterable[str]) -> str | None:
    """Returns the name with the fewest edits from ``wrong``, or None if no name is near.

    A name is near if at most a third of the letters and digits of ``wrong`` are edited. Upper and
    lower case are equal. Of equally near names the one that begins like ``wrong`` is returned.
    """
    most = (sum(map(str.isalnum, wrong)) + 1) // 3
    found = []
    for name in names:
        edits = distance(wrong.lower(), name.lower())
        if edits <= most:
            found.append((edits, -_shared_start(wrong.lower(), name.lower()), name))
    return min(found)[2] if found else None


def hint(wrong: str, names: Iterable[str]) -> str:
    """Returns the end of an error message about the unknown name ``wrong``: the name it may mean.

    Returns an empty string if none of the existing ``names`` is near.
    """
    near = nearest(wrong, names)
    return "" if near is None else f"; did you mean {near!r}?"


def _shared_start(one: str, other: str) -> int:
    """Returns the number of characters with which both words begin."""
    pairs = list(zip(one, other, strict=False))
    return next((i for i, (a, b) in enumerate(pairs) if a != b), len(pairs))
