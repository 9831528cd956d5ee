"""Batching of kernels on sets whose words are the first axis, for one board and for a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from jaxsolve.core import lazy_import
from jaxsolve.core.lazy_import import jax, jnp

traced_once = lazy_import.jit(static_argnums=0, inline=True)
"""Decorator: JAX traces a game's method only once for equal games and argument types."""


def batch_last(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: jits ``kernel(rules, *arrays)``; ``jax.vmap`` puts the batch on the LAST axis.

    ``rules`` is static: a game or another frozen, hashable value. ``kernel`` may be a method. It
    must accept extra trailing dimensions in all its arguments (pytrees of arrays) and return them
    in all its results.

    A set has few words. With the batch on the last axis, the batch fills the vector lanes. A loop
    or branch in the kernel has one condition for the whole batch, without a select for each board.
    A batch of one board runs as one board. The kernel is traced once for equal rules and argument
    types.
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

    # The constants of the kernel are arguments of ``call``. If a branch or loop becomes batched, it
    # may return the constants with a batch dimension. ``custom_vmap`` does not accept closed-over
    # constants with a batch dimension. The batching rule traces the kernel again and makes new
    # constants.
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
    """Returns the mesh axes of the batch, the last axis of ``args``.

    Returns None if the batch is not sharded.
    """
    specs = (jax.typeof(x).sharding.spec for x in jax.tree.leaves(args))
    return next((spec[-1] for spec in specs if len(spec) and spec[-1] is not None), None)


def _on_each_device(kernel: Callable[..., Any], args: tuple, axes: Any) -> Any:
    """Runs ``kernel`` on each device for its part of the batch, without communication.

    ``axes`` are the mesh axes of the batch.
    """

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
    """Returns an action of any integer type as int32[...].

    Callers then compile only once for all integer types.
    """
    return jnp.asarray(action, jnp.int32)


def held(planes: Sequence[jax.Array]) -> list[jax.Array]:
    """Returns the arrays unchanged, and prevents XLA from recomputing them for one board.

    All arrays have the same shape. For one board, each array has a few words. XLA would recompute
    such an array for every element that reads it, and store each array with a separate kernel.
    Stacked to one array they need a single kernel. The arrays of a batch are returned without this
    step, because there recomputation in registers is faster.
    """
    if planes[0].ndim > 1:
        return list(planes)
    return list(jax.lax.optimization_barrier(jnp.stack(planes)))
