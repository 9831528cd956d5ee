"""Rule sets of Lines of Action."""

from jaxsolve.games.options import Entry, choice, factory_of

ENTRIES = (
    Entry(
        "loa-N",
        factory_of("jaxsolve.games.loa.game", "Loa"),
        (
            choice(
                "simultaneous",
                "draw",
                "mover",
                meaning="Result of a move that joins the pieces of both sides: a draw, or a win "
                "of the mover.",
            ),
            choice(
                "no_moves",
                "pass",
                "loss",
                meaning="Effect of having no legal move: the player passes, or loses.",
            ),
        ),
        sizes=range(4, 9),
        default_size=8,
        summary="Lines of Action: joining all own pieces; "
        "a piece moves as far as its line holds pieces",
        example="'......../...XX.../..XOX..X/..O...../...O..O./......../......../........ b' "
        "--game loa-8",
    ),
)
