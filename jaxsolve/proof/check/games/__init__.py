"""The checker's own rules, one module or package a game; standard library only."""
