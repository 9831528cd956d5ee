"""A run's folder in an object store, by a stand-in: fsspec's local files behind gs://."""

from __future__ import annotations

import pytest

pytest.importorskip("flax")
pytest.importorskip("hydra")
pytest.importorskip("tensorboardX")

from etils import epath
from etils.epath import backend

from jaxsolve.commands.train import composed
from jaxsolve.core.run_folder import FolderError
from jaxsolve.networks import Network
from jaxsolve.train import checkpoints
from jaxsolve.train.folder import path_of
from jaxsolve.train.metrics import metrics
from jaxsolve.train.run import Run
from support.networks import SMALL_RUN

fsspec = pytest.importorskip("fsspec")  # orbax needs it for gs:// only


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    """gs://bucket in a local folder; orbax, whose own client needs a network, writes beside it."""
    store = fsspec.filesystem(
        "dir", path=str(tmp_path / "store"), fs=fsspec.filesystem("file", auto_mkdir=True)
    )

    class Stripped:
        """Takes the addresses that epath gives."""

        def __getattr__(self, name):
            found = getattr(store, name)
            return lambda path, *rest, **options: found(
                str(path).removeprefix("gs://"), *rest, **options
            )

    monkeypatch.setattr(backend.fsspec_backend, "fs", lambda path: Stripped())
    absolute = checkpoints._absolute

    def local(folder):
        return absolute(str(folder).replace("gs://", f"{tmp_path}/orbax/"))

    monkeypatch.setattr(checkpoints, "_absolute", local)
    return tmp_path / "store" / "bucket"


def words(*more: str) -> list[str]:
    return [*SMALL_RUN, "out=gs://bucket/run", *more]


def trained(*more: str) -> Run:
    run = Run(*composed(words(*more)))
    list(run.train())
    run.release()
    return run


def test_a_run_lives_in_an_object_store_and_resumes_there(bucket):
    assert trained("train.iterations=4").iteration == 4
    names = {path.name for path in (bucket / "run").iterdir()}
    assert {"training.json", "config.yaml", "metrics.jsonl", "tb", "networks"} <= names
    assert [row["iteration"] for row in metrics(epath.Path("gs://bucket/run"))] == [1, 2, 3, 4]
    assert Network.load(bucket / "run" / "networks" / "000004.npz").about["iterations"] == 4
    with pytest.raises(FolderError, match="gs://bucket/run holds another run"):
        Run(*composed(words("train.learning_rate=0.3")))
    first = Run(*composed(words("train.iterations=8")))
    second = Run(*composed(words("train.iterations=6")))
    assert first.iteration == second.iteration == 4
    with pytest.raises(FolderError, match="another run has claimed the folder"):
        list(first.train())
    assert [file.name for file in second.train()] == ["000006.npz"]
    assert len(metrics(epath.Path("gs://bucket/run"))) == 6


def test_an_object_store_that_holds_something_else_is_refused(bucket):
    (bucket / "run").mkdir(parents=True)
    (bucket / "run" / "mine.txt").write_text("mine")
    with pytest.raises(FolderError, match="gs://bucket/run is not empty"):
        Run(*composed(words()))


def test_addresses_that_cannot_be_reached_are_refused_in_one_sentence(monkeypatch):
    with pytest.raises(ValueError, match="out=ftp://x/y: give a local path or a URL with gs://"):
        path_of("ftp://x/y")

    def missing(path):
        raise ImportError("no client", name="gcsfs")

    monkeypatch.setattr(backend.fsspec_backend, "fs", missing)
    with pytest.raises(ValueError, match=r"out=gs://x/y needs a client .* \(gcsfs\)"):
        path_of("gs://x/y")
    assert str(path_of("a=b")) == "a=b"
