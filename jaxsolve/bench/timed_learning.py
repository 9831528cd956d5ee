"""What a trainer gains: real workers and a real trainer in simulated time.

Usage: ``python -m jaxsolve.bench.timed_learning PROBLEMS.json[:ID,ID] VARIANT [VARIANT ...]``. A
variant is ``none``, ``cp``, ``sp`` or ``cp+sp`` (``cluster solve --learn``). ``cp*4@1`` is a
trainer as fast as four cores, and the seed 1.

The simulated time is that of a machine with a core for the manager, each of two workers, and the
trainer (``timed_workers``). So the number of weight versions in a run does not depend on what else
the machine does. The options are those of ``configs/solving/cluster_learning_cpu.yaml``.
"""

from __future__ import annotations

import argparse
import json
from typing import NamedTuple

from jaxsolve.bench.positions import chosen_problems
from jaxsolve.bench.timed_workers import rounded, timed
from jaxsolve.cluster.solving import ClusterOptions
from jaxsolve.cluster.trainer_options import TrainerOptions
from jaxsolve.core.process import setup
from jaxsolve.networks import Guide, shipped
from jaxsolve.search.settings import Limits, Settings

NODES = 600_000
TRAINER = ("games=32", "most_moves=48", "updates=25")


class Variant(NamedTuple):
    """What the trainer learns from ("none": no trainer), its speed in cores, and the seed."""

    learn: str
    speed: float = 1.0
    seed: int = 0

    @classmethod
    def read(cls, text: str) -> Variant:
        """Returns the variant of a text such as ``cp``, ``cp*4`` or ``cp*4@1``."""
        rest, _, seed = text.partition("@")
        learn, _, speed = rest.partition("*")
        return cls(learn, float(speed or 1.0), int(seed or 0))

    def options(self) -> ClusterOptions:
        """Returns the options of the run."""
        trainer = None
        if self.learn != "none":
            trainer = TrainerOptions(learn=self.learn, seconds=0.0, given=TRAINER)
        return ClusterOptions(workers=2, worker_method="mcts", job_nodes=1000, trainer=trainer)


def main() -> None:
    """Prints a JSON line for each problem and variant."""
    parser = argparse.ArgumentParser(prog="python -m jaxsolve.bench.timed_learning")
    parser.add_argument("problems", metavar="PROBLEMS.json[:ID,ID]")
    parser.add_argument("variants", metavar="VARIANT", type=Variant.read, nargs="+")
    arguments = parser.parse_args()
    setup()
    for problem in chosen_problems(arguments.problems):
        for each in arguments.variants:
            settings = Settings(
                method="mcts",
                heads=Guide(shipped.chosen(problem.game)),
                limits=Limits(nodes=NODES),
                seed=each.seed,
            )
            found = timed(problem, each.options(), settings, each.speed)
            row = {"problem": problem.id} | each._asdict() | rounded(found)
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
