"""The proof tree and transposition table in flat arrays: nodes, paths, expansion, zones, eviction."""
