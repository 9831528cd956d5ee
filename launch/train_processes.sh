#!/usr/bin/env bash
# 'jaxsolve train' in several processes on this machine, each with devices of its own; the arguments are those of 'jaxsolve train'.
#   PROCESSES=2 bash launch/train_processes.sh +exp=killallgo7_pcn
# The first process that fails ends all of them. On a machine with GPUs each process takes its share of them, in order.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

count=${PROCESSES:-2}
python=${PYTHON:-.venv/bin/python}
gpus=$( (nvidia-smi --list-gpus 2>/dev/null || true) | wc -l)
if [ "$gpus" -gt 0 ] && [ $((gpus % count)) -ne 0 ]; then
    echo "$gpus GPUs cannot be shared out evenly to PROCESSES=$count" >&2
    exit 2
fi
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("localhost", 0)); print(s.getsockname()[1])')
export JAX_COORDINATOR_ADDRESS=localhost:$port JAX_NUM_PROCESSES=$count

pids=()
for ((number = 0; number < count; number++)); do
    share=
    for ((gpu = number * gpus / count; gpu < (number + 1) * gpus / count; gpu++)); do share+="${share:+,}$gpu"; done
    JAX_PROCESS_ID=$number CUDA_VISIBLE_DEVICES=${share:-${CUDA_VISIBLE_DEVICES:-}} "$python" -m jaxsolve train "$@" distributed=true &
    pids+=($!)
done
trap 'kill "${pids[@]}" 2>/dev/null || true' INT TERM
status=0
for _ in "${pids[@]}"; do
    ended=0
    wait -n || ended=$?
    if [ "$ended" -ne 0 ]; then
        [ "$status" -ne 0 ] || status=$ended
        kill "${pids[@]}" 2>/dev/null || true # the others would wait for it for ever
    fi
done
exit "$status"
