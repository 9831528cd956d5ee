"""Registry entries of Gomoku."""

from jaxsolve.games.options import Entry, choice, factory_of, number

_SIZES = range(3, 20)
_OPTIONS = (
    number(
        "line",
        int,
        default="5",
        values="a whole number from 3 to the board's size, at most 15",
        meaning="How many in a row win.",
        example="4",
    ),
    choice(
        "win",
        "five-or-more",
        "exact5",
        meaning="Whether a longer row wins too (five-or-more) or only an exact one (exact5).",
    ),
    choice(
        "knowledge",
        "ndk",
        "4t",
        meaning=(
            "No domain knowledge (ndk), or four threats (4t): a stone that leaves two cells to"
            " complete a line at wins at once, a single one must be answered. The winner is the"
            " same, unless a four stands unanswered at the start, and is found far sooner."
        ),
    ),
)

ENTRIES = (
    Entry(
        "gomoku-N",
        factory_of("jaxsolve.games.gomoku.game", "Gomoku"),
        _OPTIONS,
        sizes=_SIZES,
        default_size=15,
        summary="five in a row, Black first",
        example="'moves:C3 A1' --game gomoku-5 --rule line=4",
        aliases={f"gomoku-{size}-exact5": f"gomoku-{size};win=exact5" for size in _SIZES},
    ),
)
