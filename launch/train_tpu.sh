#!/usr/bin/env bash
# Runs 'jaxsolve train' on all hosts of a TPU pod slice, and again after every preemption.
#   TPU=my-slice ZONE=us-east5-a bash launch/train_tpu.sh +exp=killallgo7_pcn out=gs://bucket/pcn
#   STOP=1 TPU=my-slice ZONE=us-east5-a bash launch/train_tpu.sh    # saves and stops the run
# Arguments are those of 'jaxsolve train'; 'out' must be visible to all hosts (a shared disk or
# gs://). JAX detects the processes. Variables:
#   FOLDER  this repository on the hosts, installed in its .venv ("jaxsolve[learn,tpu]"); jaxsolve
#   CREATE  options of 'gcloud compute tpus tpu-vm create', to create a slice that is absent or
#           preempted: CREATE="--accelerator-type=v5litepod-16 --version=v2-alpha-tpuv5-lite --spot"
#   SETUP   a command that installs FOLDER on each host of a new slice
#   RETRIES, POLL   attempts (100) and seconds between them (30)
# The run's output is in FOLDER/train.log on each host; the first host's is shown here. The run
# does not depend on this connection: start the same command again to follow it.
set -euo pipefail
: "${TPU:?name the slice: TPU=my-slice}" "${ZONE:?name its zone: ZONE=us-east5-a}"
folder=${FOLDER:-jaxsolve} retries=${RETRIES:-100} poll=${POLL:-30}
tpus() { gcloud compute tpus tpu-vm "$1" "$TPU" --zone="$ZONE" --quiet "${@:2}"; }
on() { tpus ssh --worker="$1" --command="cd $folder && { $2; }"; }
state() { tpus describe --format='value(state)' 2>/dev/null || echo ABSENT; }

# On a host: the exit status of the run, 'running', or 'none'.
status='if [ -f train.status ]; then cat train.status
    elif [ -f train.pid ] && kill -0 "$(cat train.pid)" 2>/dev/null; then echo running
    else echo none; fi'

if [ -n "${STOP:-}" ]; then
    on all 'touch train.stop; if [ -f train.pid ]; then pkill -TERM -P "$(cat train.pid)" || true; fi'
    echo "$TPU: stopping; the same command continues the run"
    exit
fi

create() { # $1 = the slice's state
    if [ -z "${CREATE:-}" ]; then
        echo "$TPU is $1; give CREATE=... to have it created" >&2
        exit 2
    fi
    [ "$1" = ABSENT ] || tpus delete || return 1
    # shellcheck disable=SC2086 # several options
    tpus create $CREATE || return 1
    if [ -n "${SETUP:-}" ]; then tpus ssh --worker=all --command="$SETUP" || return 1; fi
}

printf -v words '%q ' "$@"
run=".venv/bin/python -m jaxsolve train ${words}distributed=true"
# The shell outlives the run to note its status; nohup keeps both when the connection ends.
printf -v shell '%q' "$run; echo \$? >train.status"
start="rm -f train.status train.stop; nohup bash -c $shell >>train.log 2>&1 </dev/null & echo \$! >train.pid"

for ((attempt = 1; attempt <= retries; attempt++)); do
    found=$(state)
    case $found in
    READY) ;;
    CREATING | STARTING | RESTARTING | REPAIRING) sleep "$poll" && continue ;;
    *) create "$found" || { sleep "$poll" && continue; } ;;
    esac
    at=$(on 0 "$status" 2>/dev/null) || { sleep "$poll" && continue; }
    if [ "$at" != running ]; then
        # A host whose process is left from before would not join the new run.
        on all 'if [ -f train.pid ]; then pkill -KILL -P "$(cat train.pid)" || true; fi' || true
        on all "$start" || { sleep "$poll" && continue; }
    fi
    # Ends with the run, or with the slice.
    on 0 'tail -n +1 -F train.log --pid="$(cat train.pid)"' || true
    at=$(on 0 "$status" 2>/dev/null) || at=lost
    case $at in
    0) exit 0 ;;
    2) exit 2 ;; # bad input: another attempt would end the same way
    running | lost | none) ;;
    *)
        stopped=$(on 0 'test ! -f train.stop || echo yes' 2>/dev/null) || stopped=
        [ -z "$stopped" ] || exit "$at"
        ;;
    esac
    echo "$TPU: the run ended with status $at; attempt $((attempt + 1)) follows" >&2
    sleep "$poll"
done
echo "$TPU: no complete run after $retries attempts" >&2
exit 1
