"""Running searches: a search and its steps, its job and folder, and the pool of many jobs."""
