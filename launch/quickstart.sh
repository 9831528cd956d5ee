#!/usr/bin/env bash
# From a clone to checked proofs: installs jaxsolve, then solves a Go life-and-death position, a
# Gomoku position and a Hex opening. The independent checker, which needs nothing but Python,
# confirms each proof. Proofs go to runs/quickstart-DATE.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source launch/venv.sh
install_jaxsolve

problems=configs/problems/quickstart.json
out=runs/quickstart-$(date +%Y%m%d-%H%M%S)
started=$(date +%s)
mkdir -p "$out"
# Compilation takes most of the time of a first run, so the last two are solved beside the first.
trap 'kill $(jobs -pr) 2>/dev/null || true' EXIT
others=(gomoku-win hex-opening) running=()
for problem in "${others[@]}"; do
    (exec "$PYTHON" -m jaxsolve.cli solve "$problems:$problem" --out "$out/$problem") \
        >"$out/$problem.txt" 2>&1 &
    running+=($!)
done
number=0
for problem in go-life "${others[@]}"; do
    echo
    echo "== $problem: jaxsolve solve $problems:$problem --out $out/$problem"
    status=0
    if [ "$problem" = go-life ]; then
        "$PYTHON" -m jaxsolve.cli solve "$problems:$problem" --out "$out/$problem" || status=$?
    else
        wait "${running[number]}" || status=$?
        number=$((number + 1))
        cat "$out/$problem.txt"
    fi
    if [ "$status" != 0 ] && [ "$status" != 20 ]; then
        echo "the search ended with exit code $status and no proof" >&2
        exit "$status"
    fi
    echo "-- python -m jaxsolve.proof.check $out/$problem/proof.jsonl.gz"
    "$PYTHON" -m jaxsolve.proof.check "$out/$problem/proof.jsonl.gz"
done
echo
echo "three positions solved and checked in $(($(date +%s) - started)) s; the proofs are in $out"
