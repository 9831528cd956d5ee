"""Sizes of jobs: fixed if given; else a bounded share of the work so far."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxsolve.cluster import ClusterOptions
from jaxsolve.cluster.sizing import LEAST_NODES, SHARE, JobSize


@given(
    st.lists(st.tuples(st.integers(0, 10**7), st.floats(0, 1e4)), max_size=30), st.floats(0.1, 100)
)
def test_a_job_is_a_bounded_share_of_the_work_so_far(jobs, seconds):
    size, nodes, spent = JobSize(seconds=seconds), 0, 0.0
    assert size.next().nodes == LEAST_NODES
    for job in jobs:
        size.add(*job)
        nodes, spent = nodes + job[0], spent + job[1]
        limits = size.next()
        assert LEAST_NODES <= limits.nodes <= max(LEAST_NODES, nodes // SHARE)
        assert 0 < limits.cpu_seconds <= 2 * seconds
        if limits.nodes > LEAST_NODES and spent > 1:  # at the average speed
            assert limits.nodes <= nodes / spent * seconds * 1.000001


@given(st.integers(1, 10**9), st.lists(st.tuples(st.integers(0, 10**9), st.floats(0, 1e6))))
def test_a_given_size_stays(nodes, jobs):
    size = JobSize(nodes)
    for job in jobs:
        size.add(*job)
    assert size.next().nodes == nodes


def test_jobs_grow_until_they_take_the_given_time():
    """1,000 nodes a second: the limit grows to 20,000 nodes for 20 s, and no further."""
    size, found = JobSize(seconds=20.0), []
    for _ in range(400):
        limit = size.next().nodes
        found.append(limit)
        size.add(limit, limit / 1000)
    assert found == sorted(found) and found[-1] == 20_000


@pytest.mark.parametrize(
    "options",
    [
        {"workers": 0},
        {"workers": 8001},
        {"backend": "threads"},
        {"address": "auto"},
        {"job_nodes": 0},
        {"job_seconds": 0},
        {"job_seconds": 1e308},
        {"job_seconds": float("nan")},
    ],
)
def test_options_that_are_none_are_refused_with_their_name(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        ClusterOptions(**options)
