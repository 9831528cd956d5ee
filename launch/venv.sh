# Sourced by the other scripts: makes a virtual environment with jaxsolve, and sets $PYTHON to its
# Python. Input: $VENV (folder, default .venv) and $PYTHON (the Python to make it with; default: the
# newest one found). An active environment is used as it is.

find_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3.13 python3.12 python3.11 python3 python; do
        if [ -n "$candidate" ] &&
            "$candidate" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    echo "jaxsolve needs Python 3.11 or later, and none was found;" \
        "name one with PYTHON=/path/to/python" >&2
    return 1
}

install_jaxsolve() { # $1 = extras, such as [tests]
    if [ -n "${VIRTUAL_ENV:-}" ] && [ -z "${VENV:-}" ]; then
        PYTHON=$(command -v python)
    else
        local folder=${VENV:-.venv}
        if [ ! -x "$folder/bin/python" ]; then
            PYTHON=$(find_python)
            "$PYTHON" -m venv "$folder"
        fi
        PYTHON=$folder/bin/python
    fi
    local version
    version=$("$PYTHON" -c 'import platform, sys; print(sys.prefix, "with Python", platform.python_version())')
    echo "installing into $version (a minute or two the first time)"
    "$PYTHON" -m pip install --quiet --disable-pip-version-check \
        --constraint launch/constraints.txt --editable ".${1:-}"
}
