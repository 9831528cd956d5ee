"""Play: UCT and PN-MCTS of many games at once, players, and matches between them."""

from jaxsolve.play.match import Matches, Player, RandomPlayer
from jaxsolve.play.players import TreePlayer, named_search
from jaxsolve.play.records import Record
from jaxsolve.play.tree_search import PlayoutSearch, Searched, search

__all__ = ["Matches", "Player", "PlayoutSearch", "RandomPlayer", "Record", "Searched", "TreePlayer", "named_search", "search"]
