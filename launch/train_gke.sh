#!/usr/bin/env bash
# 'jaxsolve train' as a JobSet on Kubernetes (GKE), one indexed job with a pod for each process; needs kubectl and the JobSet controller.
#   IMAGE=registry/jaxsolve:1 CLAIM=my-shared-disk PODS=4 bash launch/train_gke.sh +exp=killallgo7_pcn out=/out/pcn
# IMAGE has this package installed; CLAIM is a volume claim that all pods may write, mounted as /out. DRY=1 prints the JobSet instead.
set -euo pipefail
: "${IMAGE:?name the image: IMAGE=...}" "${CLAIM:?name the volume claim for /out: CLAIM=...}"
name=${NAME:-jaxsolve-train} pods=${PODS:-1} gpus=${GPUS:-1}
words=
for word in "$@" distributed=true; do words+=", $("${PYTHON:-python3}" -c 'import json, sys; print(json.dumps(sys.argv[1]))' "$word")"; done
jobset() {
    cat <<JOBSET
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: $name}
spec:
  failurePolicy: {maxRestarts: 10} # a run goes on from its last checkpoint
  replicatedJobs:
    - name: train
      replicas: 1
      template:
        spec:
          parallelism: $pods
          completions: $pods
          completionMode: Indexed
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              containers:
                - name: train
                  image: $IMAGE
                  command: ["python", "-m", "jaxsolve", "train"${words}]
                  env:
                    - {name: JAX_COORDINATOR_ADDRESS, value: "$name-train-0-0.$name:1234"}
                    - {name: JAX_NUM_PROCESSES, value: "$pods"}
                    - name: JAX_PROCESS_ID
                      valueFrom: {fieldRef: {fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}
                  resources: {limits: {nvidia.com/gpu: $gpus}}
                  volumeMounts: [{name: out, mountPath: /out}]
              volumes: [{name: out, persistentVolumeClaim: {claimName: $CLAIM}}]
JOBSET
}
if [ -n "${DRY:-}" ]; then jobset; else jobset | kubectl apply -f -; fi
