"""Hints that a game's knowledge gives a search: plans, threats and odds.

Plans and odds only order moves and initialise numbers. Threat trees also decide nodes.
"""
