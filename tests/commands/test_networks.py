"""``import-weights`` and ``--network``: bad files are refused in one sentence with exit code 2."""

from __future__ import annotations

import json

import numpy as np
import pytest

from jaxsolve.games.registry import make
from jaxsolve.networks import Network
from jaxsolve.proof.check import check
from networks.test_import import published
from support.cli import PROBLEMS, WIN, one_object, run
from support.networks import random_network


@pytest.fixture
def network(tmp_path):
    file = tmp_path / "hex.npz"
    random_network(make("hex-3"), "both").save(file)
    return file


@pytest.mark.parametrize("method", ["fdfpn", "mcts"])
@pytest.mark.parametrize("how", [(), ("--rotations", 8), ("--dtype", "bfloat16")])
def test_a_position_is_solved_with_a_network(network, tmp_path, method, how):
    words = (
        "solve",
        WIN,
        "--game",
        "hex-3",
        "--network",
        network,
        *how,
        "--method",
        method,
        "--no-zones",
        "--out",
        tmp_path / "o",
    )
    result = run(*words, "--json")
    answer = one_object(result)
    assert (result.exit_code, answer["verdict"]) == (0, "proved") and check(
        answer["certificate"]
    ).accepted


def test_a_suite_resumes_with_its_own_network_only(network, tmp_path):
    problems, out, other = tmp_path / "p.json", tmp_path / "o", tmp_path / "other.npz"
    problems.write_text(json.dumps(PROBLEMS))
    assert (
        run("suite", problems, "--network", network, "--out", out, "--method", "fdfpn").exit_code
        == 0
    )
    assert (
        run("suite", problems, "--network", network, "--out", out, "--method", "fdfpn").exit_code
        == 0
    )
    random_network(make("hex-3"), "both", seed=1).save(other)
    refused = [
        run("suite", problems, *extra, "--out", out, "--method", "fdfpn")
        for extra in (["--network", other], [])
    ]
    otherwise = [("--rotations", 8), ("--dtype", "bfloat16")]
    refused += [
        run("suite", problems, "--network", network, *how, "--out", out, "--method", "fdfpn")
        for how in otherwise
    ]
    for result in refused:
        assert result.exit_code == 2 and "heads" in result.output, result.output


def test_published_weights_are_imported(tmp_path):
    weights, out = tmp_path / "w.npz", tmp_path / "go.npz"
    np.savez(weights, **published(bins=11))
    result = run("import-weights", weights, "--like", "go_W-max", "--out", out)
    assert result.exit_code == 0 and "1 blocks of 3 channels, policy and cost" in result.output
    assert (
        run(
            "import-weights",
            weights,
            "--like",
            "go_W-max",
            "--out",
            tmp_path / "new" / "folder" / "go.npz",
        ).exit_code
        == 0
    )
    assert Network.load(out).game.startswith("killallgo-9;")
    for words, says in (
        ((weights, "--like", "go_W-max", "--out", out), "go.npz: File exists"),
        (
            (weights, "--like", "go_W", "--out", tmp_path / "b.npz"),
            "no published network is called 'go_W'",
        ),
        ((weights, "--like", "go_W-max", "--out", tmp_path / "b.network"), "ends in .npz"),
        (
            (tmp_path / "absent.npz", "--like", "go_W-max", "--out", tmp_path / "b.npz"),
            "No such file",
        ),
    ):
        result = run("import-weights", *words)
        assert result.exit_code == 2 and says in result.output and result.output.count("\n") == 1, (
            result.output
        )
    assert not list(tmp_path.glob("b.*"))


def test_networks_that_do_not_fit_the_game_are_refused(network, tmp_path):
    (tmp_path / "text.npz").write_text("network")
    for words, says in (
        (("hex-4", "--network", network), "random-both was trained on hex-3"),
        (
            ("hex-3", "--network", tmp_path / "text.npz"),
            "text.npz holds no network: no .npz file, whatever its name is",
        ),
        (("hex-3", "--network", tmp_path / "absent.npz"), "No such file"),
        (("hex-3", "--rotations", 8), "needs --network"),
        (("hex-3", "--network", network, "--rotations", 4), "--rotations 4: give 1"),
        (("hex-3", "--dtype", "bfloat16"), "needs --network"),
        (
            ("hex-3", "--network", network, "--dtype", "float16"),
            "float16: give float32 or bfloat16",
        ),
    ):
        result = run("solve", "start", "--game", *words)
        assert result.exit_code == 2 and says in " ".join(
            result.output.replace("│", " ").split()
        ), result.output
    for word in ("suite", "tsumego"):  # nothing is written before that is seen
        position = (
            tmp_path / "p.json"
            if word == "suite"
            else "......./......./......./XXXXX../OOOOX../...OX../...O.X. b"
        )
        (tmp_path / "p.json").write_text(
            json.dumps(
                PROBLEMS | {"problems": [{"id": "a", "rules": "hex-4"}, *PROBLEMS["problems"]]}
            )
        )
        extra = () if word == "suite" else ("--game", "tsumego-7")
        result = run(word, position, *extra, "--network", network, "--out", tmp_path / f"o-{word}")
        assert result.exit_code == 2 and "random-both was trained on hex-3" in result.output, (
            result.output
        )
        assert not (tmp_path / f"o-{word}").exists()
    failed = run(
        "solve", "start", "--game", "hex-3", "--network", tmp_path / "absent.npz", "--json"
    )
    assert failed.exit_code == 2 and "No such file" in one_object(failed)["error"]
