"""Gomoku for the checker: the board (``board``) and the rules with threats (``rules``)."""
