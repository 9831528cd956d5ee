"""Registry entries of Go and its life-and-death rule sets."""

from jaxsolve.games.options import Entry, choice, factory_of, flag, number, word

_KO = choice(
    "ko",
    "simple",
    "positional",
    "situational",
    meaning=(
        "What may not be repeated: a ko retaken at once (simple), any earlier board (positional),"
        " any earlier board with the same side to move."
    ),
)
_EYES = flag(
    "fill_eyes",
    default=True,
    meaning="Whether a side may fill its own true eyes; false makes searches shorter.",
)
_KOMI = number(
    "komi",
    float,
    default="7.5",
    values="a number of whole or half points",
    meaning="What is added to White's area; a whole number allows draws.",
    example="0.5",
)
_KILLALL = (
    _KO,
    choice(
        "passes",
        "not-achieved",
        "stones",
        meaning=(
            "After two passes Black has won (not-achieved), or White if it has a stone (stones)."
        ),
    ),
    _EYES,
)
THREATS = {f"threats-{count}": count for count in (1, 2, 3)}
"""The values of ``ko_black`` and ``ko_white`` that give a side ko threats, and their number."""
KO_CHOICES = ("allow", "forbid", *THREATS)
_MAY_KO = (
    "Whether {} may make a move that starts or takes a ko; forbid also keeps such problems free of"
    " repetitions. threats-2: it may, and with each of 2 ko threats it may retake a ko at once."
)
_TSUMEGO = (
    _KO,
    choice("passes", "not-achieved", meaning="After two passes the side with the goal has failed."),
    _EYES,
    choice(
        "goal",
        "live",
        "kill",
        meaning="What is asked: that the defender lives (live) or that the attacker kills (kill).",
    ),
    choice("defender", "black", "white", meaning="Whose stones are to live or die."),
    word(
        "crucial",
        "a comma-separated list of points or 'any'",
        default="any",
        meaning=(
            "The defender's stones in question: one must live or all must die. any: whichever"
            " stones live, captures decide nothing."
        ),
        example="B2,C2",
    ),
    word(
        "region",
        "a comma-separated list of points or 'all'",
        default="all",
        meaning=(
            "Where stones may be placed; every other point is left as it is. A small region makes a"
            " problem small."
        ),
        example="A1,B1,C1,A2",
    ),
    choice("ko_black", *KO_CHOICES, meaning=_MAY_KO.format("Black")),
    choice("ko_white", *KO_CHOICES, meaning=_MAY_KO.format("White")),
)


def _killall(size: int) -> Entry:
    return Entry(
        f"killallgo-{size}",
        factory_of("jaxsolve.games.go.killall", "KillallGo", size=size),
        _KILLALL,
        summary=f"White must live on a {size}x{size} board",
        example=f"position.sgf --game killallgo-{size} --rule fill_eyes=false",
        aliases={"killallgo": "killallgo-7"} if size == 7 else {},
    )


ENTRIES = (
    Entry(
        "go-N",
        factory_of("jaxsolve.games.go.plain", "Go"),
        (_KO, _KOMI),
        sizes=range(2, 20),
        default_size=19,
        aliases={"go_9x9": "go-9", "go_19x19": "go-19"},
        summary="plain Go, area scoring",
        example="'moves:A1' --game go-2 --rule ko=positional --rule komi=0.5",
    ),
    _killall(7),
    _killall(9),
    Entry(
        "tsumego-N",
        factory_of("jaxsolve.games.go.tsumego", "Tsumego"),
        _TSUMEGO,
        sizes=range(2, 20),
        default_size=9,
        summary="Go life and death with crucial stones",
        example=(
            "'X.O/OOX/O.X b' --game tsumego-3 --rule goal=kill --rule defender=white --rule"
            " crucial=B2 --rule ko_black=forbid"
        ),
    ),
)
