"""What a trainer gains: real workers and a real trainer in simulated time.

Usage: ``python -m jaxsolve.bench.timed_learning PROBLEMS.json[:ID,ID] VARIANT [VARIANT ...]``. A
variant is ``none``, ``cp``, ``sp`` or ``cp+sp`` (``cluster solve --learn``). ``cp*4@1`` is a
trainer as fast as four cores, and the seed 1.

The simulated time is that of a machine with a core for the manager, each of two workers, and the
trainer (``timed_workers``). So the number of weight versions in a run does not depend on what else
the machine does. The options are those of ``configs/solving/cluster_learning_cpu.yaml``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import NamedTuple

from jaxsolve.bench.timed_workers import timed
from jaxsolve.cluster.solving import ClusterOptions
from jaxsolve.cluster.trainer_options import TrainerOptions
from jaxsolve.core.process import setup
from jaxsolve.formats import problems as problem_sets
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


def main(problems: str, variants: Sequence[str]) -> None:
    """Prints a JSON line for each problem and variant."""
    setup()
    file, colon, ids = problems.rpartition(":")
    named = bool(colon) and file.endswith(".json")
    chosen = problem_sets.load(file, ids=ids.split(",")) if named else problem_sets.load(problems)
    for problem in chosen:
        for each in map(Variant.read, variants):
            settings = Settings(
                method="mcts",
                heads=Guide(shipped.chosen(problem.game)),
                limits=Limits(nodes=NODES),
                seed=each.seed,
            )
            found = timed(problem, each.options(), settings, each.speed)
            row = {k: round(v, 2) if isinstance(v, float) else v for k, v in found.items()}
            print(json.dumps({"problem": problem.id} | each._asdict() | row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
