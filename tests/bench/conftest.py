"""Fixtures of the benchmarks' tests."""

from __future__ import annotations

import pytest

from jaxsolve.bench import measure


@pytest.fixture(autouse=True)
def short_repeats(monkeypatch):
    """Repeats too short to measure speed, but long enough for a test."""
    monkeypatch.setattr(measure.rates, "__defaults__", (0.01,))
