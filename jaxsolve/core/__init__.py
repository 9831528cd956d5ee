"""Foundations below all games: bitboards, process set-up, run folders, strict JSON."""
