"""``launch/cluster_gke.yaml``: valid for KubeRay's schema, and consistent in itself."""

from __future__ import annotations

import copy
import functools
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from support.stub_programs import LAUNCH, environment, stub

MANIFEST = LAUNCH / "cluster_gke.yaml"
SCHEMAS = json.loads((Path(__file__).parent / "data" / "cluster_gke_schema.json").read_text())
LABEL = {"app": "jaxsolve-cluster"}


def objects() -> dict[str, dict[str, Any]]:
    """The objects of the manifest by kind."""
    found = list(yaml.safe_load_all(MANIFEST.read_text()))
    assert len({each["kind"] for each in found}) == len(found)
    return {each["kind"]: each for each in found}


@functools.cache
def validator(kind: str) -> jsonschema.Draft202012Validator:
    schema = {"$defs": SCHEMAS["$defs"], "$ref": f"#/$defs/{kind}"}
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def validate(thing: dict[str, Any]) -> None:
    validator(thing["kind"]).validate(thing)


def cluster() -> dict[str, Any]:
    return objects()["RayJob"]["spec"]["rayClusterSpec"]


def test_every_object_is_valid():
    kinds = {"ConfigMap", "PersistentVolumeClaim", "NetworkPolicy", "RayJob"}
    assert objects().keys() == kinds
    for thing in objects().values():
        validate(thing)
        assert {"apiVersion", "kind", "metadata"} < thing.keys()


def maps(value: Any, path: tuple = ()) -> list[tuple]:
    """Paths of all maps in a value whose keys are fields, not free text."""
    if isinstance(value, list):
        return [found for at, each in enumerate(value) for found in maps(each, (*path, at))]
    if not isinstance(value, dict):
        return []
    free = ("data", "labels", "matchLabels", "nodeSelector", "rayStartParams", "limits", "requests")
    if path and path[-1] in free:
        return []
    return [path] + [found for key, each in value.items() for found in maps(each, (*path, key))]


def at(value: Any, path: tuple) -> Any:
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize("kind", ["ConfigMap", "PersistentVolumeClaim", "NetworkPolicy", "RayJob"])
def test_a_misspelt_field_is_refused_wherever_it_is(kind):
    paths = maps(objects()[kind])
    assert len(paths) >= 2
    thing = objects()[kind]
    for path in paths:
        for key in [*at(thing, path)]:
            if (path, key) == ((), "kind"):
                continue
            changed = copy.deepcopy(thing)
            place = at(changed, path)
            place[f"{key}x"] = place.pop(key)
            with pytest.raises(jsonschema.ValidationError):
                validate(changed)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "backoffLimit"), "100"),
        (("spec", "shutdownAfterJobFinishes"), "true"),
        (("spec", "rayClusterSpec", "rayVersion"), 2.6),
        (("spec", "rayClusterSpec", "authOptions", "mode"), "password"),
        (("spec", "rayClusterSpec", "headGroupSpec", "rayStartParams", "num-cpus"), 0),
        (("spec", "rayClusterSpec", "workerGroupSpecs", 1, "numOfHosts"), "4"),
        (("metadata", "name"), "Jaxsolve_Cluster"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(path, value):
    changed = objects()["RayJob"]
    place = at(changed, path[:-1])
    assert path[-1] in place
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        validate(changed)


def test_the_names_to_replace_are_those_at_the_top():
    top, _, rest = MANIFEST.read_text().partition("apiVersion:")
    listed = re.findall(r"^#   (REPLACE_\w+)  +\w", top, re.MULTILINE)
    assert len(listed) == len(set(listed)) and set(re.findall(r"REPLACE_\w+", rest)) == {*listed}


def test_the_cluster_requires_a_token_and_exposes_no_service():
    head = cluster()["headGroupSpec"]
    assert cluster()["authOptions"] == {"mode": "token"}
    assert head["serviceType"] == "ClusterIP" and "dashboard-host" not in head["rayStartParams"]
    policy = objects()["NetworkPolicy"]["spec"]
    assert policy["policyTypes"] == ["Ingress"] and policy["podSelector"]["matchLabels"] == LABEL
    inside, dashboard = policy["ingress"]
    assert inside == {"from": [{"podSelector": {"matchLabels": LABEL}}]}
    assert dashboard == {"ports": [{"port": 8265, "protocol": "TCP"}]}
    for group in (head, *cluster()["workerGroupSpecs"]):
        assert group["template"]["metadata"]["labels"] == LABEL
        assert group["template"]["spec"]["automountServiceAccountToken"] is False


def test_the_head_has_the_run_folder_and_no_workers():
    head = cluster()["headGroupSpec"]
    assert head["rayStartParams"] == {"num-cpus": "0"}
    pod = head["template"]["spec"]
    mounts = {each["name"]: each["mountPath"] for each in pod["containers"][0]["volumeMounts"]}
    volumes = {each.pop("name"): each for each in pod["volumes"]}
    assert mounts == {"out": "/out", "run": "/etc/jaxsolve"} and mounts.keys() == volumes.keys()
    claim, script = objects()["PersistentVolumeClaim"], objects()["ConfigMap"]
    assert volumes["out"]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    assert volumes["run"]["configMap"]["name"] == script["metadata"]["name"]
    assert objects()["RayJob"]["spec"]["entrypoint"] == "bash /etc/jaxsolve/run.sh"
    assert script["data"].keys() == {"run.sh"}


def test_each_group_requests_its_devices_and_selects_their_nodes():
    groups = {each["groupName"]: each for each in cluster()["workerGroupSpecs"]}
    wanted = {
        "gpu": ("nvidia.com/gpu", {"cloud.google.com/gke-accelerator"}),
        "tpu": (
            "google.com/tpu",
            {"cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology"},
        ),
    }
    assert groups.keys() == wanted.keys()
    for name, (device, labels) in wanted.items():
        pod = groups[name]["template"]["spec"]
        assert pod["nodeSelector"].keys() == labels
        resources = pod["containers"][0]["resources"]
        assert resources["limits"] == resources["requests"] and resources["limits"][device] >= 1
    assert groups["tpu"]["numOfHosts"] > 1
    assert sum(each["replicas"] > 0 for each in groups.values()) == 1  # workers of one kind


def test_the_ray_version_is_the_pinned_one():
    pins = (LAUNCH / "constraints.txt").read_text().splitlines()
    assert f"ray=={cluster()['rayVersion']}" in pins


# ---- run.sh --------------------------------------------------------------------------------------
def run_script(folder: Path, **variables: str) -> tuple[subprocess.CompletedProcess, list[str]]:
    """Runs run.sh with a stub for Python; also returns the arguments of the stub, one a line."""
    stub(folder, "python", 'printf "%s\\n" "$@" > "$LOG"\nexit ${STATUS:-0}\n')
    script = objects()["ConfigMap"]["data"]["run.sh"]
    assert script.count("/out/run") == 1
    file = folder / "run.sh"
    file.write_text(script.replace("/out/run", str(folder / "out")))
    done = subprocess.run(
        ["bash", str(file)], env=environment(folder, **variables), capture_output=True, text=True
    )
    return done, (folder / "log").read_text().splitlines()


def test_the_script_starts_a_run_and_resumes_one_that_exists(tmp_path):
    done, words = run_script(tmp_path)
    assert done.returncode == 0
    assert words[:4] == ["-m", "jaxsolve", "cluster", "solve"]
    assert words[-4:] == ["--address", "auto", "--out", str(tmp_path / "out")]
    (tmp_path / "out").mkdir()
    done, words = run_script(tmp_path)
    assert done.returncode == 0 and words[-3:] == ["--out", str(tmp_path / "out"), "--resume"]


@pytest.mark.parametrize(
    ("status", "ends"), [(0, 0), (2, 0), (10, 0), (20, 0), (1, 1), (130, 130), (137, 137)]
)
def test_only_an_interrupted_or_broken_run_is_retried(tmp_path, status, ends):
    done, _ = run_script(tmp_path, STATUS=str(status))
    assert done.returncode == ends
    assert (f"exit status {status}" in done.stdout) == (status in (2, 10, 20))
