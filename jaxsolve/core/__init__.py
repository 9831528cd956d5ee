"""Foundations that know nothing of games: bitboards, the process, run folders, strict JSON."""
