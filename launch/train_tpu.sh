#!/usr/bin/env bash
# 'jaxsolve train' on all hosts of a TPU pod slice that exists and has this repository, installed, in the same place on each.
#   TPU=my-slice ZONE=us-east5-a FOLDER=jaxsolve bash launch/train_tpu.sh +exp=killallgo7_pcn out=/mnt/shared/pcn
# 'out' must be on a disk that all hosts see. JAX finds out by itself who its processes are.
set -euo pipefail
: "${TPU:?name the slice: TPU=my-slice}" "${ZONE:?name its zone: ZONE=us-east5-a}"
printf -v words '%q ' "$@"
exec gcloud compute tpus tpu-vm ssh "$TPU" --zone="$ZONE" --worker=all \
    --command="cd ${FOLDER:-jaxsolve} && .venv/bin/python -m jaxsolve train ${words}distributed=true"
