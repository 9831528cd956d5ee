"""Go certificates with zones, written by hand."""

from __future__ import annotations

from support import mutations
from support.proofs import corpus as check_corpus


def certificate(rules: str, player: str, *nodes: dict) -> list:
    """Lines of a certificate whose nodes are numbered from 1 in order; the last is the root."""
    header = {
        "format": "jaxsolve-proof",
        "version": 1,
        "game": "go",
        "rules": rules,
        "root": nodes[-1]["pos"],
    }
    lines = [{**header, "claim": {"player": player, "result": "wins"}}]
    lines += [{"id": number, "n": 1, **node} for number, node in enumerate(nodes, 1)]
    return mutations.tidy([*lines, {"end": True, "nodes": 0, "root": 0}])


ATTACK = certificate(
    check_corpus.tsumego(5, "kill", "white", "A1"),
    "black",
    {"pos": "...../...../...../XX.../.XX.. w crucial=-", "leaf": "captured", "zone": "A1"},
    {"pos": "...../...../...../XX.../O.X.. b passes=1", "or": ["B1", 1], "zone": "A1,B1,A2"},
    {
        "pos": "...../...../...../XX.../O.X.. w",
        "must-play": [["pass", 2]],
        "zone": "A1,B1,C1,A2,B2,C2,A3",
    },
    {"pos": "..O../.O.../...O./XX..O/O.X.. b", "or": ["E5", 3]},
)


_ESCAPE = (
    {"pos": "...../...../...../XX.../.XX.. w crucial=-", "leaf": "captured", "zone": "A1"},
    {"pos": "...../...../...../XX.../O.... b passes=1", "or": ["B1", 1], "zone": "A1,B1,A2"},
    {"pos": "...../...../...../XX.../..X.. w crucial=-", "leaf": "captured", "zone": "A1"},
    {"pos": "...../...../...../XX.../OO... b", "or": ["C1", 3], "zone": "A1,B1,C1,A2,B2"},
)


ESCAPE = certificate(
    check_corpus.tsumego(5, "kill", "white", "A1"),
    "black",
    *_ESCAPE,
    {
        "pos": "...../...../...../XX.../O.... w",
        "must-play": [["pass", 2], ["B1", 4]],
        "zone": "A1,B1,C1,A2,B2,C2,A3",
    },
)


WIDE = certificate(
    check_corpus.tsumego(5, "kill", "white", "A1"),
    "black",
    *_ESCAPE,
    {"pos": "O.O../...../.O.O./XX.O./O..OO w", "must-play": [["pass", 2], ["B1", 4]]},
)


LIFE = certificate(
    check_corpus.tsumego(5, "live", "white", "A2,A5"),
    "white",
    {
        "pos": "...../...../...../OOOO./.O.O. b crucial=A2",
        "leaf": "benson",
        "zone": "A1,B1,C1,D1,A2,B2,C2,D2",
    },
    {"pos": "OXXXX/...../XXXXX/OOOO./.O..X w", "or": ["D1", 1], "zone": "A1,B1,C1,D1,A2,B2,C2,D2"},
)


KO = certificate(
    check_corpus.tsumego(5, "kill", "white", "A2"),
    "black",
    {"pos": "...../X..../XX.../.X.../X.X.. w crucial=-", "leaf": "captured", "zone": "A2"},
    {"pos": "...../X..../.X.../OX.../X.X.. b passes=1", "or": ["A3", 1], "zone": "A1,A2,B2,A3"},
    {
        "pos": "...../X..../.X.../OX.../X.X.. w ko=B1",
        "must-play": [["pass", 2]],
        "zone": "A1,B1,A2,B2,C2,A3,B3,A4,A5",
    },
    {
        "pos": "...../X..../.X.../OX.../.OX.. b",
        "or": ["A1", 3],
        "zone": "A1,B1,C1,A2,B2,C2,A3,B3,A4,A5",
    },
)


HAND = {"attack": ATTACK, "escape": ESCAPE, "wide": WIDE, "life": LIFE, "ko": KO}
