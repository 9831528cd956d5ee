"""Life-and-death studies of Go positions: the status for either side first, and all first moves."""
