"""Output folder and proof log of one claim of a job."""

from __future__ import annotations

CERTIFICATE, LOG, PROBLEM, RESULT = "proof.jsonl.gz", "proof.log", "problem.json", "result.json"
RELAXATION_LOG = "simple-ko.log"
