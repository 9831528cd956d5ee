"""Monte-Carlo tree search with solving (MCTS-solver, PN-MCTS)."""
