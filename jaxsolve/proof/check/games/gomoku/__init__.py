"""Gomoku for the checker: rules and threats."""
