"""Launch scripts for clusters, run against stub programs in place of the clusters' own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("omegaconf")
from omegaconf import OmegaConf

from jaxsolve.train import devices
from support.stub_programs import LAUNCH, environment, stub, wait_for


def test_scripts_parse():
    for script in sorted(LAUNCH.glob("*.sh")):
        assert subprocess.run(["bash", "-n", str(script)]).returncode == 0


# ---- Kubernetes ----------------------------------------------------------------------------------
def jobset(**variables: str) -> dict:
    """The pod template and the job of a JobSet."""
    env = os.environ | {"IMAGE": "image", "CLAIM": "disk", "PODS": "3", "DRY": "1"} | variables
    words = ["+exp=killallgo7_pcn", "game.starts='a b'"]
    done = subprocess.run(
        ["bash", str(LAUNCH / "train_gke.sh"), *words], capture_output=True, text=True, env=env
    )
    assert done.returncode == 0, done.stderr
    everything = OmegaConf.to_container(OmegaConf.create(done.stdout))
    assert everything["kind"] == "JobSet"
    job = everything["spec"]["replicatedJobs"][0]["template"]["spec"]
    assert job["completions"] == job["parallelism"] == 3
    pod = job["template"]["spec"]
    (container,) = pod["containers"]
    command = ["python", "-m", "jaxsolve", "train", *words, "distributed=true"]
    assert container["command"] == command
    assert pod["terminationGracePeriodSeconds"] == 120
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert mounts == {"out": "/out", "shm": "/dev/shm"}
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert volumes["shm"]["emptyDir"]["medium"] == "Memory"
    assert volumes["out"]["persistentVolumeClaim"]["claimName"] == "disk"
    requests = container["resources"]["requests"]
    assert requests["cpu"] == "8" and requests["memory"] == "32Gi"
    return pod


def test_a_jobset_of_gpus_requests_them_and_numbers_its_processes():
    pod = jobset(GPUS="8", ACCELERATOR="nvidia-l4")
    (container,) = pod["containers"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == 8
    assert pod["nodeSelector"] == {"cloud.google.com/gke-accelerator": "nvidia-l4"}
    names = {"JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"}
    assert {each["name"] for each in container["env"]} == names
    assert jobset()["nodeSelector"] == {}


def test_a_jobset_of_tpus_selects_a_slice_by_type_and_topology():
    pod = jobset(TPU="tpu-v5-lite-podslice", TOPOLOGY="4x4", CHIPS="4")
    resources = pod["containers"][0]["resources"]
    assert resources["limits"]["google.com/tpu"] == resources["requests"]["google.com/tpu"] == 4
    assert "nvidia.com/gpu" not in resources["limits"]
    assert pod["nodeSelector"] == {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "4x4",
    }


# ---- Slurm ---------------------------------------------------------------------------------------
SRUN = """
echo "srun $SRUN_CPUS_PER_TASK $*" >> "$LOG"
trap 'echo "srun TERM" >> "$LOG"; exit ${ON_TERM:-130}' TERM
touch "$LOG.started"
for ((i = 0; i < ${TENTHS:-0}; i++)); do sleep 0.1; done
exit ${STATUS:-0}
"""


@pytest.fixture
def slurm(tmp_path):
    stub(tmp_path, "srun", SRUN)
    stub(tmp_path, "scontrol", 'echo "scontrol $*" >> "$LOG"\n')

    def start(**variables: str) -> subprocess.Popen:
        names = {"SLURM_SUBMIT_DIR": str(tmp_path), "SLURM_JOB_ID": "17", "PYTHON": "python"}
        env = environment(tmp_path, SLURM_CPUS_PER_TASK="6", **names, **variables)
        return subprocess.Popen(["bash", str(LAUNCH / "train_slurm.sh"), "out=a b"], env=env)

    return start, tmp_path


def test_slurm_passes_the_processors_of_a_task_and_the_status(slurm):
    start, folder = slurm
    assert start().wait(30) == 0 and start(STATUS="2").wait(30) == 2
    line = "srun 6 --kill-on-bad-exit=1 python -m jaxsolve train out=a b distributed=true\n"
    assert (folder / "log").read_text() == 2 * line


def test_slurm_requeues_a_run_that_the_time_limit_stops_and_no_complete_one(slurm):
    start, folder = slurm
    for on_term, requeued in (("130", True), ("0", False)):
        (folder / "log.started").unlink(missing_ok=True)
        (folder / "log").write_text("")
        job = start(TENTHS="200", ON_TERM=on_term)
        wait_for(folder / "log.started")
        job.send_signal(signal.SIGTERM)
        assert job.wait(30) == int(on_term)
        lines = (folder / "log").read_text().splitlines()[1:]
        assert lines == ["srun TERM"] + ["scontrol requeue 17"] * requeued
    header = (LAUNCH / "train_slurm.sh").read_text()
    assert "#SBATCH --signal=B:TERM@" in header and "#SBATCH --requeue" in header


@pytest.mark.parametrize(
    ("variables", "ids"),
    [
        ({}, None),
        ({"SLURM_PROCID": "3", "SLURM_LOCALID": "1"}, None),
        ({"SLURM_PROCID": "3", "SLURM_LOCALID": "1", "CUDA_VISIBLE_DEVICES": "4,5,6"}, [0, 1, 2]),
        ({"SLURM_PROCID": "3", "SLURM_LOCALID": "1", "CUDA_VISIBLE_DEVICES": "4"}, [0]),
        ({"SLURM_PROCID": "3", "SLURM_LOCALID": "1", "SLURM_GPUS_PER_TASK": "a100:2"}, [2, 3]),
        ({"CUDA_VISIBLE_DEVICES": "4,5"}, None),
    ],
)
def test_a_task_of_slurm_uses_all_gpus_that_it_sees(variables, ids, monkeypatch):
    set_slurm(monkeypatch, variables)
    assert devices.local_device_ids() == ids


@pytest.mark.parametrize(
    ("variables", "shares"),
    [
        ({"SLURM_NTASKS_PER_NODE": "4"}, [[0], [1], [2], [3]]),
        ({"SLURM_STEP_TASKS_PER_NODE": "2(x3)"}, [[0, 1], [2, 3]]),
        ({"SLURM_STEP_TASKS_PER_NODE": "1(x2),2", "SLURM_NODEID": "2"}, [[0, 1], [2, 3]]),
        ({"SLURM_STEP_TASKS_PER_NODE": "1", "SLURM_NTASKS_PER_NODE": "4"}, [[0, 1, 2, 3]]),
        ({"SLURM_GPUS_PER_TASK": "2"}, [[0, 1], [2, 3]]),
        ({"SLURM_GPUS_PER_TASK": "4", "SLURM_NTASKS_PER_NODE": "2"}, 2 * [[0, 1, 2, 3]]),
        # bound: each task sees four of the node's eight
        ({"SLURM_NTASKS_PER_NODE": "2", "SLURM_GPUS_ON_NODE": "8"}, 2 * [[0, 1, 2, 3]]),
        ({"SLURM_NTASKS_PER_NODE": "2", "SLURM_GPUS_ON_NODE": "4"}, [[0, 1], [2, 3]]),
    ],
)
def test_tasks_of_slurm_that_see_all_gpus_of_their_node_share_them(variables, shares, monkeypatch):
    for rank, share in enumerate(shares):
        task = {"SLURM_PROCID": "9", "SLURM_LOCALID": str(rank), "CUDA_VISIBLE_DEVICES": "0,1,2,3"}
        set_slurm(monkeypatch, task | variables)
        assert devices.local_device_ids() == share


def set_slurm(monkeypatch, variables: dict[str, str]) -> None:
    """Replaces all variables of Slurm and of visible devices."""
    for name in os.environ:
        if name.startswith("SLURM_"):
            monkeypatch.delenv(name)
    for name in ("CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "JAX_LOCAL_DEVICE_IDS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


# ---- TPU -----------------------------------------------------------------------------------------
GCLOUD = """
echo "$4 ${*:7}" | head -1 >> "$LOG"
case $4 in
describe) cat "$CLOUD/state" 2>/dev/null || exit 1 ;;
create) echo READY > "$CLOUD/state" ;;
delete) rm "$CLOUD/state" ;;
ssh)
    [ "$(cat "$CLOUD/state")" = READY ] || exit 255
    for word in "$@"; do
        case $word in --command=*) cd "$CLOUD/host" && exec bash -c "${word#--command=}" ;; esac
    done
    ;;
esac
"""
PYTHON = """
echo "run $*" >> "$LOG"
runs=$(grep -c '^run' "$LOG")
echo "line $runs"
trap 'exit 130' TERM
if [ -n "${HANG:-}" ]; then for ((i = 0; i < 200; i++)); do sleep 0.1; done; fi
if [ "$runs" = 1 ] && [ -n "${PREEMPT:-}" ]; then echo PREEMPTED > "$CLOUD/state"; exit 130; fi
exit ${STATUS:-0}
"""


@pytest.fixture
def cloud(tmp_path):
    stub(tmp_path, "gcloud", GCLOUD)
    python = tmp_path / "host" / "jaxsolve" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/usr/bin/env bash\n{PYTHON}")
    python.chmod(0o755)

    def start(**variables: str) -> subprocess.Popen:
        names = {"TPU": "slice", "ZONE": "zone", "POLL": "0.1", "CLOUD": str(tmp_path)}
        return subprocess.Popen(
            ["bash", str(LAUNCH / "train_tpu.sh"), "out=a b"],
            env=environment(tmp_path, **names, **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start, tmp_path


def verbs(folder: Path) -> list[str]:
    return [line.split()[0] for line in (folder / "log").read_text().splitlines()]


def test_a_preempted_tpu_slice_is_created_again_and_the_run_continues(cloud):
    start, folder = cloud
    run = start(PREEMPT="1", CREATE="--accelerator-type=v5litepod-16 --spot", SETUP="true")
    out, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    found = verbs(folder)
    assert found.count("create") == 2 and found.count("delete") == 1 and found.count("run") == 2
    assert found.index("delete") > found.index("run")
    assert "run -m jaxsolve train out=a b distributed=true" in (folder / "log").read_text()
    assert "line 2" in out


def test_an_absent_tpu_slice_is_not_created_unasked(cloud):
    start, folder = cloud
    run = start()
    _, err = run.communicate(timeout=60)
    assert run.returncode == 2 and "slice is ABSENT; give CREATE=" in err
    assert "create" not in verbs(folder)


def test_bad_input_ends_a_tpu_run_and_other_failures_are_retried(cloud):
    start, folder = cloud
    (folder / "state").write_text("READY\n")
    run = start(STATUS="2")
    run.communicate(timeout=60)
    assert run.returncode == 2 and verbs(folder).count("run") == 1
    run = start(STATUS="1", RETRIES="3")
    _, err = run.communicate(timeout=60)
    assert run.returncode == 1 and "no complete run after 3 attempts" in err
    assert verbs(folder).count("run") == 4


def test_a_tpu_run_is_stopped_once_and_for_all(cloud):
    start, folder = cloud
    (folder / "state").write_text("READY\n")
    run = start(HANG="1")
    give_up = time.monotonic() + 30
    while not (folder / "log").exists() or "run" not in verbs(folder):
        assert time.monotonic() < give_up
        time.sleep(0.05)
    stop = start(STOP="1")
    stop.communicate(timeout=60)
    run.communicate(timeout=60)
    assert (stop.returncode, run.returncode) == (0, 130) and verbs(folder).count("run") == 1


# ---- several processes on one machine ------------------------------------------------------------
def test_processes_end_together_when_one_fails(tmp_path):
    """The others would wait for it for ever; one that ignores SIGTERM is killed."""
    stub(
        tmp_path,
        "python",
        f"""
case $* in
-c*) exec {sys.executable} "$@" ;;
esac
if [ "$JAX_PROCESS_ID" = 0 ]; then sleep 0.5; exit 3; fi
trap '' TERM
for ((i = 0; i < 300; i++)); do sleep 0.1; done
""",
    )
    env = environment(tmp_path, PYTHON=str(tmp_path / "bin" / "python"), GRACE="1")
    began = time.monotonic()
    done = subprocess.run(["bash", str(LAUNCH / "train_processes.sh")], env=env, timeout=60)
    assert done.returncode == 3 and time.monotonic() - began < 25
