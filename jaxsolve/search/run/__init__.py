"""Running searches: one search, its job and folder, the pool, restarts, answers."""
