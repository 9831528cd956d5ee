"""Tiny positions with certificates of every game and rule option, for tests of the checker."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from support.proofs import solver as proof_tools


class Case(NamedTuple):
    """One claim.

    ``depth`` > 0: the most moves of the claimant in a depth-first search; 0: exhaustion.
    """

    game: str
    rules: str
    root: str
    player: str
    result: str = "wins"
    threats: bool = False
    depth: int = 0


def tsumego(
    size: int, goal: str, defender: str, crucial: str, region: str = "all", **options: str
) -> str:
    """A tsumego rule-set id."""
    values = {
        "ko": "simple",
        "fill_eyes": "true",
        "ko_black": "allow",
        "ko_white": "allow",
        **options,
    }
    return (
        f"tsumego-{size};ko={values['ko']};passes=not-achieved;fill_eyes={values['fill_eyes']};"
        f"goal={goal};defender={defender};"
        f"crucial={crucial};region={region};"
        f"ko_black={values['ko_black']};ko_white={values['ko_white']}"
    )


MIAI = "XXXXXXXXX/X.......X/X.X.X.X.X/XXXXXXXXX/XXXXXXXXX/XXXXXXXXX/OOOOOOOOO/OOOXXXOOO/...X.X... b"
"""White needs one move on the left and one on the right, and Black can prevent neither."""

_SHOGI = "minishogi;repetition=none"
_ROW = "...../XXXXX/OOOOO/O...O/OOOOO"
_SEVEN = "killallgo-7;ko={ko};passes={passes};fill_eyes={fill}"
HAND = [
    Case("hex", "hex-1", ". b", "black"),
    *(
        Case("hex", "hex-3", root, player, threats=t)
        for root, player in ((".../.../... b", "black"), (".X./.../... w", "white"))
        for t in (False, True)
    ),
    *(
        Case(
            "gomoku",
            "gomoku-3;line=3;win=five-or-more;knowledge=ndk",
            ".../.../... b",
            player,
            "does-not-lose",
            t,
        )
        for player in ("black", "white")
        for t in (False, True)
    ),
    *(
        Case("go", f"killallgo-9;ko={ko};passes={passes};fill_eyes={fill}", MIAI, "white", depth=2)
        for ko, passes, fill in (
            ("simple", "stones", "false"),
            ("simple", "not-achieved", "true"),
            ("situational", "not-achieved", "false"),
        )
    ),
    Case(
        "go",
        _SEVEN.format(ko="simple", passes="stones", fill="true"),
        "......./......./..X.X../......./...O.../......./....... w passes=1",
        "white",
        depth=2,
    ),
    Case(
        "go",
        _SEVEN.format(ko="positional", passes="not-achieved", fill="false"),
        "XX.XXXX/XXXXXXX/X.XXXXX/XXXXXXX/XX.XXX./OOOOOOO/OOOOOO. b",
        "black",
        depth=4,
    ),
    Case(
        "go",
        _SEVEN.format(ko="simple", passes="not-achieved", fill="true"),
        "XX.XXXX/XXXXXXX/X.XXXXX/XXXXXXX/XXXXXX./OOOOOOO/OOOOO.. b",
        "black",
        depth=3,
    ),
    Case("minishogi", _SHOGI, ".r.../Psb../p.S.k/...R./GK.g. w hands=b", "white", depth=2),
    Case("minishogi", _SHOGI, "r...k/g..sp/.bg.r/...../K..+b. b hands=Ps", "white", depth=1),
    Case("minishogi", _SHOGI, "...B./.GB.S/....k/.pK.p/.GR.+s w hands=R", "black", depth=1),
    Case("go", tsumego(5, "live", "white", "A3", "B2,C2,D2,A5,B5"), _ROW + " b", "black", depth=6),
    Case(
        "go",
        tsumego(5, "live", "white", "A3", "A1,B2,C2,D2,A5", fill_eyes="false"),
        _ROW + " w",
        "white",
        depth=2,
    ),
    Case(
        "go",
        tsumego(5, "kill", "white", "A3", "B2,C2,D2,A5"),
        "..XXX/XXXXX/OOOOO/O...O/OOOOO b",
        "black",
        depth=8,
    ),
    Case(
        "go",
        tsumego(5, "live", "black", "A3", "A1,B1,C1,D1,E1,C4", ko="positional"),
        "O.O.O/OO.OO/XXXXX/OXXXO/..... b",
        "black",
        depth=2,
    ),
]

_DRAWN = [
    *[
        ("gomoku", f"gomoku-4;line=3;win={win};knowledge={k}", "..../..../..../.... b", 5)
        for win in ("five-or-more", "exact5")
        for k in ("ndk", "4t")
    ],
    *[
        ("gomoku", f"gomoku-5;line=4;win={w};knowledge={k}", "...../...../...../...../..... b", 15)
        for w, k in (("exact5", "4t"), ("five-or-more", "ndk"))
    ],
    ("hex", "hex-2", "../.. b", 0),
    ("hex", "hex-3", ".../.../... b", 1),
    ("hex", "hex-4", "..../..../..../.... b", 7),
    ("slither", "slither-2", "../.. b", 0),
    ("slither", "slither-3", ".../.../... b", 5),
    ("go", "go-2;ko=simple;komi=0.5", "../.. b", 1),
    ("go", "go-2;ko=positional;komi=1", "../.. b", 3),
    ("go", "go-2;ko=situational;komi=0.5", "../.. b", 3),
    ("go", tsumego(3, "kill", "white", "A1", ko_black="forbid"), "XX./.XX/OO. b", 1),
    ("go", tsumego(3, "live", "black", "B2,B3", ko="situational"), ".XO/XXO/.X. w", 4),
    (
        "go",
        tsumego(3, "kill", "black", "any", "A1,B1,C1,A2,A3,C3", fill_eyes="false"),
        ".../XXX/.O. w",
        0,
    ),
    ("knightthrough", "knightthrough-4;rules=forward", "O.O./.O../X.../.X.X b", 1),
    ("knightthrough", "knightthrough-4;rules=all", "O.../.O../..../.X.X b", 2),
    ("loa", "loa-4;simultaneous=draw;no_moves=pass", "X..O/..../..../O..X b", 2),
    ("loa", "loa-4;simultaneous=mover;no_moves=loss", "X..O/..../..../O..X b", 4),
    ("awari", "awari;rules=ludii", "", 0),
]


def drawn(seed: int) -> Iterator[Case]:
    """Claims about random positions of play; those that hold have certificates."""
    rng = random.Random(seed)
    for game, rule_set, start, plies in _DRAWN:
        rules = proof_tools.rules_of(game, rule_set)
        text = start or _late_awari(rng)
        for _ in range(plies):
            position = rules.position(text)
            following = [] if rules.verdict(position) else list(rules.replies(position).values())
            following = [child for child in following if not rules.verdict(rules.position(child))]
            text = rng.choice(following) if following else text
        deep = 40 if "ko=positional" in rule_set or "ko=situational" in rule_set else 0
        for player in rules.players:
            for result in (
                ("wins", "does-not-lose")
                if game in ("awari", "gomoku")
                or "komi" in rule_set
                or "simultaneous=draw" in rule_set
                else ("wins",)
            ):
                yield Case(
                    game,
                    rule_set,
                    text,
                    player,
                    result,
                    game in ("hex", "gomoku") and rng.random() < 0.5,
                    deep,
                )


def _late_awari(rng: random.Random) -> str:
    pits = [0] * 12
    for _ in range(5):
        pits[rng.randrange(12)] += 1
    south = rng.randrange(20, 24)
    rows = "/".join(",".join(map(str, row)) for row in (pits[:6], pits[6:]))
    return f"{rows} {rng.choice('sn')} captured={south}:{43 - south}"


@functools.cache
def certificate(case: Case) -> Any:
    """Lines of the case's certificate, or None if its claim does not hold."""
    try:
        if not case.depth:
            return proof_tools.certificate(
                case.game,
                case.rules,
                case.root,
                case.player,
                case.result,
                case.threats,
                limit=30_000,
            )
        solver = proof_tools.DepthFirst(
            case.game, case.rules, case.player, case.result, case.threats
        )
        return solver.certificate(case.root, case.depth)
    except MemoryError:
        return None
