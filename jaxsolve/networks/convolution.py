"""Convolutions over a board, in the form that is fastest on each device.

All functions take x [B, H, W, in] and a kernel [h, w, in, out] with odd h and w. They pad with
zeros and return [B, H, W, out].
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import jax
import jax.numpy as jnp


def convolved(x: jax.Array, kernel: jax.Array) -> jax.Array:
    """Returns the convolution float32[B, H, W, out] of float32 or bfloat16 arrays, for inference.

    On a CPU, bfloat16 is computed as a matrix product (``by_columns``). Everything else uses XLA's
    convolution. The choice depends on the device on which the compiled code runs.
    """
    if x.dtype != jnp.bfloat16:
        return as_xla_has_it(x, kernel)
    return jax.lax.platform_dependent(
        x,
        kernel,
        cpu=by_columns,
        default=lambda x, kernel: as_xla_has_it(x, kernel).astype(jnp.float32),
    )


def as_xla_has_it(x: jax.Array, kernel: jax.Array) -> jax.Array:
    """Returns XLA's own convolution, in the dtype of ``x``."""
    return jax.lax.conv_general_dilated(
        x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def by_columns(x: jax.Array, kernel: jax.Array) -> jax.Array:
    """Returns the convolution of bfloat16 arrays as one matrix product, for CPUs with AMX.

    The result is float32[B, H, W, out]. XLA's CPU convolution converts bfloat16 to float32 first. A
    matrix product that accumulates in float32 uses the AMX instructions instead. Whole networks
    then run 1.5 times (64 channels) to 3 times (256 channels) as fast.

    Each cell is concatenated with the cells above and below it, and the products for the
    neighbouring columns are added. Concatenating all neighbours (``as_product``) would cost as much
    time in copies as the product saves.
    """
    (high, wide, planes, out), (count, height, width, _) = kernel.shape, x.shape
    around = jnp.pad(x, ((0, 0), (high // 2, high // 2), (wide // 2, wide // 2), (0, 0)))
    column = jnp.concatenate([around[:, row : row + height] for row in range(high)], axis=-1)
    weights = kernel.transpose(0, 2, 1, 3).reshape(high * planes, wide * out)
    parts = jnp.matmul(
        column.reshape(-1, high * planes), weights, preferred_element_type=jnp.float32
    ).reshape(count, height, -1, wide, out)
    return functools.reduce(operator.add, [parts[:, :, at : at + width, at] for at in range(wide)])


def as_product(x: jax.Array, kernel: jax.Array, *_: Any, **__: Any) -> jax.Array:
    """Returns the convolution as one matrix product, in the dtype of ``x``, for learning on a CPU.

    The function has the signature of ``conv_general_dilated``, so that flax can call it. Learning
    runs inside a compiled loop. On a CPU the gradient of XLA's own convolution takes about ten
    times as long in such a loop. The matrix product stores each input once for each cell of the
    kernel, which triples the memory of a step. Other devices therefore use XLA's convolution.
    """
    (high, wide), (height, width) = kernel.shape[:2], x.shape[1:3]
    around = jnp.pad(x, ((0, 0), (high // 2, high // 2), (wide // 2, wide // 2), (0, 0)))
    near = [
        around[:, row : row + height, column : column + width]
        for row in range(high)
        for column in range(wide)
    ]
    return jnp.concatenate(near, axis=-1) @ kernel.reshape(-1, kernel.shape[-1])
