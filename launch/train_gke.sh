#!/usr/bin/env bash
# Runs 'jaxsolve train' as a JobSet on Kubernetes (GKE): an indexed job with one pod a process.
#   IMAGE=registry/jaxsolve:1 CLAIM=my-shared-disk PODS=4 GPUS=8 \
#       bash launch/train_gke.sh +exp=killallgo7_pcn out=/out/pcn
#   IMAGE=... CLAIM=... TPU=tpu-v5-lite-podslice TOPOLOGY=4x4 CHIPS=4 PODS=4 \
#       bash launch/train_gke.sh +exp=killallgo7_pcn out=/out/pcn
# Needs kubectl and the JobSet controller. IMAGE has this package installed with the extra cuda or
# tpu. CLAIM is a volume claim that all pods may write, mounted as /out. DRY=1 prints the JobSet.
#   PODS, GPUS (a pod, 1), ACCELERATOR (GKE's name of the GPU, such as nvidia-l4)
#   TPU (GKE's name of the accelerator), TOPOLOGY, CHIPS (a pod, 4), PODS (hosts of the slice)
#   CPUS (8), MEMORY (32Gi), SHM (8Gi), GRACE (seconds to save after SIGTERM, 120), NAME
set -euo pipefail
: "${IMAGE:?name the image: IMAGE=...}" "${CLAIM:?name the volume claim for /out: CLAIM=...}"
name=${NAME:-jaxsolve-train} pods=${PODS:-1}
words=
for word in "$@" distributed=true; do
    words+=", $("${PYTHON:-python3}" -c 'import json, sys; print(json.dumps(sys.argv[1]))' "$word")"
done
if [ -n "${TPU:-}" ]; then
    : "${TOPOLOGY:?name the topology of the slice: TOPOLOGY=4x4}"
    device="google.com/tpu: ${CHIPS:-4}"
    selector="{cloud.google.com/gke-tpu-accelerator: $TPU, cloud.google.com/gke-tpu-topology: \"$TOPOLOGY\"}"
    processes="[]" # GKE describes the slice to JAX
else
    device="nvidia.com/gpu: ${GPUS:-1}"
    selector="{${ACCELERATOR:+cloud.google.com/gke-accelerator: $ACCELERATOR}}"
    processes="
                    - {name: JAX_COORDINATOR_ADDRESS, value: \"$name-train-0-0.$name:1234\"}
                    - {name: JAX_NUM_PROCESSES, value: \"$pods\"}
                    - name: JAX_PROCESS_ID
                      valueFrom: {fieldRef: {fieldPath: \"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}"
fi
jobset() {
    cat <<JOBSET
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: $name}
spec:
  failurePolicy: {maxRestarts: 100} # a run resumes from its last checkpoint
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
              terminationGracePeriodSeconds: ${GRACE:-120}
              nodeSelector: $selector
              containers:
                - name: train
                  image: $IMAGE
                  command: ["python", "-m", "jaxsolve", "train"${words}]
                  env: $processes
                  resources:
                    requests: {cpu: "${CPUS:-8}", memory: ${MEMORY:-32Gi}, $device}
                    limits: {memory: ${MEMORY:-32Gi}, $device}
                  volumeMounts:
                    - {name: out, mountPath: /out}
                    - {name: shm, mountPath: /dev/shm}
              volumes:
                - {name: out, persistentVolumeClaim: {claimName: $CLAIM}}
                - {name: shm, emptyDir: {medium: Memory, sizeLimit: ${SHM:-8Gi}}}
JOBSET
}
if [ -n "${DRY:-}" ]; then jobset; else jobset | kubectl apply -f -; fi
