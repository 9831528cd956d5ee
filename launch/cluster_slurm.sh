#!/usr/bin/env bash
#SBATCH --job-name=jaxsolve-cluster
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --exclusive
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@180
#SBATCH --open-mode=append
# Runs 'jaxsolve cluster solve' on Slurm: Ray on all nodes of the job, the manager on the first.
#   sbatch --nodes=8 launch/cluster_slurm.sh quickstart.json:go-life --workers 63 --out runs/life
#   sbatch --nodes=2 --gpus-per-task=4 launch/cluster_slurm.sh ... -w 8 --worker-gpus 1 --out DIR
# Arguments are those of 'jaxsolve cluster solve' except --address and --backend. The folder of
# --out must be on a disk that all nodes see, because a requeued job may start on other nodes. A run
# whose folder exists is resumed. 180 s before the time limit the run is saved, and the job is
# requeued until the run is complete. Submit it from the repository. Variables:
#   INTERFACE  network interface of the cluster (such as ib0); else the address of the host's name
#   PUBLIC=1   allows an address outside the private ranges
#   PORT       of Ray's head (6379)
#   GRACE      seconds after the run until Ray is ended on nodes where it still waits (15)
#   RAY_AUTH_TOKEN_PATH  file with the token, on all nodes (~/.ray/auth_token); created if absent
# '--exclusive': at its end Ray stops every Ray process of the user on the node.
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-$(dirname "${BASH_SOURCE[0]}")/..}"
source launch/cluster.sh
python=${PYTHON:-.venv/bin/python} nodes=${SLURM_JOB_NUM_NODES:-1} port=${PORT:-6379}
refuse() { echo "$*" >&2 && exit 2; }
for word in "$@"; do
    case $word in
    --address | --address=* | --backend | --backend=*) refuse "leave out $word: it is set here" ;;
    esac
done
read_arguments "$@"
[[ $port =~ ^[1-9][0-9]*$ ]] && [ "$port" -le 65535 ] || refuse "PORT=$port is not a port"

# Ray runs its own program 'ray', which must be the one of this Python.
case $python in */*) PATH=$(cd "$(dirname "$python")" && pwd):$PATH ;; esac
command -v ray >/dev/null || refuse "Ray is not installed: install jaxsolve[cluster]"

if [ "$nodes" -eq 1 ]; then
    address=127.0.0.1
    export RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0 # listens on 127.0.0.1 only, on Linux too
elif [ -n "${INTERFACE:-}" ]; then
    address=$(ip -4 -o address show dev "$INTERFACE" 2>/dev/null |
        awk '{ sub("/.*", "", $4); print $4; exit }') || address=
    [ -n "$address" ] || refuse "INTERFACE=$INTERFACE has no IPv4 address on $(hostname)"
else
    address=$(getent ahostsv4 "$(hostname)" | awk '$1 !~ /^127\./ { print $1; exit }') || address=
    [ -n "$address" ] || refuse "$(hostname) has no network address: give INTERFACE=..."
fi
private='import ipaddress, sys; sys.exit(not ipaddress.ip_address(sys.argv[1]).is_private)'
if [ -z "${PUBLIC:-}" ] && ! "$python" -c "$private" "$address"; then
    refuse "$address is a public address: give INTERFACE=... of a private network, or PUBLIC=1"
fi
use_token "$python"

# Since Slurm 22.05 srun does not inherit --cpus-per-task.
if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK; fi
export RAY_SYMMETRIC_RUN_CLUSTER_WAIT_TIMEOUT=${RAY_SYMMETRIC_RUN_CLUSTER_WAIT_TIMEOUT:-300}

# The manager's process and exit status are noted: SIGTERM goes to the manager alone, so that Ray
# runs until the manager has saved, and 'ray symmetric-run' also returns 0 if Ray does not start.
notes=$(mktemp -d)
trap 'rm -rf "$notes"' EXIT
srun --ntasks="$nodes" --ntasks-per-node=1 --kill-on-bad-exit=1 \
    ray symmetric-run --address "$address:$port" --min-nodes "$nodes" \
    ${SLURM_CPUS_PER_TASK:+"--num-cpus=$SLURM_CPUS_PER_TASK"} -- \
    bash launch/cluster_head.sh "$notes" \
    "$python" -m jaxsolve cluster solve "$@" --address auto ${resume[@]+"${resume[@]}"} &
step=$!

stopping=
stop() {
    stopping=1
    # Without a manager Ray is still starting.
    kill -TERM "$(cat "$notes/pid" 2>/dev/null || echo "$step")" 2>/dev/null || true
}
trap stop TERM
left=${GRACE:-15}
while kill -0 "$step" 2>/dev/null; do
    sleep 1 >/dev/null 2>&1 &
    wait -n || true # for the step, the second or a signal
    if [ -e "$notes/status" ] && [ $((left--)) -eq 0 ]; then kill -TERM "$step" || true; fi
done
status=$(cat "$notes/status" 2>/dev/null) || status=
if [ -z "$status" ]; then
    echo "the run has no exit status: Ray did not start or was ended" >&2
    status=1
fi
case $status in
0 | 2 | 10 | 20) ;; # answered, bad input, or a limit of the search: complete
*)
    if [ -n "$stopping" ] && [ -n "${SLURM_JOB_ID:-}" ]; then
        echo "the time limit is near: job $SLURM_JOB_ID is requeued and resumes the run"
        scontrol requeue "$SLURM_JOB_ID"
    fi
    ;;
esac
exit "$status"
