#!/usr/bin/env bash
# Runs 'jaxsolve train' in several processes on this machine, each with its own devices.
#   PROCESSES=2 bash launch/train_processes.sh +exp=killallgo7_pcn
# Arguments are those of 'jaxsolve train'. The GPUs are divided among the processes, in order.
# SIGTERM and Ctrl-C are passed on: all processes save the same iteration and end. If one process
# fails, the others are ended, by SIGKILL after GRACE seconds (30).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

count=${PROCESSES:-2}
python=${PYTHON:-.venv/bin/python}
gpus=$( (nvidia-smi --list-gpus 2>/dev/null || true) | wc -l)
if [ "$gpus" -gt 0 ] && [ $((gpus % count)) -ne 0 ]; then
    echo "$gpus GPUs cannot be divided evenly among PROCESSES=$count" >&2
    exit 2
fi
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("localhost", 0)); print(s.getsockname()[1])')
export JAX_COORDINATOR_ADDRESS=localhost:$port JAX_NUM_PROCESSES=$count

pids=()
end_all() { kill -"$1" "${pids[@]}" 2>/dev/null || true; }
trap 'end_all TERM' INT TERM
for ((number = 0; number < count; number++)); do
    share=
    for ((gpu = number * gpus / count; gpu < (number + 1) * gpus / count; gpu++)); do
        share+="${share:+,}$gpu"
    done
    JAX_PROCESS_ID=$number CUDA_VISIBLE_DEVICES=${share:-${CUDA_VISIBLE_DEVICES:-}} \
        "$python" -m jaxsolve train "$@" distributed=true &
    pids+=($!)
done

status=0
killer=
while [ ${#pids[@]} -gt 0 ]; do
    sleep 0.2
    for at in "${!pids[@]}"; do
        if kill -0 "${pids[$at]}" 2>/dev/null; then continue; fi
        ended=0
        wait "${pids[$at]}" || ended=$?
        unset "pids[$at]"
        [ "$status" -ne 0 ] || status=$ended
        if [ "$ended" -ne 0 ] && [ -z "$killer" ] && [ ${#pids[@]} -gt 0 ]; then
            end_all TERM # the others would wait for this one
            (sleep "${GRACE:-30}" && end_all KILL) >/dev/null 2>&1 &
            killer=$!
        fi
    done
done
[ -z "$killer" ] || kill "$killer" 2>/dev/null || true
exit "$status"
