"""Hints: plans, threats and odds, computed from a game's own knowledge.

Plans and odds only order moves and initialise numbers. Threat trees also decide nodes.
"""
