"""The checker's own rules, one module or package for each game; standard library only."""
