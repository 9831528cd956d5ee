"""Steps within a search: which are due, which wait for leaves in flight, which continues."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from jaxsolve.search.run.steps import BeforeWave, SearchSteps, WhenExhausted


class Recorder(BeforeWave, WhenExhausted):
    """A step that is always due, waits for idle paths, and counts its applications."""

    def __init__(self, found: int | None = None):
        self.applied, self.found = 0, found

    def is_due(self, search):
        return True

    def apply(self, search):
        self.applied += 1

    def resume(self, search, flight, most):
        self.applied += 1
        return self.found


def search_with(flying: int) -> SimpleNamespace:
    paths = SimpleNamespace(flying=np.array([flying]))
    return SimpleNamespace(verdict=None, work=SimpleNamespace(paths=paths))


def test_steps_wait_for_leaves_in_flight():
    steps, step = SearchSteps(None), Recorder()
    steps.before_wave = [step]
    assert not steps.prepare_wave(search_with(1)) and step.applied == 0
    assert steps.prepare_wave(search_with(0)) and step.applied == 1


def test_an_exhausted_search_takes_the_first_step_that_helps():
    steps = SearchSteps(None)
    steps.when_exhausted = [Recorder(None), Recorder(3), Recorder(5)]
    assert steps.exhausted(search_with(0), 0, 8) == 3
    assert [step.applied for step in steps.when_exhausted] == [1, 1, 0]
