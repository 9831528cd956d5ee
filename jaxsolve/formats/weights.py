"""Imports published network weights from files of arrays.

Source: "AlphaZero-based proof cost network to aid game solving" (Wu et al., ICLR 2022). The arrays
in the files have PyTorch's names and layouts. Convolutions are [out, in, 3, 3]. Rows are numbered
from the bottom of the board. Each convolution is followed by a batch normalisation with stored
means and variances.

The imported networks number rows from the top, so kernels are flipped and dense layers reordered.
The batch normalisations are folded into the convolutions.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from jaxsolve.core import process
from jaxsolve.games.game import Game
from jaxsolve.games.registry import make
from jaxsolve.networks.architecture import Architecture, Cost, Policy, Value, View
from jaxsolve.networks.archive import MAX_NUMBERS, UNREADABLE, Archive
from jaxsolve.networks.network import Network

EPSILON = 1e-5  # of the batch normalisations in the files
LIKE: dict[str, str] = {
    "go_AZ": "killallgo-9",
    "go_B-heur": "killallgo-9",
    "go_B-max": "killallgo-9",
    "go_W-heur": "killallgo-9",
    "go_W-max": "killallgo-9",
    "gomoku_AZ": "gomoku-15;knowledge=ndk",
    "gomoku_AZ-4T": "gomoku-15;knowledge=4t",
}
"""The published networks that can be imported, each with the rule-set id of its game."""
HISTORY = 8  # boards in the input of the Go networks


def import_weights(file: Path, like: str) -> Network:
    """Imports a network from an ``.npz`` file of arrays.

    Args:
      file: the file.
      like: name of the published network whose architecture the file has, a key of ``LIKE``.

    Raises:
      ValueError: ``like`` is unknown, or the file does not fit it.
      OSError: the file cannot be read.
    """
    if like not in LIKE:
        raise ValueError(
            f"no published network is called {like!r}: choose one of {', '.join(LIKE)}"
        )
    game = make(LIKE[like])
    try:
        with process.defer_interrupts(), Archive(file) as archive:
            headers = {name: archive.header(name) for name in archive.names}
            if (total := sum(header.size for header in headers.values())) > MAX_NUMBERS:
                raise ValueError(f"its arrays declare {total} numbers, more than {MAX_NUMBERS}")
            weights = {
                name: archive.floats(name)
                for name, header in headers.items()
                if header.dtype.kind == "f"  # skips PyTorch's batch counters, which are integers
            }
    except UNREADABLE as error:
        raise ValueError(f"{file} is no .npz file of arrays: {error}") from None
    try:
        return _network(weights, like, game)
    except KeyError as error:
        raise ValueError(f"{file} has no {error.args[0]}, which weights like {like} have") from None
    except (ValueError, IndexError, TypeError) as error:
        raise ValueError(f"{file} is not like {like}: {error}") from None


def _network(weights: Mapping[str, np.ndarray], name: str, game: Game) -> Network:
    architecture = _architecture(weights, name, game)
    board, blocks = (architecture.height, architecture.width), architecture.blocks
    value, cost = architecture.value, architecture.cost
    params: dict[str, Any] = {
        "stem": _convolution(weights, "conv", "bn"),
        "blocks": [
            {
                part: _convolution(weights, f"res{block}.conv{i}", f"res{block}.bn{i}")
                for i, part in ((1, "first"), (2, "second"))
            }
            for block in range(1, blocks + 1)
        ],
        "policy": {
            "cells": _cells(weights, "policy"),
            "out": _out(weights, "policy.fc", board, actions=True),
        },
    }
    if value is not None:
        params["value"] = {
            "cells": _cells(weights, "value"),
            "hidden": _out(weights, "value.fc1", board),
            "out": {"kernel": weights["value.fc2.weight"].T, "bias": weights["value.fc2.bias"]},
        }
    if cost is not None:
        params["cost"] = [
            {"cells": _cells(weights, head), "out": _out(weights, f"{head}.fc", board)}
            for head in ("blackV", "whiteV")
        ]
    about = {
        "source": (
            'published weights of "AlphaZero-based proof cost network to aid game solving" '
            "(ICLR 2022)"
        ),
        "imported as": name,
    }
    return Network(name, architecture, params, game.rule_set, about)


def _architecture(weights: Mapping[str, np.ndarray], name: str, game: Game) -> Architecture:
    view = View("colours", HISTORY) if name.startswith("go_") else View()
    height, width, planes = view.shape(game)
    blocks = sum(key.endswith(".conv1.weight") for key in weights)
    cost = (
        None
        if "blackV.fc.bias" not in weights
        else Cost(len(weights["blackV.conv.bias"]), len(weights["blackV.fc.bias"]))
    )
    value = (
        None
        if "value.fc1.bias" not in weights
        else Value(len(weights["value.conv.bias"]), len(weights["value.fc1.bias"]))
    )
    by_costs = "_AZ" not in name
    if (cost is not None) != by_costs or (value is not None) == by_costs:
        raise ValueError(
            f"these have {'no ' if cost is None else ''}heads for proof costs and "
            f"{'no' if value is None else 'one'} for the value"
        )
    return Architecture(
        height,
        width,
        planes,
        game.num_actions,
        blocks,
        len(weights["bn.bias"]),
        view,
        Policy(len(weights["policy.conv.bias"])),
        value,
        cost,
    )


def _folded(
    weights: Mapping[str, np.ndarray], layer: str, norm: str
) -> tuple[np.ndarray, np.ndarray]:
    """Folds a batch normalisation into the layer before it.

    Returns the kernel float64[out, in, ...] and the bias float64[out] of one equivalent layer.
    """
    kernel, bias = (
        weights[f"{layer}.weight"].astype(np.float64),
        weights[f"{layer}.bias"].astype(np.float64),
    )
    if (weights[f"{norm}.running_var"] < 0).any():
        raise ValueError(f"{norm}.running_var is below 0")
    scale = weights[f"{norm}.weight"] / np.sqrt(
        weights[f"{norm}.running_var"].astype(np.float64) + EPSILON
    )
    shift = (bias - weights[f"{norm}.running_mean"]) * scale + weights[f"{norm}.bias"]
    return kernel * scale.reshape(-1, *[1] * (kernel.ndim - 1)), shift


def _convolution(weights: Mapping[str, np.ndarray], layer: str, norm: str) -> dict[str, np.ndarray]:
    kernel, bias = _folded(weights, layer, norm)
    return {"kernel": kernel[:, :, ::-1].transpose(2, 3, 1, 0), "bias": bias}


def _cells(weights: Mapping[str, np.ndarray], head: str) -> dict[str, np.ndarray]:
    kernel, bias = _folded(weights, f"{head}.conv", f"{head}.bn")
    return {"kernel": kernel[:, :, 0, 0].T, "bias": bias}


def _out(
    weights: Mapping[str, np.ndarray], layer: str, board: tuple[int, int], actions: bool = False
) -> dict[str, np.ndarray]:
    """Returns the parameters of a dense layer, with its inputs reordered.

    The inputs of the result are [rows from the top, columns, channels]. The inputs in the file are
    [channels, rows from the bottom, columns]. With ``actions`` the outputs are actions, and their
    cells are reordered in the same way.
    """
    kernel, bias, cells = weights[f"{layer}.weight"], weights[f"{layer}.bias"], board[0] * board[1]
    if kernel.ndim != 2 or kernel.shape[0] != len(bias) or kernel.shape[1] % cells:
        raise ValueError(
            f"{layer}.weight has the shape {kernel.shape}, which does not fit a board of "
            f"{board[0]}x{board[1]}"
        )
    kernel = (
        kernel.reshape(len(bias), -1, *board)[:, :, ::-1]
        .transpose(2, 3, 1, 0)
        .reshape(-1, len(bias))
    )
    if actions:
        order = np.concatenate(
            [np.arange(cells).reshape(board)[::-1].reshape(-1), np.arange(cells, len(bias))]
        )
        kernel, bias = kernel[:, order], bias[order]
    return {"kernel": kernel, "bias": bias}
