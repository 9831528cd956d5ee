"""Exit codes of the commands. The README of this folder defines them."""

PROVED, FAILED, BAD_INPUT, UNKNOWN, DISPROVED, INTERRUPTED = 0, 1, 2, 10, 20, 130
