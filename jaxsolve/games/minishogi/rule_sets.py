"""Rule sets of MiniShogi."""

from jaxsolve.games.options import Entry, choice, factory_of

ENTRIES = (
    Entry(
        "minishogi",
        factory_of("jaxsolve.games.minishogi.game", "MiniShogi"),
        (
            choice(
                "repetition",
                "none",
                meaning="Repeated positions have no effect: the game continues.",
            ),
        ),
        summary="shogi on 5x5 squares, with drops and promotion",
        example="'..k../...../..P../...../..K.. b hands=GGRRBBSSp' --game minishogi",
    ),
)
