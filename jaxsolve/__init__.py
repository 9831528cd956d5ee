"""jaxsolve: solves two-player board games and gives a proof anyone can check."""

__version__ = "0.1.0"
