"""The network in training: flax modules with batch normalisation.

``ResidualNetwork.folded`` returns the plain parameters that searches use.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from jaxsolve.networks.architecture import Architecture, Value
from jaxsolve.networks.convolution import as_product
from jaxsolve.networks.forward import Outputs

MOMENTUM, EPSILON = 0.9, 1e-5  # of batch normalisation, as in the proof-cost-network program


class Normalised(nnx.Module):
    """A convolution of ``size`` x ``size`` cells without a bias, then batch normalisation."""

    def __init__(self, inner: int, out: int, size: int, rngs: nnx.Rngs):
        convolution = as_product if jax.default_backend() == "cpu" else jax.lax.conv_general_dilated
        self.conv: Any = nnx.Conv(
            inner, out, (size, size), use_bias=False, conv_general_dilated=convolution, rngs=rngs
        )
        self.norm: Any = nnx.BatchNorm(out, momentum=MOMENTUM, epsilon=EPSILON, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.norm(self.conv(x))

    def load(self, layer: dict[str, Any], x: jax.Array) -> jax.Array:
        """Sets the weights from a folded ``layer``.

        The running means and variances are computed from the inputs ``x``. Returns the outputs for
        ``x``, [B, H, W, out]. They equal those of the folded layer.
        """
        kernel, bias = jnp.asarray(layer["kernel"]), jnp.asarray(layer["bias"])
        self.conv.kernel[...] = kernel.reshape(self.conv.kernel.shape)
        found = self.conv(x)
        mean, variance = found.mean((0, 1, 2)), found.var((0, 1, 2))
        self.norm.mean[...], self.norm.var[...] = mean, variance
        self.norm.scale[...], self.norm.bias[...] = jnp.sqrt(variance + EPSILON), bias + mean
        return found + bias[None, None, None]

    def folded(self) -> dict[str, jax.Array]:
        """Returns the kernel and bias of an equivalent layer without normalisation.

        The outputs equal those of this layer with its current running means and variances. A 1x1
        convolution becomes a dense layer over channels.
        """
        norm = self.norm
        scale = norm.scale[...] / jnp.sqrt(norm.var[...] + EPSILON)
        kernel = self.conv.kernel[...] * scale[None, None, None]
        return {
            "kernel": kernel[0, 0] if kernel.shape[:2] == (1, 1) else kernel,
            "bias": norm.bias[...] - norm.mean[...] * scale,
        }


class Block(nnx.Module):
    """Two convolutions with a residual connection."""

    def __init__(self, channels: int, rngs: nnx.Rngs):
        self.first = Normalised(channels, channels, 3, rngs)
        self.second = Normalised(channels, channels, 3, rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return nnx.relu(x + self.second(nnx.relu(self.first(x))))

    def load(self, block: dict[str, Any], x: jax.Array) -> jax.Array:
        return nnx.relu(
            x + self.second.load(block["second"], nnx.relu(self.first.load(block["first"], x)))
        )

    def folded(self) -> dict[str, Any]:
        return {"first": self.first.folded(), "second": self.second.folded()}


class Head(nnx.Module):
    """A 1x1 convolution, an optional hidden layer, and a dense layer to the outputs."""

    def __init__(
        self,
        shape: Architecture,
        channels: int,
        out: int,
        rngs: nnx.Rngs,
        hidden: int | None = None,
    ):
        width = shape.height * shape.width * channels
        self.cells = Normalised(shape.channels, channels, 1, rngs)
        self.hidden = None if hidden is None else nnx.Linear(width, hidden, rngs=rngs)
        self.out = nnx.Linear(width if hidden is None else hidden, out, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        x = nnx.relu(self.cells(x)).reshape(len(x), -1)
        return self.out(x if self.hidden is None else nnx.relu(self.hidden(x)))

    def load(self, head: dict[str, Any], x: jax.Array) -> None:
        self.cells.load(head["cells"], x)
        for name in ("hidden", "out"):
            if (layer := getattr(self, name)) is not None:
                layer.kernel[...], layer.bias[...] = (
                    jnp.asarray(head[name]["kernel"]),
                    jnp.asarray(head[name]["bias"]),
                )

    def folded(self) -> dict[str, Any]:
        layers = {
            name: getattr(self, name)
            for name in ("hidden", "out")
            if getattr(self, name) is not None
        }
        return {"cells": self.cells.folded()} | {
            name: {"kernel": x.kernel[...], "bias": x.bias[...]} for name, x in layers.items()
        }


class ResidualNetwork(nnx.Module):
    """The flax module of an architecture; ``rngs`` draws its initial weights.

    >>> from jaxsolve.networks import Architecture, Forward, Value
    >>> shape = Architecture(3, 3, 4, 9, blocks=1, channels=8, value=Value(hidden=16))
    >>> network = ResidualNetwork(shape, rngs=nnx.Rngs(0))
    >>> network(jnp.ones((2, 3, 3, 4))).policy.shape
    (2, 9)
    """

    def __init__(self, architecture: Architecture, *, rngs: nnx.Rngs):
        shape = self.architecture = architecture
        self.stem = Normalised(shape.planes, shape.channels, 3, rngs)
        self.blocks = nnx.List([Block(shape.channels, rngs) for _ in range(shape.blocks)])
        self.policy = Head(shape, shape.policy.channels, shape.actions, rngs)
        self.value = None if shape.value is None else _value_head(shape, shape.value, rngs)
        cost, within = shape.cost, shape.within
        self.cost = (
            None
            if cost is None
            else nnx.List([Head(shape, cost.channels, cost.bins, rngs) for _ in range(2)])
        )
        self.within = None if within is None else Head(shape, within.channels, within.moves, rngs)

    def __call__(self, planes: jax.Array) -> Outputs:
        """Returns the raw outputs of the heads for planes [B, H, W, C] of any dtype.

        After ``train()`` the module normalises by the batch, after ``eval()`` by the running means.
        """
        x = nnx.relu(self.stem(planes.astype(jnp.float32)))
        for block in self.blocks:
            x = block(x)
        return Outputs(
            policy=self.policy(x),
            value=None if self.value is None else jnp.tanh(self.value(x)[:, 0]),
            cost=None if self.cost is None else jnp.stack([head(x) for head in self.cost], axis=1),
            within=None if self.within is None else self.within(x),
        )

    def load(self, params: Any, planes: jax.Array) -> None:
        """Sets the initial weights of training from the parameters of a network.

        ``params`` has the structure of ``Architecture.shapes``, with folded normalisation. The
        running means and variances are therefore computed from ``planes`` [B, H, W, C]. This
        changes the outputs only slightly.
        """
        x = planes.astype(jnp.float32)
        x = nnx.relu(self.stem.load(params["stem"], x))
        for block, layers in zip(self.blocks, params["blocks"], strict=True):
            x = block.load(layers, x)
        heads = {"policy": self.policy, "value": self.value, "within": self.within}
        for name, head in heads.items():
            if head is not None:
                head.load(params[name], x)
        for head, layers in zip(self.cost or (), params.get("cost", ()), strict=True):
            head.load(layers, x)

    def folded(self) -> dict[str, Any]:
        """Returns the parameters in the structure of ``Architecture.shapes``.

        With them ``Forward`` computes the same outputs as this module after ``eval()``.
        """
        parts: dict[str, Any] = {
            "stem": self.stem.folded(),
            "blocks": [block.folded() for block in self.blocks],
            "policy": self.policy.folded(),
        }
        if self.value is not None:
            parts["value"] = self.value.folded()
        if self.cost is not None:
            parts["cost"] = [head.folded() for head in self.cost]
        if self.within is not None:
            parts["within"] = self.within.folded()
        return parts


def _value_head(shape: Architecture, value: Value, rngs: nnx.Rngs) -> Head:
    return Head(shape, value.channels, 1, rngs, value.hidden)
