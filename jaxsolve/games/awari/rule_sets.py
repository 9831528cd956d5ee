"""Rule sets of Awari."""

from jaxsolve.games.options import Entry, choice, factory_of

ENTRIES = (
    Entry(
        "awari",
        factory_of("jaxsolve.games.awari.game", "Awari"),
        (
            choice(
                "rules",
                "ludii",
                meaning="Source of the rules: Ludii's, where a capture may not take the "
                "opponent's last seeds, and the game ends if no pit holds two seeds.",
            ),
        ),
        summary="sowing game on two rows of six pits",
        example="'0,0,0,0,1,1/0,0,0,1,0,2 s captured=22:21' --game awari",
    ),
)
