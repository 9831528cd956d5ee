"""The proof tree and its table in flat arrays: nodes, paths, expansion, zones, patterns."""
