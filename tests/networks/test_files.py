"""Files of networks: what is written is read, and other files are refused in one sentence."""

from __future__ import annotations

import contextlib
import json

import jax
import numpy as np
import pytest

from jaxsolve.games.registry import make
from jaxsolve.networks import Network, View
from support.networks import random_network


def test_a_file_restores_the_network(tmp_path):
    game = make("go-4;ko=simple")
    network = random_network(game, "both", view=View("history", 8))
    network.save(tmp_path / "a.npz")
    read = Network.load(tmp_path / "a.npz")
    assert (read.name, read.architecture, read.game, read.about) == (
        network.name,
        network.architecture,
        network.game,
        network.about,
    )
    assert all(
        np.array_equal(a, b)
        for a, b in zip(jax.tree.leaves(read.params), jax.tree.leaves(network.params), strict=True)
    )
    assert read.heads(game).apply == network.heads(game).apply and read.heads(game).boards == 8
    with pytest.raises(FileExistsError):
        network.save(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=r"ends in \.npz"):
        network.save(tmp_path / "a.network")


def mutated(file, to, change):
    with np.load(file) as arrays:
        content = dict(arrays)
    about = json.loads(content.pop("about").tobytes())
    change(content, about)
    np.savez(to, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **content)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda arrays, about: arrays.pop("stem.bias"), "stem.bias is missing"),
        (lambda arrays, about: arrays.update(extra=np.zeros(1)), "extra is no part of it"),
        (
            lambda arrays, about: arrays.update({"stem.bias": np.zeros(5)}),
            r"stem.bias has the shape \(5,\), its architecture has \(4,\)",
        ),
        (
            lambda arrays, about: arrays.update({"stem.bias": np.full(4, np.nan)}),
            "stem.bias holds numbers that are not finite",
        ),
        (
            lambda arrays, about: arrays.update({"stem.bias": np.zeros(4, complex)}),
            "stem.bias holds complex128, not floating-point numbers",
        ),
        (
            lambda arrays, about: arrays.update({"stem.bias": np.full(4, "1.5")}),
            "stem.bias holds <U3, not floating-point numbers",
        ),
        (lambda arrays, about: about.update(game="hex-3\x1b[31m"), "is not what the format has"),
        (lambda arrays, about: about.update(name=""), "is not what the format has"),
        (lambda arrays, about: about.update(format=7), "of format 7, this version reads 1"),
        (lambda arrays, about: about.pop("game"), "'game' is missing"),
        (lambda arrays, about: about.update(game=None), "is not what the format has"),
        (lambda arrays, about: about.update(name="a\x1b[31m"), "is not what the format has"),
        (lambda arrays, about: about.update(about=[1]), "is not what the format has"),
        (
            lambda arrays, about: about["architecture"].update(depth=3),
            "no network's architecture: .*depth",
        ),
        (
            lambda arrays, about: about["architecture"].update(channels=0),
            "channels=0: give a whole number from 1 on",
        ),
        (
            lambda arrays, about: about["architecture"].update(blocks="2"),
            "blocks='2': give a whole number from 0 on",
        ),
        (
            lambda arrays, about: about["architecture"]["view"].update(boards=0),
            "boards=0: give a whole number from 1 on",
        ),
        (
            lambda arrays, about: about["architecture"]["view"].update(kind="film"),
            "view kind='film': it may be 'board'",
        ),
        (
            lambda arrays, about: about["architecture"].update(
                cost={"channels": 2, "bins": 5, "per_decade": 0}
            ),
            "per_decade=0: give a number of bins",
        ),
        (
            lambda arrays, about: arrays.update({"stem.bias": np.full(4, 1e300)}),
            "stem.bias holds numbers that are not finite",
        ),
        (
            lambda arrays, about: about["architecture"].update(value=None),
            "a head for value or for cost",
        ),
    ],
)
def test_mutated_files_are_refused(change, says, tmp_path):
    random_network(make("hex-3"), "value").save(tmp_path / "a.npz")
    mutated(tmp_path / "a.npz", tmp_path / "b.npz", change)
    with pytest.raises(ValueError, match=f"b.npz holds no network: .*{says}"):
        Network.load(tmp_path / "b.npz")


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text.npz").write_text("no network")
    np.savez(tmp_path / "arrays.npz", weights=np.zeros(3))
    whole = tmp_path / "whole.npz"
    random_network(make("hex-3"), "value").save(whole)
    (tmp_path / "half.npz").write_bytes(whole.read_bytes()[:500])
    content = bytearray(whole.read_bytes())
    for at in range(
        0, len(content), 17
    ):  # a file with an error in it is refused, or what it holds is not touched by the error
        (tmp_path / "mutated.npz").write_bytes(
            content[:at] + bytes([content[at] ^ 255]) + content[at + 1 :]
        )
        with contextlib.suppress(ValueError):
            Network.load(tmp_path / "mutated.npz")
    for name in ("text", "arrays", "half"):
        with pytest.raises(ValueError, match=f"{name}.npz holds no network"):
            Network.load(tmp_path / f"{name}.npz")
    with pytest.raises(FileNotFoundError):
        Network.load(tmp_path / "absent.npz")
