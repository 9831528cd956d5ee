"""Play: UCT and PN-MCTS of many games at once, players, and matches between them."""

from jaxsolve.play.match import Matches, match_env
from jaxsolve.play.player import Player, RandomPlayer
from jaxsolve.play.players import TreePlayer, named_search
from jaxsolve.play.records import Record, Tally, in_words, tally
from jaxsolve.play.tree_search import PlayoutSearch, Searched, search

__all__ = [
    "Matches",
    "Player",
    "PlayoutSearch",
    "RandomPlayer",
    "Record",
    "Searched",
    "Tally",
    "TreePlayer",
    "in_words",
    "match_env",
    "named_search",
    "search",
    "tally",
]
