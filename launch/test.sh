#!/usr/bin/env bash
# Installs jaxsolve with its test tools and runs the tests; arguments go to pytest.
#   launch/test.sh                         everything, on two processes (JOBS=N for another number)
#   launch/test.sh -m smoke                the short part
#   PYTHON=python3.13 VENV=.venv-3.13 launch/test.sh -m smoke
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source launch/venv.sh
install_jaxsolve "[${EXTRAS:-tests}]"
# A file's tests stay in one process, so that what they share is made and compiled once; tests/conftest.py puts the longest files first.
exec "$PYTHON" -m pytest -n "${JOBS:-2}" --dist loadfile --no-loadscope-reorder "$@"
