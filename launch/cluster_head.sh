#!/usr/bin/env bash
# Runs a command for cluster_slurm.sh on the head, and notes its process and its exit status in a
# folder: bash launch/cluster_head.sh FOLDER COMMAND...
notes=$1 && shift
trap : TERM
"$@" &
command=$! status=0
echo "$command" >"$notes/pid.part" && mv "$notes/pid.part" "$notes/pid"
wait "$command" || status=$?
while kill -0 "$command" 2>/dev/null; do # a signal ends 'wait' early
    status=0
    wait "$command" || status=$?
done
echo "$status" >"$notes/status.part" && mv "$notes/status.part" "$notes/status"
