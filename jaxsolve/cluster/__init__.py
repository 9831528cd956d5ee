"""A search on many processes or machines: a manager, and workers whose reports it checks."""

from jaxsolve.cluster.solving import ClusterOptions, Run

__all__ = ["ClusterOptions", "Run"]
