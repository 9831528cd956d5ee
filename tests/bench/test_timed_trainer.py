"""A trainer in simulated time: its answers arrive when a core would have computed them."""

from __future__ import annotations

import itertools

import pytest

from jaxsolve.bench import simulated_workers, timed_trainer
from jaxsolve.bench.simulated_workers import SimulatedClock
from jaxsolve.bench.timed_learning import Variant


class Loop:
    """An iteration takes 3 CPU seconds."""

    cpu = 0.0

    def __init__(self, start):
        self.start, self.added, self.numbers = start, [], itertools.count()

    def add(self, positions):
        self.added.append(positions)

    def update(self):
        Loop.cpu += 3.0
        return f"{self.start} {next(self.numbers)} {len(self.added)}".encode()

    def close(self):
        pass


@pytest.mark.parametrize("speed", [1.0, 2.0])
def test_an_iteration_takes_its_cpu_seconds(monkeypatch, speed):
    monkeypatch.setattr(Loop, "cpu", 0.0)
    monkeypatch.setattr(timed_trainer, "TrainerLoop", Loop)
    for module in (timed_trainer, simulated_workers):
        monkeypatch.setattr(module, "spent", lambda: Loop.cpu)
    clock = SimulatedClock()
    trainer = timed_trainer.TimedTrainer("t", clock, speed)
    clock.wait_until(10.0)
    assert trainer.receive() == []  # it waits for positions
    trainer.send(b"")
    assert trainer.receive() == []
    clock.wait_until(10.0 + 2.9 / speed)
    trainer.send(b"")  # for the next iteration
    assert trainer.receive() == []
    clock.wait_until(10.0 + 3.0 / speed)
    assert trainer.receive() == [b"t 0 1"]
    clock.wait_until(10.0 + 6.0 / speed)
    assert trainer.receive() == [b"t 1 2"]
    assert clock.manager_seconds == 0.0


def test_a_variant_is_read():
    assert Variant.read("cp+sp*4@7") == Variant("cp+sp", 4.0, 7)
    assert Variant.read("none").options().trainer is None
    trainer = Variant.read("sp").options().trainer
    assert trainer is not None and not trainer.online().critical
