"""``launch/cluster_local.sh`` and ``launch/cluster_slurm.sh``, run against stub programs."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from support.stub_programs import LAUNCH, environment, stub, wait_for

# Notes its arguments and Ray's variables; runs code given by -c for real.
PYTHON = f"""
case $1 in -c) exec {sys.executable} "$@" ;; esac
trap 'echo "python TERM" >> "$LOG"; exit ${{ON_TERM:-130}}' TERM
printf "<%s>" "$@" >> "$LOG"
echo >> "$LOG"
env | grep ^RAY_ | sort >> "$LOG.env"
touch "$LOG.started"
for ((i = 0; i < ${{TENTHS:-0}}; i++)); do sleep 0.1; done
exit ${{STATUS:-0}}
"""
# Runs one task, or is 'ray symmetric-run' on the head, which returns 0 if Ray does not start.
SRUN = """
line="$*"
echo "srun ${SRUN_CPUS_PER_TASK:-} ${line%% -- *}" >> "$LOG"
trap 'echo "srun TERM" >> "$LOG"; kill "$step"; exit 143' TERM
while [ "$1" != ray ]; do shift; done
"$@" &
step=$! status=0
wait "$step" || status=$?
exit "$status"
"""
RAY = """
if [ -n "${NO_RAY:-}" ]; then
    trap 'exit 143' TERM
    touch "$LOG.started"
    for ((i = 0; i < ${TENTHS:-0}; i++)); do sleep 0.1; done
    exit 0
fi
while [ "$1" != -- ]; do shift; done
shift
"$@"
trap 'exit 143' TERM
for ((i = 0; i < ${LINGER:-0}; i++)); do sleep 0.1; done # as on the other nodes
"""
SOLVE = "<-m><jaxsolve><cluster><solve>"


@pytest.fixture
def folder(tmp_path):
    for name, text in {"python": PYTHON, "srun": SRUN, "ray": RAY}.items():
        stub(tmp_path, name, text)
    stub(tmp_path, "scontrol", 'echo "scontrol $*" >> "$LOG"\n')
    stub(tmp_path, "getent", 'echo "127.0.1.1 STREAM node"\necho "${ADDRESS:-10.1.2.3} STREAM"\n')
    stub(
        tmp_path,
        "ip",
        'if [ "${*: -1}" = ib0 ]; then echo "2: ib0 inet 10.9.0.7/16 brd 10.9.255.255"; fi\n',
    )
    return tmp_path


def start(folder: Path, script: str, *words: str, **variables: str) -> subprocess.Popen:
    """Starts a script with a home folder of its own and no variables of Slurm and Ray."""
    env = environment(folder, HOME=str(folder), PYTHON=str(folder / "bin" / "python"))
    env = {name: env[name] for name in env if not name.startswith(("SLURM_", "RAY_"))}
    if script == "cluster_slurm.sh":
        env |= {"SLURM_SUBMIT_DIR": str(LAUNCH.parent), "SLURM_JOB_ID": "17"}
        env |= {"SLURM_JOB_NUM_NODES": "3", "SLURM_CPUS_PER_TASK": "6"}
    return subprocess.Popen(
        ["bash", str(LAUNCH / script), *words],
        env=env | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen) -> tuple[int, str]:
    """Its exit status and what it wrote to stderr."""
    _, err = process.communicate(timeout=60)
    return process.returncode, err


def log(folder: Path) -> list[str]:
    file = folder / "log"
    lines = file.read_text().splitlines() if file.exists() else []
    file.write_text("")
    return lines


def variables_of_ray(folder: Path) -> dict[str, str]:
    lines = (folder / "log.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


BOTH = pytest.mark.parametrize("script", ["cluster_local.sh", "cluster_slurm.sh"])


# ---- both scripts --------------------------------------------------------------------------------
@BOTH
@pytest.mark.parametrize("option", [["--out", "a b"], ["-o", "a b"], ["--out=a b"]])
def test_a_run_whose_folder_exists_is_resumed(folder, script, option):
    option = [word.replace("a b", str(folder / "a b")) for word in option]
    for words in ([], ["--resume"]):
        for exists in (False, True):
            if exists:
                (folder / "a b").mkdir(exist_ok=True)
            assert finish(start(folder, script, "moves:a2 b3", *option, *words)) == (0, "")
            (line,) = [each for each in log(folder) if "<-m>" in each]
            assert line.startswith(f"{SOLVE}<moves:a2 b3>")
            assert line.count("<--resume>") == (1 if words or exists else 0)
        (folder / "a b").rmdir()


@BOTH
def test_a_run_without_a_folder_is_refused(folder, script):
    for words in (["moves:a2 b3"], ["moves:a2 b3", "--out"]):
        status, err = finish(start(folder, script, *words))
        assert (status, err) == (2, "name the folder of the run: --out FOLDER\n")
    assert log(folder) == []


@BOTH
def test_a_token_is_created_for_its_owner_only_and_used_again(folder, script):
    token = folder / ".ray" / "auth_token"
    for _ in range(2):
        assert finish(start(folder, script, "p", "--out", "new")) == (0, "")
        assert stat.S_IMODE(token.stat().st_mode) == 0o600
        assert len(token.read_text()) == 64 and [*token.parent.iterdir()] == [token]
        found = variables_of_ray(folder)
        assert found["RAY_AUTH_MODE"] == "token" and found["RAY_USAGE_STATS_ENABLED"] == "0"
        assert found["RAY_AUTH_TOKEN_PATH"] == str(token)
        text = token.read_text()
    token.chmod(0o644)  # as Ray creates it
    assert finish(start(folder, script, "p", "--out", "new")) == (0, "")
    assert (token.read_text(), stat.S_IMODE(token.stat().st_mode)) == (text, 0o600)


@BOTH
def test_a_token_file_of_the_user_is_used_and_an_empty_one_refused(folder, script):
    token = folder / "mine"
    token.write_text("secret")
    names = {"RAY_AUTH_TOKEN_PATH": str(token)}
    assert finish(start(folder, script, "p", "--out", "new", **names)) == (0, "")
    assert variables_of_ray(folder)["RAY_AUTH_TOKEN_PATH"] == str(token)
    assert token.read_text() == "secret" and not (folder / ".ray").exists()
    token.write_text("")
    status, err = finish(start(folder, script, "p", "--out", "new", **names))
    assert (status, err) == (2, f"the token file {token} is empty or not readable\n")


# ---- one machine ---------------------------------------------------------------------------------
def local(folder: Path, *words: str, **variables: str) -> str:
    status, err = finish(start(folder, "cluster_local.sh", *words, **variables))
    assert (status, err) == (0, "")
    (line,) = log(folder)
    return line


def test_one_machine_has_a_worker_a_core_unless_told_otherwise(folder):
    words = ["a b", "--out", "new"]
    cores = len(os.sched_getaffinity(0))
    assert local(folder, *words) == f"{SOLVE}<a b><--out><new><--workers><{cores}>"
    assert local(folder, *words, WORKERS="7") == f"{SOLVE}<a b><--out><new><--workers><7>"
    for option in (["--workers", "3"], ["--workers=3"], ["-w", "3"], ["-w3"]):
        shown = "".join(f"<{word}>" for word in [*words, *option])
        assert local(folder, *words, *option) == f"{SOLVE}{shown}"


@pytest.mark.parametrize("workers", ["0", "-1", "many", "1.5", " "])
def test_a_wrong_number_of_workers_is_refused(folder, workers):
    status, err = finish(start(folder, "cluster_local.sh", "p", "--out", "new", WORKERS=workers))
    assert (status, err) == (2, f"WORKERS={workers} is not a number of workers: give 1 or more\n")
    assert log(folder) == []


def test_a_missing_python_is_named_before_anything_is_made(folder):
    started = start(folder, "cluster_local.sh", "p", "--out", "new", PYTHON="/no/python")
    status, err = finish(started)
    assert status == 2 and err.startswith("there is no /no/python: run launch/quickstart.sh first")
    assert log(folder) == []


def test_ray_listens_on_loopback_on_one_machine(folder):
    name = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
    local(folder, "p", "--out", "new", "--address", "10.1.2.3:6379")
    assert name not in variables_of_ray(folder)  # it would hide this machine from the others
    local(folder, "p", "--out", "new")
    assert variables_of_ray(folder)[name] == "0"


@pytest.mark.parametrize("status", [0, 1, 2, 10, 20, 130])
def test_the_exit_status_is_that_of_the_command(folder, status):
    for script in ("cluster_local.sh", "cluster_slurm.sh"):
        words = ("p", "--out", "new")
        assert finish(start(folder, script, *words, STATUS=str(status))) == (status, "")
        assert not any("requeue" in line for line in log(folder))


# ---- Slurm ---------------------------------------------------------------------------------------
def slurm(folder: Path, **variables: str) -> tuple[int, str]:
    return finish(start(folder, "cluster_slurm.sh", "a b", "--out", "new", **variables))


def step(nodes: int, address: str, cpus: str = "6") -> list[str]:
    """The log of a job: the step of Slurm, and the command on the head."""
    number = f"--num-cpus={cpus}" if cpus else ""
    return [
        f"srun {cpus} --ntasks={nodes} --ntasks-per-node=1 --kill-on-bad-exit=1 ray symmetric-run "
        f"--address {address} --min-nodes {nodes} {number}".rstrip(),
        f"{SOLVE}<a b><--out><new><--address><auto>",
    ]


def test_slurm_starts_ray_on_all_nodes_at_a_private_address(folder):
    assert slurm(folder) == (0, "")
    assert log(folder) == step(3, "10.1.2.3:6379")
    assert "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER" not in variables_of_ray(folder)
    assert slurm(folder, INTERFACE="ib0", PORT="7000") == (0, "")
    assert log(folder) == step(3, "10.9.0.7:7000")
    assert slurm(folder, SLURM_CPUS_PER_TASK="") == (0, "")
    assert log(folder) == step(3, "10.1.2.3:6379", cpus="")


def test_slurm_uses_loopback_on_one_node(folder):
    assert slurm(folder, SLURM_JOB_NUM_NODES="1") == (0, "")
    assert log(folder) == step(1, "127.0.0.1:6379")
    assert variables_of_ray(folder)["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] == "0"


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"ADDRESS": "8.8.8.8"}, "8.8.8.8 is a public address: give INTERFACE=... of a private"),
        ({"ADDRESS": "127.0.0.2"}, "has no network address: give INTERFACE=..."),
        ({"INTERFACE": "ib7"}, "INTERFACE=ib7 has no IPv4 address on"),
        ({"PORT": "0"}, "PORT=0 is not a port"),
        ({"PORT": "65536"}, "PORT=65536 is not a port"),
        ({"PORT": "a"}, "PORT=a is not a port"),
    ],
)
def test_slurm_refuses_a_wrong_address_in_one_sentence(folder, variables, said):
    status, err = slurm(folder, **variables)
    assert status == 2 and said in err and err.count("\n") == 1
    assert log(folder) == []


def test_slurm_uses_a_public_address_if_told_so(folder):
    assert slurm(folder, ADDRESS="8.8.8.8", PUBLIC="1") == (0, "")
    assert log(folder) == step(3, "8.8.8.8:6379")


@pytest.mark.parametrize("word", ["--address", "--address=auto", "--backend", "--backend=ray"])
def test_slurm_refuses_options_that_it_sets(folder, word):
    status, err = finish(start(folder, "cluster_slurm.sh", "p", "--out", "new", word, "x"))
    assert (status, err) == (2, f"leave out {word}: it is set here\n")


@pytest.mark.parametrize(
    ("on_term", "requeued"), [(130, True), (137, True), (0, False), (10, False), (20, False)]
)
def test_slurm_stops_the_manager_and_requeues_an_incomplete_run(folder, on_term, requeued):
    job = start(
        folder, "cluster_slurm.sh", "a b", "--out", "new", TENTHS="200", ON_TERM=str(on_term)
    )
    wait_for(folder / "log.started")
    job.send_signal(signal.SIGTERM)
    assert finish(job) == (on_term, "")
    lines = ["python TERM"] + ["scontrol requeue 17"] * requeued  # Ray itself gets no SIGTERM
    assert log(folder) == step(3, "10.1.2.3:6379") + lines


def test_slurm_ends_ray_where_it_waits_for_the_head_after_the_run(folder):
    assert slurm(folder, LINGER="200", GRACE="1", STATUS="20") == (20, "")
    assert log(folder) == [*step(3, "10.1.2.3:6379"), "srun TERM"]


def test_slurm_reports_that_ray_did_not_start(folder):
    said = "the run has no exit status: Ray did not start or was ended\n"
    assert slurm(folder, NO_RAY="1") == (1, said)
    assert log(folder) == step(3, "10.1.2.3:6379")[:1]


def test_slurm_requeues_a_job_that_is_stopped_while_ray_starts(folder):
    job = start(folder, "cluster_slurm.sh", "a b", "--out", "new", TENTHS="20", NO_RAY="1")
    wait_for(folder / "log.started")
    job.send_signal(signal.SIGTERM)
    assert finish(job)[0] == 1
    assert log(folder)[1:] == ["srun TERM", "scontrol requeue 17"]


def test_the_job_is_requeued_and_warned_by_slurm():
    lines = (LAUNCH / "cluster_slurm.sh").read_text().splitlines()
    assert {"#SBATCH --requeue", "#SBATCH --exclusive", "#SBATCH --signal=B:TERM@180"} <= {*lines}
