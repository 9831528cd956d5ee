"""Files of networks that claim too much are refused before anything large is computed or read."""

from __future__ import annotations

import io
import resource
import signal
import threading
import time
import zipfile

import numpy as np
import pytest

from jaxsolve.formats.weights import import_weights
from jaxsolve.games.registry import make
from jaxsolve.networks import Architecture, Network, Value
from jaxsolve.networks.archive import MAX_NUMBERS, Archive
from networks.test_files import mutated
from networks.test_import import published
from support.networks import random_network


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.npz"
    random_network(make("hex-3"), "value").save(path)
    return path


def declaring(path, to, name, shape, dtype="<f4", count=1 << 20):
    """A copy whose array ``name`` declares a shape and holds ``count`` zero bytes."""
    header = io.BytesIO()
    described = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_2_0(header, described)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            if member != f"{name}.npy":
                new.writestr(member, old.read(member))
        with new.open(f"{name}.npy", "w") as content:
            content.write(header.getvalue())
            for _ in range(count >> 20):
                content.write(bytes(1 << 20))


@pytest.mark.parametrize(
    ("part", "value", "says"),
    [
        ("blocks", 10_000_000, "blocks=10000000: give at most 1000"),
        ("channels", 1 << 40, "give at most 4096"),
        ("actions", 1 << 60, "give at most 1048576"),
        ("height", 1 << 20, "give at most 1024"),
        ("value", {"channels": 1, "hidden": 1 << 30}, "hidden=1073741824: give at most 65536"),
        ("cost", {"channels": 1, "bins": 1 << 30, "per_decade": 1}, "give at most 100000"),
    ],
)
def test_an_architecture_beyond_all_bounds_is_refused_at_once(part, value, says, file, tmp_path):
    change = lambda arrays, about: about["architecture"].update({part: value})  # noqa: E731
    mutated(file, tmp_path / "b.npz", change)
    began = time.process_time()
    with pytest.raises(ValueError, match=f"b.npz holds no network: .*{says}") as refused:
        Network.load(tmp_path / "b.npz")
    assert time.process_time() - began < 5 and "\n" not in str(refused.value)


def test_an_architecture_of_too_many_parameters_is_refused():
    with pytest.raises(ValueError, match=f"parameters: give at most {MAX_NUMBERS}"):
        Architecture(9, 9, 4, 82, blocks=1000, channels=4096, value=Value())


@pytest.mark.parametrize(
    ("name", "shape", "dtype", "says"),
    [
        ("stem.bias", (1 << 31,), "<f4", r"stem.bias has the shape \(2147483648,\)"),
        ("stem.bias", (4,), "<c16", "stem.bias holds complex128, not floating-point numbers"),
        ("stem.bias", (4,), "<U1000000", "not floating-point numbers"),
        ("about", (1 << 31,), "|u1", "about is no text of at most 1048576 bytes"),
        ("about", (4,), "<f4", "about is no text of at most 1048576 bytes"),
    ],
)
def test_what_an_array_declares_is_compared_before_it_is_inflated(
    name, shape, dtype, says, file, tmp_path
):
    declaring(file, tmp_path / "b.npz", name, shape, dtype, count=256 << 20)
    assert (tmp_path / "b.npz").stat().st_size < 1 << 20
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match=f"b.npz holds no network: .*{says}") as refused:
        Network.load(tmp_path / "b.npz")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100 << 10 and "\n" not in str(refused.value)  # KiB


def test_published_weights_that_declare_too_much_are_refused(tmp_path):
    np.savez(tmp_path / "w.npz", **published(bins=11))
    declaring(tmp_path / "w.npz", tmp_path / "b.npz", "policy.fc.weight", (1 << 30, 4))
    with pytest.raises(ValueError, match=f"b.npz is no .npz file of arrays: .*{MAX_NUMBERS}"):
        import_weights(tmp_path / "b.npz", "go_W-max")


def test_an_interruption_waits_until_a_file_is_read(file, monkeypatch):
    """Raised within the decompression it came out as SystemError."""
    read = Archive.floats

    def interrupted(archive, name, shape=None):
        signal.raise_signal(signal.SIGTERM)
        finished.append(name)
        return read(archive, name, shape)

    finished: list[str] = []
    monkeypatch.setattr(Archive, "floats", interrupted)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            Network.load(file)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len(finished) > 4 and threading.current_thread() is threading.main_thread()


def test_a_path_may_be_a_string(file, tmp_path):
    with pytest.raises(ValueError, match=r"is a folder: .*finding\.find"):
        Network.load(tmp_path)
    network = Network.load(str(file))
    network.save(str(tmp_path / "again.npz"))
    assert Network.load(str(tmp_path / "again.npz")).architecture == network.architecture
