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
mkdir -p "$out"
solve() { jaxsolve solve "$problems:$1" --out "$out/$1"; }
# Compilation takes most of the time of a first run, so the last two are solved beside the first.
trap 'jobs -p | xargs -r kill' EXIT
declare -A running=()
for problem in gomoku-win hex-opening; do
    solve "$problem" >"$out/$problem.txt" 2>&1 &
    running[$problem]=$!
done
for problem in go-life gomoku-win hex-opening; do
    echo
    echo "== $problem: jaxsolve solve $problems:$problem --out $out/$problem"
    status=0
    if [ -n "${running[$problem]:-}" ]; then
        wait "${running[$problem]}" || status=$?
        cat "$out/$problem.txt"
    else
        solve "$problem" || status=$?
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
