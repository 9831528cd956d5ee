"""Steps of Go zones that are false, each refused by one condition or clause of the checker alone.

Most were found by drawing steps at random until a checker without that condition took one that the enumeration of ``go_zone_steps`` refutes.
"""

from __future__ import annotations

import check_corpus
from go_zone_steps import Step


def rules(defender: str, crucial: str, region: str, **options: str) -> str:
    return check_corpus.tsumego(3, "live", defender, crucial, region, **options)


CONDITIONS = {
    "same_stones": Step(
        rules("black", "any", "all"), 0, "must-play", "OOO/.XO/O.X w", "A1,B1,C1,B2,C2,A3,B3,C3", (("pass", "XOO/.XO/O.X b ko=B1", "B1,C3"),), ""
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
        rules("black", "any", "all"), 1, "or", "..X/XX./OO. w", "A1,B1,C1,A2,B2,C2,A3,B3,C3", (("C2", "..X/XXO/OO. b passes=1", "C1,B2,C3"),), ""
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
    "shows_life": Step(rules("black", "any", "all"), 0, "leaf", ".XX/XXX/..X w", "A1,B1,C1,A2,B2,A3,B3,C3", (), "benson"),
    "shows_capture": Step(rules("white", "C1,C2", "all"), 0, "leaf", ".../O../... w crucial=-", "A1,B1,C1,A2,B2,A3,B3,C3", (), "captured"),
    "move_inside": Step(
        rules("black", "any", "all"), 0, "or", ".../.../XX. b", "B1,C1,A2,C2,A3,B3,C3", (("B2", ".../.X./XX. w", "C1,A3,B3,C3"),), ""
    ),
    "child_inside": Step(
        rules("black", "any", "all"), 0, "or", "XXX/.../..O b", "A1,B1,A2,B2,C2,A3,B3,C3", (("A2", "XXX/X../..O w", "C1,A2,B2,A3,B3,C3"),), ""
    ),
    "stays_legal": Step(
        rules("black", "any", "all"), 0, "or", ".O./OOX/O.X b", "A1,B1,C1,A2,B2,C2,A3,B3", (("B1", ".O./OOX/OXX w", "A1,C1,A2,B2,A3,B3"),), ""
    ),
    "same_captures": Step(
        rules("black", "any", "all"), 1, "or", ".../OO./.OX w", "A1,B1,C1,A2,B2,A3,B3,C3", (("C3", "..O/OO./.OX b", "A1,B1,C1,A2,B2,A3"),), ""
    ),
    "ko_arises": Step(
        rules("black", "any", "all"), 1, "or", "..O/XXO/X.X w", "B1,C1,B2,C2,B3,C3", (("B1", "..O/XXO/XO. b ko=C1", "C1,B2,B3,C3"),), ""
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
        rules("black", "any", "all"), 1, "must-play", "OO./..O/O.O b", "A1,B1,C1,B2,C2,A3,B3,C3", (("B1", "OO./..O/OXO w", "A1,C2,A3,C3"),), ""
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
        rules("black", "any", "all"), 0, "must-play", ".X./X../... w", "A1,B1,C1,B2,C2,A3,B3,C3", (("C3", ".XO/X../... b", "A3"),), ""
    ),
    "is_suicide": Step(
        rules("black", "any", "all"), 0, "must-play", ".X./X../... w", "A1,B1,C1,B2,C2,A3,B3,C3", (("C3", ".XO/X../... b", "A3"),), ""
    ),
    "is_own_eye": Step(
        rules("black", "any", "all"), 0, "must-play", ".X./X../... w", "A1,B1,C1,B2,C2,A3,B3,C3", (("C3", ".XO/X../... b", "A3"),), ""
    ),
    "is_barred_ko": Step(
        rules("black", "any", "all"), 0, "must-play", ".X./X../... w", "A1,B1,C1,B2,C2,A3,B3,C3", (("C3", ".XO/X../... b", "A3"),), ""
    ),
    "leaves_out": Step(
        rules("black", "any", "all"), 0, "must-play", ".X./X../... w", "A1,B1,C1,B2,C2,A3,B3,C3", (("C3", ".XO/X../... b", "A3"),), ""
    ),
    "unanswered": Step(
        rules("black", "any", "all"), 0, "must-play", ".XO/..O/X.O w", "A1,B1,A2,B2,A3,B3,C3", (("B2", ".XO/.OO/X.O b", "A3,C3"),), ""
    ),
}
"""Method of the checker's zones -> a step that it alone refuses, and that is false."""

CLAUSES = {
    "covers: the ko of p with Q to move": (
        "won.ko\n        return not binding",
        "0\n        return not binding",
        Step(
            rules("white", "any", "all", ko_black="forbid"),
            0,
            "or",
            "XXX/.OX/XX. b",
            "A1,B1,A2,B2,C2,A3,B3,C3",
            (("A2", "XXX/X.X/.XX w ko=B2", "B1,B2,C2,A3"),),
            "",
        ),
    ),
    "covers: the ko of q with P to move": (
        "binding = position.ko if position.side == claimant else",
        "binding = 0 if position.side == claimant else",
        Step(
            rules("white", "any", "all"),
            1,
            "must-play",
            "O../OOX/O.O b",
            "A1,B1,C1,A2,C2,A3,B3,C3",
            (
                ("C3", "O.X/OOX/O.O w", "C1,C2"),
                ("pass", "O../OOX/O.O w passes=1", "A1,B1,A2,A3"),
                ("B1", "O../OOX/OX. w ko=C3", "A1,B1,C1,A2,C2,A3,B3,C3"),
            ),
            "",
        ),
    ),
    "R1: the child has a zone": (
        "bool(child) and not child & ~zone",
        "not child & ~zone",
        Step(rules("black", "any", "all"), 1, "or", "XX./X../O.. w", "B1,A2,B2,C2,B3,C3", (("B2", "XX./XO./O.. b", ""),), ""),
    ),
    "R1: it lies in Z": (
        "bool(child) and not child & ~zone",
        "bool(child)",
        Step(rules("black", "any", "all"), 0, "or", "XXX/.../..O b", "A1,B1,A2,B2,C2,A3,B3,C3", (("A2", "XXX/X../..O w", "C1,A2,B2,A3,B3,C3"),), ""),
    ),
    "R2: a liberty other than m": (
        "near & view.mine & ~view.my_groups.atari.get(bit, 0)",
        "near & view.mine",
        Step(rules("black", "any", "all"), 0, "or", ".O./OOX/O.X b", "A1,B1,C1,A2,B2,C2,A3,B3", (("B1", ".O./OOX/OXX w", "A1,C1,A2,B2,A3,B3"),), ""),
    ),
    "R2: what is taken is closed": (
        "return any(view.closed(view.their_groups.atari.get(bit, 0)))",
        "return bool(view.their_groups.atari.get(bit, 0))",
        Step(rules("black", "any", "all"), 1, "or", "OOO/O../XX. w passes=1", "A1,B1,A2,B2,A3,B3,C3", (("B2", "OOO/OO./XX. b", "A2,B2,B3"),), ""),
    ),
    "R3: groups with m as only liberty": (
        "(loose | view.loose(atari.get(0, 0))) & child",
        "view.loose(atari.get(0, 0)) & child",
        Step(rules("black", "any", "all"), 0, "or", "..X/.../XOO b", "A1,B1,C1,A2,C2,A3,B3,C3", (("C2", "..X/..X/XOO w", "A1,B1,C1,C2,A3,B3"),), ""),
    ),
    "R3: groups without inner liberty": (
        "(loose | view.loose(atari.get(0, 0))) & child",
        "loose & child",
        Step(rules("black", "any", "all"), 1, "or", ".../OO./.OX w", "A1,B1,C1,A2,B2,A3,B3,C3", (("C3", "..O/OO./.OX b", "A1,B1,C1,A2,B2,A3"),), ""),
    ),
    "R3: all of N(m) in Z": (
        "return view.whole(bit) and not loose",
        "return not loose",
        Step(rules("black", "any", "all"), 1, "or", ".../OO./.OX w", "A1,B1,C1,A2,B2,A3,B3,C3", (("C3", "..O/OO./.OX b", "A1,B1,C1,A2,B2,A3"),), ""),
    ),
    "R3: all groups beside m settled": (
        "return view.whole(bit) and not loose",
        "return view.whole(bit)",
        Step(
            rules("black", "any", "all"),
            0,
            "or",
            ".OX/X../X.O b",
            "A1,B1,C1,A2,B2,A3,B3,C3",
            (("B1", ".OX/X../XXO w", "A1,B1,C1,A2,B2,A3,B3,C3"),),
            "",
        ),
    ),
    "R4: all of N(m) in Z": (
        "view.whole(bit | ko) and",
        "view.whole(ko) and",
        Step(rules("black", "any", "all"), 1, "or", "..O/XXO/X.X w", "B1,C1,B2,C2,B3,C3", (("B1", "..O/XXO/XO. b ko=C1", "C1,B2,B3,C3"),), ""),
    ),
    "R4: no other group taken": (
        "view.their_groups.atari.get(bit, 0) == ko",
        "True",
        Step(
            rules("black", "any", "all", ko_white="forbid"),
            0,
            "or",
            "X../OX./.O. b",
            "A1,B1,A2,B2,A3,B3,C3",
            (("A1", "XO./.XX/XO. w ko=A2", "A2,B2,A3,C3"),),
            "",
        ),
    ),
    "R5: two diagonal points of four": (
        "(2 if corners.bit_count() == 4 else 1)",
        "1",
        Step(
            rules("white", "any", "all", fill_eyes="false", ko_white="forbid"),
            0,
            "or",
            "OO./X.X/XXX b",
            "A1,B1,C1,A2,B2,C2,C3",
            (("B2", "OO./XXX/XXX w", "A1,C1,C3"),),
            "",
        ),
    ),
    "R5: diagonal points in Z": (
        "(corners & view.zone & ~view.mine)",
        "(corners & ~view.mine)",
        Step(
            rules("white", "any", "all", fill_eyes="false"),
            0,
            "or",
            ".O./XX./O.. b",
            "B1,A2,B2,A3,B3,C3",
            (("B1", ".O./XX./.X. w", "B1,A2,B2,A3,B3,C3"),),
            "",
        ),
    ),
    "R5: points beside m in Z": (
        "view.near(bit) & view.zone & ~view.mine",
        "view.near(bit) & ~view.mine",
        Step(
            rules("white", "any", "all", fill_eyes="false"),
            0,
            "or",
            "XXX/.X./OXX b",
            "B1,C1,A2,B2,C2,A3,B3,C3",
            (("A2", "XXX/XX./.XX w", "B1,A2,B2,C2,A3,B3,C3"),),
            "",
        ),
    ),
    "R6: two stones": (
        ".bit_count() >= 2\n\n",
        ".bit_count() >= 1\n\n",
        Step(
            rules("white", "any", "all", ko_black="forbid", ko_white="forbid"),
            1,
            "or",
            ".../OO./.XO w",
            "A1,B1,C1,B2,C2,A3",
            (("A1", ".../OO./O.O b", "A1,B1,C1,B2,C2,A3"),),
            "",
        ),
    ),
    "R6: closed groups": (
        "return sum(view.closed(view.their_groups.atari.get(bit, 0)))",
        "return view.their_groups.atari.get(bit, 0)",
        Step(
            rules("white", "any", "all", ko_black="forbid", ko_white="forbid"),
            1,
            "or",
            ".OX/XX./XXO w",
            "A1,B1,A2,B2,C2,B3,C3",
            (("C2", ".O./XXO/XXO b", "B3"),),
            "",
        ),
    ),
    "A2: closed groups": (
        "return not view.loose(tight) & inside",
        "return True",
        Step(rules("black", "any", "all"), 1, "must-play", "OO./..O/O.O b", "A1,B1,C1,B2,C2,A3,B3,C3", (("B1", "OO./..O/OXO w", "A1,C2,A3,C3"),), ""),
    ),
    "A2: two inner liberties": (
        "tight = sum(view.my_groups.atari.values())",
        "tight = view.my_groups.atari.get(0, 0)",
        Step(rules("black", "any", "all"), 1, "must-play", "OO./..O/O.O b", "A1,B1,C1,B2,C2,A3,B3,C3", (("B1", "OO./..O/OXO w", "A1,C2,A3,C3"),), ""),
    ),
    "A3: a point of N(r) in Z": (
        "bool(view.near(bit) & (view.empty | view.theirs))",
        "True",
        Step(
            rules("black", "any", "all"),
            0,
            "must-play",
            "..O/..O/XOO w",
            "A1,B1,C1,A2,C2",
            (("pass", "O.O/..O/XOO b passes=1", "A1,A2,C2"), ("A2", "..O/O.O/.OO b", "A1,B1,C2")),
            "",
        ),
    ),
    "A3: another group": (
        "len(closed) > 1 or bool(view.near(bit) & (view.empty | view.theirs))",
        "len(closed) > 0",
        Step(
            rules("black", "any", "all"),
            0,
            "must-play",
            "..O/..O/XOO w",
            "A1,B1,C1,A2,C2",
            (("pass", "O.O/..O/XOO b passes=1", "A1,A2,C2"), ("A2", "..O/O.O/.OO b", "A1,B1,C2")),
            "",
        ),
    ),
    "A4, suicide: all of N(r) in Z": (
        "if not view.whole(bit) or view.near(bit) & view.empty or",
        "if view.near(bit) & view.empty or",
        Step(rules("black", "any", "all"), 0, "must-play", ".X./X../... w", "A1,B1,C1,B2,C2,A3,B3,C3", (("C3", ".XO/X../... b", "A3"),), ""),
    ),
    "A4, suicide: takes nothing": (
        " or view.my_groups.atari.get(bit, 0):\n            return False\n        lost",
        ":\n            return False\n        lost",
        Step(rules("black", "any", "all"), 1, "must-play", "OO./.OO/O.O b", "A1,B2,C2,A3,B3,C3", (("pass", "OO./.OX/O.O w", "C3"),), ""),
    ),
    "A4, suicide: no group beside r with a liberty": (
        "return not view.near(bit) & view.theirs & ~lost and not view.loose(lost)",
        "return not view.loose(lost)",
        Step(
            rules("black", "any", "all", fill_eyes="false"),
            1,
            "must-play",
            ".X./XX./.XX b",
            "A1,B1,C1,A2,C2,A3,B3,C3",
            (("C2", ".X./XXX/.XO w", "A1,A3"),),
            "",
        ),
    ),
    "A4, suicide: closed groups": (
        "return not view.near(bit) & view.theirs & ~lost and not view.loose(lost)",
        "return not view.near(bit) & view.theirs & ~lost",
        Step(
            rules("black", "any", "all"),
            0,
            "must-play",
            "OOO/OOO/OO. w",
            "A1,B1,C1,A2,B2,C2,A3,C3",
            (("pass", "OOO/OOO/OO. b passes=1", "A1,B1,C1,A2,B2,C2,A3,C3"),),
            "",
        ),
    ),
    "A4, eye: all of N(r) is Q's": (
        "if self.rules.options.fill_eyes or view.near(bit) & ~view.theirs:",
        "if self.rules.options.fill_eyes:",
        Step(
            rules("white", "any", "all", fill_eyes="false"),
            1,
            "must-play",
            ".OX/XXX/X.X b",
            "A1,B1,C1,A2,C2,A3,B3,C3",
            (("A3", "X.X/XXX/X.X w", "B1"),),
            "",
        ),
    ),
    "A4, eye: diagonal points": (
        "return (corners & view.theirs).bit_count() >= min(corners.bit_count(), 3)",
        "return True",
        Step(
            rules("white", "any", "all", fill_eyes="false"),
            0,
            "must-play",
            "OOO/.OO/OOO w",
            "A1,C1,A2,B2,A3,C3",
            (("pass", "OOO/.OO/OOO b passes=1", "A1,C1,A2,B2,A3,C3"),),
            "",
        ),
    ),
    "A4, eye: three of four": (
        "min(corners.bit_count(), 3)",
        "min(corners.bit_count(), 2)",
        Step(
            rules("black", "C2", "A1,C1,A2,B2,C2,A3,B3", fill_eyes="false", ko_white="forbid"),
            0,
            "must-play",
            "OOO/O.O/.OO w crucial=-",
            "B1,A2,B2,C2,A3,B3,C3",
            (("pass", "OOX/O.O/.OO b passes=1 crucial=-", "B2,C2"), ("A1", "OOO/O.O/OOO b crucial=-", "B1,A2,B2,C2,A3,B3")),
            "",
        ),
    ),
    "A4, eye: the rule set has the rule": (
        "if self.rules.options.fill_eyes or view.near(bit) & ~view.theirs:",
        "if view.near(bit) & ~view.theirs:",
        Step(
            rules("black", "any", "all"),
            0,
            "must-play",
            "OOO/OOO/OO. w",
            "A1,B1,C1,A2,B2,C2,A3,C3",
            (("pass", "OOO/OOO/OO. b passes=1", "A1,B1,C1,A2,B2,C2,A3,C3"),),
            "",
        ),
    ),
    "A4, ko: all of N(r) is P's": (
        "if not self.rules.options.no_ko[1 - claimant] or view.near(bit) & ~view.mine:",
        "if not self.rules.options.no_ko[1 - claimant]:",
        Step(
            rules("white", "any", "all", ko_black="forbid", ko_white="forbid"),
            0,
            "must-play",
            ".X./XO./O.. w",
            "A1,B1,C1,A2,B2,C2,A3",
            (("B1", ".X./XO./OO. b", "A2,A3"), ("pass", ".X./XO./O.. b passes=1", "A1,B1,A2,B2,C2,A3")),
            "",
        ),
    ),
    "A4, ko: closed": (
        "bool(lost) and not lost & (lost - 1) and view.whole(lost)",
        "bool(lost) and not lost & (lost - 1)",
        Step(
            rules("black", "any", "all", ko_black="forbid", ko_white="forbid"),
            1,
            "must-play",
            ".O./OX./.OX b",
            "B1,C1,A2,B2,C2,A3,B3,C3",
            (("pass", ".O./OX./.OX w passes=1", "A3,B3"),),
            "",
        ),
    ),
    "A4, null child: r outside its zone": (
        "(bit | atari.get(bit, 0) | atari.get(0, 0)) & won.zone",
        "(atari.get(bit, 0) | atari.get(0, 0)) & won.zone",
        Step(rules("black", "any", "all"), 0, "must-play", ".X./X../... w", "A1,B1,C1,B2,C2,A3,B3,C3", (("C3", ".XO/X../... b", "A3"),), ""),
    ),
    "A4, null child: groups with r as only liberty": (
        "(bit | atari.get(bit, 0) | atari.get(0, 0)) & won.zone",
        "(bit | atari.get(0, 0)) & won.zone",
        Step(
            rules("white", "any", "all", ko_white="forbid"),
            0,
            "must-play",
            "XXX/XO./.XO w",
            "A1,B1,C1,B2,B3,C3",
            (("pass", "OXX/.O./.XO b passes=1", "B1,B2"),),
            "",
        ),
    ),
    "A4, null child: is covered": (
        "return self.covers(claimant, passed, won.position, won.zone)",
        "return True",
        Step(
            rules("black", "any", "all"),
            1,
            "must-play",
            "..O/.OO/.O. b",
            "A1,C1,A2,C2,A3,B3,C3",
            (("pass", "..O/.OO/.O. w passes=1", "A1,C1"), ("A1", "..O/.OO/XO. w", "A1,B3")),
            "",
        ),
    ),
    "A1: covering": (
        "if covers(claimant, turned, won, zone):",
        "if True:",
        Step(
            rules("black", "any", "all"),
            0,
            "must-play",
            "XOX/..X/OX. w",
            "B1,C1,A2,B2,C2,A3,B3",
            (("pass", "XO./..X/XX. b passes=1", "B1,C1,A2,B2,A3,B3"), ("A2", ".OX/O.X/OX. b", "B1,A3")),
            "",
        ),
    ),
    "A4: every illegal point": (
        "& self.rules.options.region & ~position.ko & ~legal",
        "& self.rules.options.region & 0 & ~legal",
        Step(rules("black", "any", "all"), 0, "must-play", ".X./X../... w", "A1,B1,C1,B2,C2,A3,B3,C3", (("C3", ".XO/X../... b", "A3"),), ""),
    ),
    "covers: two passes": (
        "return position.passes < 2",
        "return True",
        Step(
            rules("black", "any", "all"),
            0,
            "must-play",
            ".../.../... w passes=1",
            "",
            (("pass", ".../.../... b passes=1", "A1"), ("A1", ".../.../O.. b", "A1")),
        ),
    ),
}
"""Clause -> its words in the checker, weaker ones, and a step that is false and that it alone refuses."""

IMPLIED = {
    "R4: {x} is closed": ("view.whole(bit | ko) and", "view.whole(bit) and"),
    "A4, suicide: no empty point beside r": ("view.near(bit) & view.empty or view.my_groups", "view.my_groups"),
    "A4, ko: the rule set has the ban": (
        "if not self.rules.options.no_ko[1 - claimant] or view.near(bit) & ~view.mine:",
        "if view.near(bit) & ~view.mine:",
    ),
    "A4, ko: one stone": ("bool(lost) and not lost & (lost - 1) and view.whole(lost)", "bool(lost) and view.whole(lost)"),
    "A4, ko: something is taken": ("bool(lost) and not lost & (lost - 1) and view.whole(lost)", "not lost & (lost - 1) and view.whole(lost)"),
    "A4, null child: groups without inner liberty": (
        "(bit | atari.get(bit, 0) | atari.get(0, 0)) & won.zone",
        "(bit | atari.get(bit, 0)) & won.zone",
    ),
    "A0": ("return position.passes == 0\n", "return True\n"),
}
"""Clauses that follow from others, and stand in the checker so that every condition is plain by itself."""
