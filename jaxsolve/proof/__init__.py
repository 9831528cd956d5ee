"""Proofs: the log of decided positions, certificates made from it, and their checker."""
