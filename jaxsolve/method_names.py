"""Names of the search methods in the order of ``jaxsolve.search.METHODS``, for the command line, which lists them without importing the search."""

METHOD_NAMES = ("pns", "dfpn", "fdfpn", "mcts")
