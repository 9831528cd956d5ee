"""Proof-number search: numbers, descents and passes over the graph."""
