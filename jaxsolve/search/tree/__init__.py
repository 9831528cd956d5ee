"""The proof tree and its transposition table in flat arrays, with zones and patterns."""
