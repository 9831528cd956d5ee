"""Proof-number search: its numbers, walks and the analysis of repetition."""
