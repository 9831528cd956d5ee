"""Counts XLA compilations."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import jax.monitoring


@contextlib.contextmanager
def compilations() -> Iterator[list[str]]:
    """Yields a list of the functions that XLA compiles inside the context."""
    found: list[str] = []

    def listen(event: str, seconds: float, **facts: object) -> None:
        if event.endswith("backend_compile_duration"):
            found.append(str(facts.get("fun_name", "")))

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield found
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
