"""Many machines on one question: a manager and workers, and no statement of theirs is trusted."""

from jaxsolve.cluster.solving import ClusterOptions, Run

__all__ = ["ClusterOptions", "Run"]
