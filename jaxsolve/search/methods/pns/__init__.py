"""Proof-number search: proof and disproof numbers, descents, and passes over the whole graph."""
