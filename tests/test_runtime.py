"""What a process does about its own limits."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxsolve import runtime


def compile_some(count: int) -> None:
    for number in range(count):
        jax.jit(lambda x, number=number: jnp.sort(x + number))(jnp.arange(4 + number)).block_until_ready()


def test_what_is_compiled_takes_mappings_and_gives_them_back(monkeypatch) -> None:
    before = runtime.mappings()
    compile_some(20)
    held = runtime.mappings()
    assert held > before + 20
    runtime.make_room_for_code()
    assert runtime.mappings() >= held, "below the limit everything stays"
    monkeypatch.setattr(runtime, "MOST_MAPPINGS", before)
    runtime.make_room_for_code()
    assert runtime.mappings() < held - 20
    compile_some(1)
