#!/usr/bin/env bash
# Installs jaxsolve with its test tools and runs the tests.
#   launch/test.sh                the tests that every change must pass
#   launch/test.sh --all          also the long ones (marker: full)
#   launch/test.sh -m smoke       other arguments go to pytest
#   PYTHON=python3.13 VENV=.venv-3.13 launch/test.sh -m smoke
# JOBS is the number of processes (default 2).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source launch/venv.sh
install_jaxsolve "[${EXTRAS:-tests}]"

choice=(-m "not full") arguments=()
for argument in "$@"; do
    if [ "$argument" = --all ]; then choice=(); else arguments+=("$argument"); fi
done
# The tests of a file stay in one process, which compiles shared code once; tests/conftest.py puts
# the longest files first.
exec "$PYTHON" -m pytest -n "${JOBS:-2}" --dist loadfile --no-loadscope-reorder \
    ${choice[@]+"${choice[@]}"} ${arguments[@]+"${arguments[@]}"}
