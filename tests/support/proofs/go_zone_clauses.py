"""Unsound steps of Go zones, each refused by exactly one clause of a condition of the checker.

Found in the same way as those of ``go_zone_lies``.
"""

from __future__ import annotations

from support.proofs.go_zone_lies import rules
from support.proofs.go_zone_reply_clauses import REPLY_CLAUSES
from support.proofs.go_zone_steps import Step

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
        Step(
            rules("black", "any", "all"),
            1,
            "or",
            "XX./X../O.. w",
            "B1,A2,B2,C2,B3,C3",
            (("B2", "XX./XO./O.. b", ""),),
            "",
        ),
    ),
    "R1: it lies in Z": (
        "bool(child) and not child & ~zone",
        "bool(child)",
        Step(
            rules("black", "any", "all"),
            0,
            "or",
            "XXX/.../..O b",
            "A1,B1,A2,B2,C2,A3,B3,C3",
            (("A2", "XXX/X../..O w", "C1,A2,B2,A3,B3,C3"),),
            "",
        ),
    ),
    "R2: a liberty other than m": (
        "near & view.mine & ~view.my_groups.atari.get(bit, 0)",
        "near & view.mine",
        Step(
            rules("black", "any", "all"),
            0,
            "or",
            ".O./OOX/O.X b",
            "A1,B1,C1,A2,B2,C2,A3,B3",
            (("B1", ".O./OOX/OXX w", "A1,C1,A2,B2,A3,B3"),),
            "",
        ),
    ),
    "R2: what is taken is closed": (
        "return any(view.closed(view.their_groups.atari.get(bit, 0)))",
        "return bool(view.their_groups.atari.get(bit, 0))",
        Step(
            rules("black", "any", "all"),
            1,
            "or",
            "OOO/O../XX. w passes=1",
            "A1,B1,A2,B2,A3,B3,C3",
            (("B2", "OOO/OO./XX. b", "A2,B2,B3"),),
            "",
        ),
    ),
    "R3: groups with m as only liberty": (
        "(loose | view.loose(atari.get(0, 0))) & child",
        "view.loose(atari.get(0, 0)) & child",
        Step(
            rules("black", "any", "all"),
            0,
            "or",
            "..X/.../XOO b",
            "A1,B1,C1,A2,C2,A3,B3,C3",
            (("C2", "..X/..X/XOO w", "A1,B1,C1,C2,A3,B3"),),
            "",
        ),
    ),
    "R3: groups without inner liberty": (
        "(loose | view.loose(atari.get(0, 0))) & child",
        "loose & child",
        Step(
            rules("black", "any", "all"),
            1,
            "or",
            ".../OO./.OX w",
            "A1,B1,C1,A2,B2,A3,B3,C3",
            (("C3", "..O/OO./.OX b", "A1,B1,C1,A2,B2,A3"),),
            "",
        ),
    ),
    "R3: all of N(m) in Z": (
        "return view.whole(bit) and not loose",
        "return not loose",
        Step(
            rules("black", "any", "all"),
            1,
            "or",
            ".../OO./.OX w",
            "A1,B1,C1,A2,B2,A3,B3,C3",
            (("C3", "..O/OO./.OX b", "A1,B1,C1,A2,B2,A3"),),
            "",
        ),
    ),
    "R3: all groups beside m determined": (
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
        Step(
            rules("black", "any", "all"),
            1,
            "or",
            "..O/XXO/X.X w",
            "B1,C1,B2,C2,B3,C3",
            (("B1", "..O/XXO/XO. b ko=C1", "C1,B2,B3,C3"),),
            "",
        ),
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
        "2 if corners.bit_count() == 4 else 1",
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
    **REPLY_CLAUSES,
}
"""Clause -> its text in the checker, a weaker text, and an unsound step that only it refuses."""

IMPLIED = {
    "R4: {x} is closed": ("view.whole(bit | ko) and", "view.whole(bit) and"),
    "A4, suicide: no empty point beside r": (
        "view.near(bit) & view.empty or view.my_groups",
        "view.my_groups",
    ),
    "A4, ko: the rule set has the ban": (
        "if not self.rules.options.no_ko[1 - claimant] or view.near(bit) & ~view.mine:",
        "if view.near(bit) & ~view.mine:",
    ),
    "A4, ko: one stone": (
        "bool(lost) and not lost & (lost - 1) and view.whole(lost)",
        "bool(lost) and view.whole(lost)",
    ),
    "A4, ko: something is taken": (
        "bool(lost) and not lost & (lost - 1) and view.whole(lost)",
        "not lost & (lost - 1) and view.whole(lost)",
    ),
    "A4, null child: groups without inner liberty": (
        "(bit | atari.get(bit, 0) | atari.get(0, 0)) & won.zone",
        "(bit | atari.get(bit, 0)) & won.zone",
    ),
    "A0": ("return position.passes == 0\n", "return True\n"),
}
"""Clauses that follow from others. The checker has them so that each condition is plain by itself.
"""
