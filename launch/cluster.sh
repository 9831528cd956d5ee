# Sourced by the scripts that run 'jaxsolve cluster solve': reads their arguments, makes the token.

# Sets $out to the folder of --out in the arguments, and the array $resume to --resume if the folder
# exists. Ends the script if there is no --out.
read_arguments() {
    local word previous= resumes=
    out='' resume=()
    for word in "$@"; do
        case $previous in --out | -o) out=$word ;; esac
        case $word in
        --out=*) out=${word#--out=} ;;
        --resume) resumes=1 ;;
        esac
        previous=$word
    done
    if [ -z "$out" ]; then
        echo "name the folder of the run: --out FOLDER" >&2
        exit 2
    fi
    if [ -d "$out" ] && [ -z "$resumes" ]; then resume=(--resume); fi
}

# Turns on Ray's token authentication: processes without the token cannot join the cluster. The
# token is in RAY_AUTH_TOKEN_PATH (~/.ray/auth_token), which is created if it does not exist.
use_token() { # $1 = Python
    export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH=${RAY_AUTH_TOKEN_PATH:-$HOME/.ray/auth_token}
    if [ ! -e "$RAY_AUTH_TOKEN_PATH" ]; then
        mkdir -p "$(dirname "$RAY_AUTH_TOKEN_PATH")"
        local part=$RAY_AUTH_TOKEN_PATH.$$
        (umask 077 && "$1" -c 'import secrets; print(secrets.token_hex(32), end="")' >"$part")
        # Of two jobs that start together, one creates the file and both use it.
        ln "$part" "$RAY_AUTH_TOKEN_PATH" 2>/dev/null || true
        rm "$part"
    fi
    if [ ! -s "$RAY_AUTH_TOKEN_PATH" ] || [ ! -r "$RAY_AUTH_TOKEN_PATH" ]; then
        echo "the token file $RAY_AUTH_TOKEN_PATH is empty or not readable" >&2
        exit 2
    fi
    # Ray itself creates it readable for all users.
    if ! chmod 600 "$RAY_AUTH_TOKEN_PATH" 2>/dev/null; then
        echo "the token file $RAY_AUTH_TOKEN_PATH belongs to another user" >&2
        exit 2
    fi
    export RAY_USAGE_STATS_ENABLED=0
}
