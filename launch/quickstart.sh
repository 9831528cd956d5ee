#!/usr/bin/env bash
# From a clone to checked proofs: installs jaxsolve, then solves a Go life-and-death position, a
# Gomoku position and a Hex opening. The independent checker, which needs nothing but Python,
# confirms each proof. Proofs go to runs/quickstart-DATE.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source launch/venv.sh
install_jaxsolve
jaxsolve() { "$PYTHON" -m jaxsolve.cli "$@"; }

problems=configs/problems/quickstart.json
out=runs/quickstart-$(date +%Y%m%d-%H%M%S)
started=$(date +%s)
for problem in go-life gomoku-win hex-opening; do
    echo
    echo "== $problem: jaxsolve solve $problems:$problem --out $out/$problem"
    status=0
    jaxsolve solve "$problems:$problem" --out "$out/$problem" || status=$?
    if [ "$status" != 0 ] && [ "$status" != 20 ]; then
        echo "the search ended with exit code $status and no proof" >&2
        exit "$status"
    fi
    echo "-- python -m jaxsolve.proof.check $out/$problem/proof.jsonl.gz"
    "$PYTHON" -m jaxsolve.proof.check "$out/$problem/proof.jsonl.gz"
done
echo
echo "three positions solved and checked in $(($(date +%s) - started)) s; the proofs are in $out"
