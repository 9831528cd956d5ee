"""Exit codes of the commands; their meaning is in the README of this folder."""

PROVED, FAILED, BAD_INPUT, UNKNOWN, DISPROVED, INTERRUPTED = 0, 1, 2, 10, 20, 130
