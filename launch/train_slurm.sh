#!/usr/bin/env bash
#SBATCH --job-name=jaxsolve
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-task=1
#SBATCH --cpus-per-task=8
#SBATCH --time=24:00:00
#SBATCH --requeue
# 'jaxsolve train' on Slurm, a process for each task; the arguments are those of 'jaxsolve train', and the folder must be on a disk that all nodes see.
#   sbatch --nodes=4 launch/train_slurm.sh +exp=killallgo7_pcn
# JAX finds out from Slurm who its processes are. A job that is requeued goes on from its last checkpoint. Sweeps: hydra/launcher=submitit_slurm.
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-$(dirname "${BASH_SOURCE[0]}")/..}"
srun --kill-on-bad-exit=1 "${PYTHON:-.venv/bin/python}" -m jaxsolve train "$@" distributed=true
