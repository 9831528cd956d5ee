#!/usr/bin/env bash
# Runs 'jaxsolve cluster solve' on this machine, with one worker a core.
#   bash launch/cluster_local.sh quickstart.json:go-life --out runs/life
#   WORKERS=4 bash launch/cluster_local.sh 'moves:a2 b3' --game hex-4 --out runs/hex
# Arguments are those of 'jaxsolve cluster solve'. A run whose folder exists is resumed. SIGTERM and
# Ctrl-C save it. WORKERS is the number of workers, unless the arguments have --workers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source launch/cluster.sh
read_arguments "$@"

workers=${WORKERS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)}
if ! [[ $workers =~ ^[1-9][0-9]*$ ]]; then
    echo "WORKERS=$workers is not a number of workers: give 1 or more" >&2
    exit 2
fi
number=(--workers "$workers") local=1
for word in "$@"; do
    case $word in
    --workers | --workers=* | -w | -w[0-9]*) number=() ;;
    --address | --address=*) local= ;;
    esac
done

python=${PYTHON:-.venv/bin/python}
if ! command -v "$python" >/dev/null; then
    echo "there is no $python: run launch/quickstart.sh first, or name a Python with PYTHON=..." >&2
    exit 2
fi
use_token "$python"
# A Ray of this run alone then listens on 127.0.0.1. Without this variable it listens on all
# interfaces on Linux, even if the address of the node is given as 127.0.0.1.
if [ -n "$local" ]; then export RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0; fi
exec "$python" -m jaxsolve cluster solve "$@" \
    ${number[@]+"${number[@]}"} ${resume[@]+"${resume[@]}"}
