#!/usr/bin/env bash
#SBATCH --job-name=jaxsolve
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-task=1
#SBATCH --cpus-per-task=8
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@120
#SBATCH --open-mode=append
# Runs 'jaxsolve train' on Slurm, one process a task, each with all GPUs of its task.
#   sbatch --nodes=4 --gpus-per-task=4 launch/train_slurm.sh +exp=killallgo7_pcn
# Arguments are those of 'jaxsolve train'; 'out' must be visible to all nodes. JAX detects the
# processes. 120 s before the time limit the processes save the same iteration, and the job is
# requeued until the run is complete. Sweeps: hydra/launcher=submitit_slurm.
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-$(dirname "${BASH_SOURCE[0]}")/..}"
# Since Slurm 22.05 srun does not inherit --cpus-per-task.
if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK; fi

srun --kill-on-bad-exit=1 "${PYTHON:-.venv/bin/python}" -m jaxsolve train "$@" distributed=true &
step=$!
stopping=
trap 'stopping=1; kill -TERM "$step" 2>/dev/null || true' TERM # srun passes it on to the tasks
status=0
wait "$step" || status=$?
while kill -0 "$step" 2>/dev/null; do # a signal ends 'wait' early
    status=0
    wait "$step" || status=$?
done
if [ -n "$stopping" ] && [ "$status" -ne 0 ] && [ -n "${SLURM_JOB_ID:-}" ]; then
    echo "the time limit is near: job $SLURM_JOB_ID is requeued and continues the run"
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
