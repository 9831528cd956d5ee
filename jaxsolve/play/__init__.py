"""Play: UCT and PN-MCTS of many games at once, players, and matches between them."""

from jaxsolve.play.match import Matches, Player, RandomPlayer, Record
from jaxsolve.play.players import TreePlayer, tree_search
from jaxsolve.play.tree_search import Searched, TreeSearch, search

__all__ = ["Matches", "Player", "RandomPlayer", "Record", "Searched", "TreePlayer", "TreeSearch", "search", "tree_search"]
