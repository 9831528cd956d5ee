"""Batching of kernels on words-first sets: fast on one board and on a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from jaxsolve.core import lazy_import
from jaxsolve.core.lazy_import import jax, jnp

traced_once = lazy_import.jit(static_argnums=0, inline=True)
"""Decorator of a game's method: it is traced once for equal games and argument types."""


def batch_last(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """``kernel(rules, *arrays)``, jitted, with ``jax.vmap``'s batch as the LAST axis of each array.

    ``rules`` is static: a game or another frozen, hashable value. ``kernel`` may be a method. It
    must accept extra trailing dimensions in all its arrays (pytrees of them) and return them in all
    its results. A set has few words; with the batch last, the batch fills the vector lanes. A loop
    or branch inside has one condition for the whole batch, without a select per board. A batch of
    one board runs as one board. The function is ``traced_once``.
    """

    @traced_once
    @functools.wraps(kernel)
    def run(rules: Any, *args: Any) -> Any:
        return _run(functools.partial(kernel, rules), args)

    return run


def _run(kernel: Callable[..., Any], args: tuple) -> Any:
    from jax.extend.core import ClosedJaxpr, jaxpr_as_fun

    closed, shape = jax.make_jaxpr(kernel, return_shape=True)(*args)
    result = jax.tree.structure(shape)

    # The kernel's constants are arguments here. A branch or loop that becomes batched may return
    # them with a batch dimension, and ``custom_vmap`` refuses closed-over constants that have one.
    # The rule traces the kernel again, which makes its own constants.
    @jax.custom_batching.custom_vmap
    def call(constants: list[Any], *args: Any) -> Any:
        pure = jaxpr_as_fun(ClosedJaxpr(closed.jaxpr, constants))
        return jax.tree.unflatten(result, pure(*jax.tree.leaves(args)))

    @call.def_vmap
    def _(axis_size: int, batched: list[Any], _: list[Any], *args: Any) -> tuple[Any, Any]:
        batched_args = tuple(batched[1:])
        if axis_size == 1:
            out = _run(
                kernel,
                jax.tree.map(lambda x, is_batched: x[0] if is_batched else x, args, batched_args),
            )
            return jax.tree.map(lambda x: x[None], out), jax.tree.map(lambda _: True, out)

        def to_back(x: jax.Array, is_batched: bool) -> jax.Array:
            return (
                jnp.moveaxis(x, 0, -1)
                if is_batched
                else jnp.broadcast_to(x[..., None], (*jnp.shape(x), axis_size))
            )

        last = jax.tree.map(to_back, args, batched_args)
        axes = _mesh_axes(last)
        out = _run(kernel, last) if axes is None else _on_each_device(kernel, last, axes)
        return jax.tree.map(lambda x: jnp.moveaxis(x, -1, 0), out), jax.tree.map(
            lambda _: True, out
        )

    return call(closed.consts, *args)


def _mesh_axes(args: Any) -> Any:
    """Mesh axes of the batch, the last axis of ``args``, if its type has any; else None."""
    specs = (jax.typeof(x).sharding.spec for x in jax.tree.leaves(args))
    return next((spec[-1] for spec in specs if len(spec) and spec[-1] is not None), None)


def _on_each_device(kernel: Callable[..., Any], args: tuple, axes: Any) -> Any:
    """``kernel`` on each device's share of the batch, without communication between devices."""

    def of(x: Any) -> jax.sharding.PartitionSpec:
        return jax.sharding.PartitionSpec(*(None,) * (len(x.shape) - 1), axes)

    names = set(axes) if isinstance(axes, tuple) else {axes}
    result = jax.eval_shape(
        kernel, *jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), args)
    )
    spread = jax.shard_map(
        kernel,
        in_specs=jax.tree.map(of, args),
        out_specs=jax.tree.map(of, result),
        axis_names=names,
    )
    return spread(*args)


def as_action(action: Any) -> jax.Array:
    """int32[...]: an action of any integer type, so that all compile to one function."""
    return jnp.asarray(action, jnp.int32)


def held(planes: Sequence[jax.Array]) -> list[jax.Array]:
    """The same arrays, of one shape; for one board they become rows of one array in memory.

    On one board an array is a few words. XLA would recompute it for every element that reads it,
    and start one kernel per stored array; one joint array takes one kernel. A batch is left
    unchanged: its values are better in registers.
    """
    if planes[0].ndim > 1:
        return list(planes)
    return list(jax.lax.optimization_barrier(jnp.stack(planes)))
