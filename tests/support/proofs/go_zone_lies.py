"""Steps of Go zones that are false, each refused by one condition of the checker alone
(``go_zone_clauses``: by one clause of a condition).

Most were found by drawing steps at random until a checker without that condition took one that the
enumeration of ``go_zone_steps`` refutes.
"""

from __future__ import annotations

from support.proofs import corpus as check_corpus
from support.proofs.go_zone_steps import Step


def rules(defender: str, crucial: str, region: str, **options: str) -> str:
    return check_corpus.tsumego(3, "live", defender, crucial, region, **options)


CONDITIONS = {
    "same_stones": Step(
        rules("black", "any", "all"),
        0,
        "must-play",
        "OOO/.XO/O.X w",
        "A1,B1,C1,B2,C2,A3,B3,C3",
        (("pass", "XOO/.XO/O.X b ko=B1", "B1,C3"),),
        "",
    ),
    "same_crucial": Step(
        rules("white", "B2,C2", "all"),
        0,
        "or",
        "XOO/..O/O.. b crucial=C2",
        "A1,B1,C1,A2,B2,C2,A3,B3,C3",
        (("C1", "XOO/..O/XXX w ko=A2 crucial=B2", "C1,C2"),),
        "",
    ),
    "no_end_by_passes": Step(
        rules("black", "any", "all"),
        1,
        "or",
        "..X/XX./OO. w",
        "A1,B1,C1,A2,B2,C2,A3,B3,C3",
        (("C2", "..X/XXO/OO. b passes=1", "C1,B2,C3"),),
        "",
    ),
    "same_ko": Step(
        rules("white", "any", "all", ko_black="forbid"),
        0,
        "or",
        "XXX/.OX/XX. b",
        "A1,B1,A2,B2,C2,A3,B3,C3",
        (("A2", "XXX/X.X/.XX w ko=B2", "B1,B2,C2,A3"),),
        "",
    ),
    "shows_life": Step(
        rules("black", "any", "all"),
        0,
        "leaf",
        ".XX/XXX/..X w",
        "A1,B1,C1,A2,B2,A3,B3,C3",
        (),
        "benson",
    ),
    "shows_capture": Step(
        rules("white", "C1,C2", "all"),
        0,
        "leaf",
        ".../O../... w crucial=-",
        "A1,B1,C1,A2,B2,A3,B3,C3",
        (),
        "captured",
    ),
    "move_inside": Step(
        rules("black", "any", "all"),
        0,
        "or",
        ".../.../XX. b",
        "B1,C1,A2,C2,A3,B3,C3",
        (("B2", ".../.X./XX. w", "C1,A3,B3,C3"),),
        "",
    ),
    "child_inside": Step(
        rules("black", "any", "all"),
        0,
        "or",
        "XXX/.../..O b",
        "A1,B1,A2,B2,C2,A3,B3,C3",
        (("A2", "XXX/X../..O w", "C1,A2,B2,A3,B3,C3"),),
        "",
    ),
    "stays_legal": Step(
        rules("black", "any", "all"),
        0,
        "or",
        ".O./OOX/O.X b",
        "A1,B1,C1,A2,B2,C2,A3,B3",
        (("B1", ".O./OOX/OXX w", "A1,C1,A2,B2,A3,B3"),),
        "",
    ),
    "same_captures": Step(
        rules("black", "any", "all"),
        1,
        "or",
        ".../OO./.OX w",
        "A1,B1,C1,A2,B2,A3,B3,C3",
        (("C3", "..O/OO./.OX b", "A1,B1,C1,A2,B2,A3"),),
        "",
    ),
    "ko_arises": Step(
        rules("black", "any", "all"),
        1,
        "or",
        "..O/XXO/X.X w",
        "B1,C1,B2,C2,B3,C3",
        (("B1", "..O/XXO/XO. b ko=C1", "C1,B2,B3,C3"),),
        "",
    ),
    "fills_no_eye": Step(
        rules("white", "any", "all", fill_eyes="false"),
        0,
        "or",
        "XXX/.X./OXX b",
        "B1,C1,A2,B2,C2,A3,B3,C3",
        (("A2", "XXX/XX./.XX w", "B1,A2,B2,C2,A3,B3,C3"),),
        "",
    ),
    "takes_no_ko": Step(
        rules("white", "any", "all", ko_black="forbid", ko_white="forbid"),
        1,
        "or",
        ".../OO./.XO w",
        "A1,B1,C1,B2,C2,A3",
        (("A1", ".../OO./O.O b", "A1,B1,C1,B2,C2,A3"),),
        "",
    ),
    "stones_stay": Step(
        rules("black", "any", "all"),
        1,
        "must-play",
        "OO./..O/O.O b",
        "A1,B1,C1,B2,C2,A3,B3,C3",
        (("B1", "OO./..O/OXO w", "A1,C2,A3,C3"),),
        "",
    ),
    "no_other_ko": Step(
        rules("black", "any", "all"),
        0,
        "must-play",
        "..O/..O/XOO w",
        "A1,B1,C1,A2,C2",
        (("pass", "O.O/..O/XOO b passes=1", "A1,A2,C2"), ("A2", "..O/O.O/.OO b", "A1,B1,C2")),
        "",
    ),
    "stays_illegal": Step(
        rules("black", "any", "all"),
        0,
        "must-play",
        ".X./X../... w",
        "A1,B1,C1,B2,C2,A3,B3,C3",
        (("C3", ".XO/X../... b", "A3"),),
        "",
    ),
    "is_suicide": Step(
        rules("black", "any", "all"),
        0,
        "must-play",
        ".X./X../... w",
        "A1,B1,C1,B2,C2,A3,B3,C3",
        (("C3", ".XO/X../... b", "A3"),),
        "",
    ),
    "is_own_eye": Step(
        rules("black", "any", "all"),
        0,
        "must-play",
        ".X./X../... w",
        "A1,B1,C1,B2,C2,A3,B3,C3",
        (("C3", ".XO/X../... b", "A3"),),
        "",
    ),
    "is_barred_ko": Step(
        rules("black", "any", "all"),
        0,
        "must-play",
        ".X./X../... w",
        "A1,B1,C1,B2,C2,A3,B3,C3",
        (("C3", ".XO/X../... b", "A3"),),
        "",
    ),
    "leaves_out": Step(
        rules("black", "any", "all"),
        0,
        "must-play",
        ".X./X../... w",
        "A1,B1,C1,B2,C2,A3,B3,C3",
        (("C3", ".XO/X../... b", "A3"),),
        "",
    ),
    "unanswered": Step(
        rules("black", "any", "all"),
        0,
        "must-play",
        ".XO/..O/X.O w",
        "A1,B1,A2,B2,A3,B3,C3",
        (("B2", ".XO/.OO/X.O b", "A3,C3"),),
        "",
    ),
}
"""Method of the checker's zones -> a step that it alone refuses, and that is false."""
