"""Go records as programs and people write them, each with its position or its sentence."""

from __future__ import annotations

import codecs
import gzip

import pytest

from jaxsolve.formats import sgf, sgf_problem
from jaxsolve.formats.record import FormatError

# The second byte of these characters is a backslash or a closing bracket.
GBK = ["乗", "沑"]
SHIFT_JIS = ["表", "ソ", "能", "十"]
BIG5 = ["功", "許"]
CLOSING_GBK = "漖"


def position(data: bytes | str, **choice) -> str:
    """The stones of a problem row by row without empty rows, then the side to move."""
    found = sgf_problem.read_marked(data, **choice).record
    rows = found.format_board().split("/")
    side = {None: "?", 0: "b", 1: "w"}[found.to_move]
    return f"{'/'.join(rows).rstrip('./')} {side}"


PROBLEM = "X..../.XO w"  # AB[aa][bb]AW[cb]PL[W] on 5x5
STONES = "AB[aa][bb]AW[cb]PL[W]"


def in_bytes(encoding: str, text: str, stated: str = "") -> bytes:
    ca = f"CA[{stated}]" if stated else ""
    return f"(;{ca}SZ[5]C[{text}]{STONES}N[{text}];W[aa]C[{text}])".encode(encoding)


ENCODED = {
    "UTF-8": in_bytes("utf-8", "黑先"),
    "UTF-8 with a mark": codecs.BOM_UTF8 + in_bytes("utf-8", "黑先"),
    "UTF-8 stated": in_bytes("utf-8", "黑先", "utf8"),
    "UTF-16 with a mark": in_bytes("utf-16", "黑先"),
    "UTF-16 without a mark": in_bytes("utf-16-le", "黑先"),
    "UTF-16, big end first": in_bytes("utf-16-be", "黑先"),
    "UTF-16 that states another": in_bytes("utf-16", "黑先", "GB2312"),
    "UTF-32": in_bytes("utf-32", "黑先"),
    "GBK": in_bytes("gb18030", GBK[0]),
    "GBK stated as GB2312": in_bytes("gb18030", GBK[1], "GB2312"),
    "GBK stated as GBK": in_bytes("gb18030", GBK[0], "GBK"),
    "GBK stated as UTF-8": in_bytes("gb18030", GBK[0], "UTF-8"),
    "GBK stated as Latin-1": in_bytes("gb18030", GBK[0], "ISO-8859-1"),
    "GBK with a closing bracket": in_bytes("gb18030", CLOSING_GBK + "先"),
    "Shift-JIS": in_bytes("cp932", SHIFT_JIS[0]),
    "Shift-JIS at every end": in_bytes("cp932", "".join(SHIFT_JIS)),
    "Shift-JIS stated": in_bytes("cp932", SHIFT_JIS[1], "Shift_JIS"),
    "Shift-JIS stated as Latin-1": in_bytes("cp932", SHIFT_JIS[2], "iso8859-1"),
    "EUC-KR": in_bytes("euc_kr", "흑선"),
    "EUC-KR stated": in_bytes("euc_kr", "흑선", "EUC-KR"),
    "Big5 stated": in_bytes("big5", BIG5[0], "Big5"),
    "Big5": in_bytes("big5", BIG5[1]),
    "Latin-1": in_bytes("latin-1", "café"),
    "Latin-1 stated": in_bytes("latin-1", "café", "ISO-8859-1"),
    "Latin-1 stated as GB2312": in_bytes("latin-1", "café", "GB2312"),
    "UTF-8 stated as GB2312": in_bytes("utf-8", "中", "GB2312"),
    "UTF-8 stated as Big5": in_bytes("utf-8", "黑先", "Big5"),
    "UTF-16 after line ends": in_bytes("utf-16-le", "黑先").replace(b"(\0", b"\r\0\n\0(\0", 1),
    "EUC-JP": in_bytes("euc_jp", "黒先"),
    "EUC-JP stated": in_bytes("euc_jp", "黒先", "EUC-JP"),
    "ISO-2022-JP stated": in_bytes("iso2022_jp", "黒先", "ISO-2022-JP"),
    "KOI8-R stated": in_bytes("koi8-r", "чёрные", "KOI8-R"),
    "Windows-1252 stated": in_bytes("cp1252", "café “x”", "windows-1252"),
    "an empty CA": b"(;CA[]" + in_bytes("gb18030", GBK[0])[2:],
    "ASCII stated as UTF-16": in_bytes("ascii", "x", "UTF-16"),
    "bytes of no encoding": in_bytes("ascii", "?").replace(b"?", b"\xff\xfe\x80"),
}


@pytest.mark.parametrize("name", ENCODED)
def test_an_encoding_does_not_change_the_board(name):
    assert position(ENCODED[name]) == PROBLEM


def test_the_characters_of_these_tests_have_such_bytes():
    for encoding, characters in (("gb18030", GBK), ("cp932", SHIFT_JIS), ("big5", BIG5)):
        assert all(character.encode(encoding)[-1:] == b"\\" for character in characters)
    assert CLOSING_GBK.encode("gb18030")[-1:] == b"]"


def test_titles_are_decoded():
    for encoding in ("gb18030", "utf-8", "utf-16"):
        data = f"(;SZ[5]GN[死活\\]{GBK[0]}]{STONES})".encode(encoding)
        assert sgf.read(data).properties["title"] == f"死活]{GBK[0]}"


READ = {
    "long names": ("(;SiZe[5]AddBlack[aa]AddWhite[bb]PLayer[W])", "X..../.O w"),
    "small names": ("(;sz[5]ab[aa]aw[bb]pl[w])", "X..../.O w"),
    "names of moves": ("(;SZ[5]AB[aa]AW[bb];White[cc])", "X..../.O w"),
    "rectangles": ("(;SZ[5]AB[aa:cb]AW[ee:dd]PL[B])", "XXX../XXX../...../...OO/...OO b"),
    "a rectangle of one point": ("(;SZ[5]AB[bb:bb]AW[aa]PL[B])", "O..../.X b"),
    "a list in two properties": ("(;SZ[5]AB[aa]AB[bb]AW[cb]PL[W])", PROBLEM),
    "blanks": (" ( ; SZ [5]\n AB [aa] \r\n [bb]\tAW[ cb ]PL[ W ] ) \n", PROBLEM),
    "a mail before it": ("Subject: [go] (a problem)\n\n(;SZ[5]" + STONES + ")\nbye\n", PROBLEM),
    "a mail with brackets": (
        "From: a@b (c)\nSubject: Problem [1]\n\n1. see [2]:\n(;SZ[5]" + STONES + ")\n-- \nbye\n",
        PROBLEM,
    ),
    "an empty AE": ("(;SZ[5]AB[aa]AE[]AW[bb]PL[W])", "X..../.O w"),
    "empty lists": ("(;SZ[5]AB[]AW[]AE[]TR[];AB[aa]AW[bb]PL[W])", "X..../.O w"),
    "erased stones": ("(;SZ[5]AB[aa][bb];AE[bb]AW[cb]PL[W])", "X..../.X ?"),
    "PL[1]": ("(;SZ[5]AB[aa]AW[bb]PL[1])", "X..../.O b"),
    "PL[2]": ("(;SZ[5]AB[aa]AW[bb]PL[2])", "X..../.O w"),
    "PL[black]": ("(;SZ[5]AB[aa]AW[bb]PL[black];W[cc])", "X..../.O b"),
    "PL[White]": ("(;SZ[5]AB[aa]AW[bb]PL[White])", "X..../.O w"),
    "no side": ("(;SZ[5]AB[aa]AW[bb])", "X..../.O ?"),
    "the first move's side": ("(;SZ[5]AB[aa]AW[bb]C[x];C[y];W[cc];B[dd])", "X..../.O w"),
    "the side in a later node": ("(;SZ[5]AB[aa]AW[bb];PL[W])", "X..../.O w"),
    "a square as a rectangle": ("(;SZ[5:5]AB[aa]AW[bb]PL[W])", "X..../.O w"),
    "stones in two nodes": ("(;SZ[5]AB[aa];AW[bb];W[cc])", "X..../.O w"),
    "stones in the second node": ("(;SZ[5]C[title];AB[aa]AW[bb];W[cc])", "X..../.O w"),
    "two positions": ("(;SZ[5]AB[aa]AW[bb]PL[B];AE[aa]AB[cc]AW[dd])", "X..../.O b"),
    "two positions without AE": ("(;SZ[5]AB[aa:ba]AW[bb]PL[B];AW[ba];AB[cc])", "XX.../.O b"),
    "stones and a move in one node": ("(;SZ[5]AB[aa]AW[bb]B[cc])", "X..../.O b"),
    "stones of the solution": ("(;SZ[5]AB[aa]AW[bb];B[cc];AW[dd]AE[aa];W[ee])", "X..../.O b"),
    "a solution": ("(;SZ[5]AB[aa]AW[bb]PL[B];B[ba]C[RIGHT])", "X..../.O b"),
    "variations": ("(;SZ[5]AB[aa]AW[bb](;W[ba])(;W[ca];B[cb]))", "X..../.O w"),
    "escapes": (r"(;SZ[5]C[a \] b \\]AB[aa]AW[bb]PL[W]N[\\\]])", "X..../.O w"),
    "a bracket that opens in a text": ("(;SZ[5]C[[a [ 1 B\\[x\\]]AB[aa]AW[bb]PL[W])", "X..../.O w"),
    "an unknown property": ("(;SZ[5]MULTIGOGM[1]KGSDE[aa]AB[aa]AW[bb]PL[W])", "X..../.O w"),
    "the size 19": ("(;AB[aa]AW[sa]PL[W])", "X.................O w"),
    "marks alone": ("(;SZ[5]TR[aa])", " ?"),
    "ends of lines": ("(;SZ[5]\n\rAB[aa]\r\n[bb]\r\rAW[cb]\nPL[W]\r)", PROBLEM),
    "NUL bytes at the end": ("(;SZ[5]" + STONES + ")\0\0\0\x1a", PROBLEM),
    "a NUL byte in a text": ("(;SZ[5]C[a\0b]" + STONES + ")", PROBLEM),
    "a page of the web": ("<html><pre>\n(;SZ[5]" + STONES + ")\n</pre></html>", PROBLEM),
    "a point twice": ("(;SZ[5]AB[aa][aa][bb]AW[cb]PL[W])", PROBLEM),
    "a point in two rectangles": ("(;SZ[5]AB[aa:ba][ba:ca]AW[bb]PL[B])", "XXX../.O b"),
    "empty nodes": ("(;SZ[5];;AB[aa]AW[bb];;B[cc];)", "X..../.O b"),
    "FF[1]": ("(;FF[1]SZ[5]" + STONES + ")", PROBLEM),
    "FF[2]": ("(;FF[2]GM[1]SZ[5]" + STONES + ")", PROBLEM),
    "FF[3]": ("(;FF[3]GM[1]SZ[5]" + STONES + ")", PROBLEM),
    "another FF": ("(;FF[5]GM[1]SZ[5]" + STONES + ")", PROBLEM),
    "GM[01]": ("(;GM[01]SZ[05]" + STONES + ")", PROBLEM),
    "the same size twice": ("(;SZ[5];SZ[5]" + STONES + ")", PROBLEM),
    "an empty handicap": ("(;SZ[5]HA[]KM[]" + STONES + ")", PROBLEM),
    "no handicap": ("(;SZ[5]HA[0]KM[6.5]" + STONES + ")", PROBLEM),
    "soft ends of lines": ("(;SZ[5]C[a\\\nb\\\r\nc\\:d]" + STONES + ")", PROBLEM),
    "a pass": ("(;AB[aa]AW[sa];W[tt];B[cc])", "X.................O w"),
    "an empty pass": ("(;SZ[5]AB[aa]AW[bb];W[];B[cc])", "X..../.O w"),
    "tt on 21": (
        "(;SZ[21]AB[tt]AW[aa]PL[B])",
        "O" + "." * 20 + "/" + ("." * 21 + "/") * 18 + "." * 19 + "X b",
    ),
    "marks of all kinds": (
        "(;SZ[5]TR[aa]SQ[ab:bb]MA[cc]CR[dd]SL[aa:ee]LB[aa:1][ee:x]TB[aa]TW[ee]AR[aa:bb]LN[aa:cc]"
        "VW[aa:cc]VW[]DD[dd][]DM[1]GB[2]GW[1]UC[1]" + STONES + ")",
        PROBLEM,
    ),
    "marks of FF[3]": ("(;SZ[5]M[aa]L[bb][cb]SL[aa]SC[aa]RG[bb]BS[1]" + STONES + ")", PROBLEM),
    "a mark off the board, in the solution": ("(;SZ[5]AB[aa]AW[bb];B[cc]TR[zz])", "X..../.O b"),
    "moves of both sides": ("(;SZ[5]AB[aa]AW[bb];B[cc]W[dd])", "X..../.O ?"),
    "a move that is no point": ("(;SZ[5]AB[aa]AW[bb];W[zz])", "X..../.O w"),
    "one side twice": ("(;SZ[5]AB[aa]AW[bb];B[cc];B[dd])", "X..../.O b"),
    "a move on a stone": ("(;SZ[5]AB[aa]AW[bb];B[aa])", "X..../.O b"),
    "PL against the solution": ("(;SZ[5]AB[aa]AW[bb]PL[W];B[cc])", "X..../.O w"),
    "a solution far below": (
        "(;SZ[5]AB[aa]AW[bb];C[a](;C[b];W[cc](;B[dd])(;B[ee]C[RIGHT]))(;W[dd]))",
        "X..../.O w",
    ),
    "Cgoban 1": (
        "(;\n\nGaMe[1]\nVieW[]\nSiZe[5]\nComment[a]\n\n"
        "AddBlack[aa]\n[bb]\nAddWhite[cb]\n;White[aa])",
        PROBLEM,
    ),
    "GoGoD": (
        "(;SZ[9]FF[3]\nPW[Honinbo Shuei]\nWR[M]\nPB[x]\nDT[1895-02-05]\nKM[0]\nRE[W+R]\n"
        "US[GoGoD95]\nRO[1 (final)]\n\n;B[aa];W[ba]\n;B[tt])",
        " ?",
    ),
    "Go4Go": (
        "(;GM[1]FF[4]SZ[9]CA[utf-8]EV[a\\]b]GC[c]AP[x:1]PB[a]BR[9p]TM[10800]KM[7.5]RE[B+2.5]\n"
        "HA[2]AB[cc][gg]PL[W];W[ee]C[Next: (B)])",
        "........./........./..X....../........./........./........./......X w",
    ),
    "goproblems.com": (
        "(;AB[aa][bb]AW[cb]PL[W]SZ[5]GM[1]C[White to kill]GE[tesuji]DI[12k]DP[4]SO[x]CO[5]"
        "(;W[ba];B[ca]C[CHOICE])(;W[ca];B[ba];W[ab]C[RIGHT]))",
        PROBLEM,
    ),
    "101weiqi": (
        "(;GM[1]SZ[5]CA[UTF-8]GN[死活题]DF[5K]C[白先]AB[aa][bb]AW[cb](;W[ba]C[正解图])(;W[ab]C[失败图]))",
        PROBLEM,
    ),
    "SmartGo": (
        "(;GM[1]FF[4]VW[]AP[SmartGo:0.9.10]\nSZ[5]AB[aa:aa][bb]AW[cb]PL[W]\n"
        "GW[1]\n(;W[ba]TE[1])(;W[ab]))",
        PROBLEM,
    ),
    "Tsumego Hero": (
        "(;GM[1]FF[4]CA[UTF-8]ST[2]\nRU[Japanese]SZ[5]KM[0.00]\nAW[cb]AB[aa][bb]\n"
        "(;W[ba]\n;B[ab]\nC[+])\n(;W[ab]))\n",
        PROBLEM,
    ),
    "Jago": ("(;GM[1]FF[4]AP[Jago:Version 5.0]CA[UTF-8]SZ[5]N[a]" + STONES + "LB[ba:A])", PROBLEM),
    "MultiGo": (
        "(;CA[gb2312]AP[MultiGo:4.4.4]SZ[5]AB[aa][bb]AW[cb]LB[ba:1]MULTIGOGM[1]PL[W]\r\n;W[ba])",
        PROBLEM,
    ),
    "handicap stones": ("(;SZ[5]HA[2]AB[bb][dd];W[cc];B[ac])", "...../.X.../...../...X ?"),
}


@pytest.mark.parametrize("name", READ)
def test_a_dialect_is_read(name):
    data, expected = READ[name]
    assert position(data) == expected


AT = "not a readable SGF record: line {}, column {}: "
REFUSED = {
    "rectangle": (
        "(;SZ[9:13]AB[aa])",
        "SZ[9:13] is a rectangle; jaxsolve reads square boards only",
    ),
    "size": ("(;SZ[0]AB[aa])", "bad SZ[0]: the size of a board is a number from 1 to 26"),
    "sizes": ("(;SZ[9]SZ[13]AB[aa])", "SZ[9][13] has 2 values; give one"),
    "PL": ("(;SZ[5]AB[aa]PL[X])", "PL[X] names no side: write PL[B] or PL[W]"),
    "empty PL": ("(;SZ[5]AB[aa]PL[])", "PL[] names no side: write PL[B] or PL[W]"),
    "hidden name": (
        "(;Size[9]AB[aa])",
        AT.format(1, 3) + "Size is not a property; names have capital letters, such as AB",
    ),
    "bracket in a text": (
        "(;SZ[5]\nC[see [1] here]AB[aa])",
        AT.format(2, 9) + "here after ']' is not a property; a ']' inside a text is written \\]",
    ),
    "two brackets in a text": (
        "(;SZ[5]C[see [1]]AB[aa])",
        AT.format(1, 17) + "']' without '['; inside a value it is written \\]",
    ),
    "lost bracket": (
        "(;SZ[5]\n C[text AB[aa]AW[bb])",
        AT.format(2, 9)
        + "AB[ inside the value of C: its bracket ']' is missing or escaped, or the "
        "encoding (CA) is wrong",
    ),
    "escaped bracket": (
        "(;SZ[5]C[text\\]AB[aa][bb])",
        AT.format(1, 16)
        + "AB[ inside the value of C: its bracket ']' is missing or escaped, or the "
        "encoding (CA) is wrong",
    ),
    "lost name": (
        "(;SZ[5]C[text][aa][bb])",
        AT.format(1, 15) + "a second value of C, which has one",
    ),
    "lost name of stones": (
        "(;SZ[5]AB[aa]W[bb][cc];B[dd])",
        AT.format(1, 19) + "a second value of W, which has one",
    ),
    "lost move": (
        "(;SZ[5]AB[bb]C[x\\];W[aa])",
        AT.format(1, 20)
        + "W[ inside the value of C: its bracket ']' is missing or escaped, or the "
        "encoding (CA) is wrong",
    ),
    "no end": ("(;SZ[5]AB[aa]\n(;B[bb]", AT.format(2, 1) + "'(' has no ')'"),
    "no end of a value": ("(;SZ[5]\r\nAB[aa", AT.format(2, 3) + "the value of AB has no ']'"),
    "another end": ("(;SZ[5]AB[aa]))", AT.format(1, 15) + "')' after the end of the record"),
    "no begin": (
        ";SZ[5]AB[aa](;B[bb])",
        AT.format(1, 2) + "a property outside of a record '(;...)'",
    ),
    "no begin, small letters": (
        "sz[5]ab[aa];(;b[bb])",
        AT.format(1, 1) + "a property outside of a record '(;...)'",
    ),
    "no begin, a long name": (
        "AddBlack [aa];(;B[bb])",
        AT.format(1, 1) + "a property outside of a record '(;...)'",
    ),
    "node after a variation": (
        "(;SZ[5](;B[aa]);W[bb])",
        AT.format(1, 16) + "a node ';' after a variation '(;...)'",
    ),
    "no node": ("(;SZ[5](B[aa]))", AT.format(1, 9) + "the property B is not in a node ';'"),
    "empty tree": ("(;SZ[5]())", AT.format(1, 9) + "')' after '(': a tree begins with '(;'"),
    "no value": (
        "(;SZ[5]AB;B[aa])",
        AT.format(1, 10) + "the property AB has no value; a ']' inside a text is written \\]",
    ),
    "no name": ("(;[5]AB[aa])", AT.format(1, 3) + "a value without a property before it"),
    "a sign": ("(;SZ[5] - AB[aa])", AT.format(1, 9) + "'-' is not part of a node"),
    "no point": ("(;SZ[5]AB[a\n1])", "AB[a 1] is not a point of a 5x5 board"),
    "off the board": ("(;SZ[5]AB[aa:ff])", "AB[aa:ff] is not a point of a 5x5 board"),
    "tt as a stone": ("(;SZ[5]AB[tt])", "AB[tt] is not a point of a 5x5 board"),
    "set up after a move": (
        "(;SZ[5];B[aa];AB[bb]AW[cc])",
        "stones are set up after move 1; set-up is read only before the first move",
    ),
    "set up twice": ("(;SZ[5]AB[aa]AW[aa])", "A5 is set up twice in one node"),
    "several records": (
        "(;SZ[5]AB[aa])\n(;SZ[5]AB[bb])(;SZ[9])",
        "the file holds 3 records; choose one with --record K, from 1 to 3",
    ),
    "encoding": (
        b"(;CA[klingon]SZ[5]AB[aa])",
        "CA[klingon] is an unknown encoding; one is CA[UTF-8]",
    ),
    "no codec of text": (b"(;CA[rot13]SZ[5]AB[aa])", "CA[rot13] is an unknown encoding"),
    "half of UTF-16": (
        "(;SZ[5]AB[aa])".encode("utf-16")[:-1],
        "the file begins as text in UTF-16, but byte 29 does not fit",
    ),
    "no record": ("hello", "not a readable SGF record: it has no '(;'"),
    "chess": ("(;GM[3]SZ[8])", "GM[3] is a game that jaxsolve does not read from SGF"),
    "Hex": ("(;GM[11]SZ[5]AB[a1])", "the record is a game of Hex (GM[11]), not of Go"),
    "a game by name": ("(;GM[Go]SZ[5]AB[aa])", "GM[Go] is a game that jaxsolve does not read"),
    "SZ[53]": ("(;SZ[53]AB[aa])", "bad SZ[53]: the size of a board is a number from 1 to 26"),
    "SZ[abc]": ("(;SZ[abc]AB[aa])", "bad SZ[abc]: the size of a board is a number from 1 to 26"),
    "SZ[19x19]": ("(;SZ[19x19]AB[aa])", "bad SZ[19x19]: the size of a board is a number"),
    "an empty SZ": ("(;SZ[]AB[aa])", "bad SZ[]: the size of a board is a number from 1 to 26"),
    "a late size": (
        "(;GM[1];SZ[9]AB[aa]AW[bb])",
        "SZ[9] is in a later node than the first one, where it belongs",
    ),
    "another size": (
        "(;SZ[5]AB[aa]AW[bb];B[cc](;W[dd])(;SZ[9]W[ee]))",
        "SZ[9] is in a later node than the first one, where it belongs",
    ),
    "a late game": ("(;SZ[5];GM[4]AB[aa])", "GM[4] is in a later node than the first one"),
    "a late handicap": ("(;SZ[5];HA[2];W[cc])", "HA[2] is in a later node than the first one"),
    "PL twice": ("(;SZ[5]AB[aa]PL[B]PL[W])", "PL[B][W] has 2 values; give one"),
    "PL in words": ("(;SZ[5]AB[aa]PL[white first])", "PL[white first] names no side"),
    "a handicap in words": ("(;SZ[5]HA[two]AB[aa])", "HA[two] is not a number of handicap stones"),
    "GTP points": ("(;SZ[9]AB[D4])", "AB[D4] is not a point of a 9x9 board"),
    "points in capitals": ("(;SZ[9]AB[AA])", "AB[AA] is not a point of a 9x9 board"),
    "points together": ("(;SZ[9]AB[aabb])", "AB[aabb] is not a point of a 9x9 board"),
    "points of a larger board": ("(;SZ[9]AB[pd])", "AB[pd] is not a point of a 9x9 board"),
    "a rectangle with a line": ("(;SZ[9]AB[aa-cc])", "AB[aa-cc] is not a point of a 9x9 board"),
    "a rectangle of three": ("(;SZ[9]AB[aa:bb:cc])", "AB[aa:bb:cc] is not a point of a 9x9 board"),
    "a mark off the board": ("(;SZ[5]AB[aa]TR[ff])", "TR[ff] is not a point of a 5x5 board"),
    "stones and none": ("(;SZ[5]AB[aa:bb]AE[bb])", "B4 is set up twice in one node"),
    "moves in a game, two in a node": (
        "(;SZ[5];B[aa]W[bb])",
        "move 1: one node holds more than one move",
    ),
    "a game goes on by set-up": (
        "(;SZ[5];B[aa];W[bb];AB[cc]AW[dd];B[ee])",
        "stones are set up after move 2; set-up is read only before the first move",
    ),
    "a smile": (
        "(;SZ[5]AB[aa]AW[bb]C[nice :] )])",
        AT.format(1, 31) + "']' after the end of the record",
    ),
    "a NUL byte": ("(;SZ[5]\0AB[aa])", AT.format(1, 8) + "'\\x00' is not part of a node"),
    "a wide blank": ("(;SZ[5]\u3000AB[aa])", AT.format(1, 8) + "'\\u3000' is not part of a node"),
    "wide brackets": (
        "(;SZ[5]AB\uff3baa\uff3d)",
        AT.format(1, 10) + "the property AB has no value",
    ),
    "a comma": ("(;SZ[5]AB[aa],[bb])", AT.format(1, 14) + "',' is not part of a node"),
    "no node mark, as in old files": (
        "(\nGaMe[1]\nSiZe[5]\n;AddBlack[aa])",
        AT.format(2, 1) + "a property outside of a record '(;...)'",
    ),
    "two brackets": (
        "((;SZ[5]AB[aa]))",
        AT.format(1, 16) + "')' after the end of the record",
    ),
    "a bracket in small letters is lost": (
        "(;sz[5]ab[aa]c[x\\]aw[bb];b[cc])",
        AT.format(1, 19) + "aw[ inside the value of C: its bracket ']' is missing or escaped",
    ),
    "a bracket before a long name is lost": (
        "(;SiZe[5]AddBlack[aa]Comment[x;White[cc])",
        AT.format(1, 32) + "White[ inside the value of C: its bracket ']' is missing or escaped",
    ),
    "a damage of a stated encoding": (
        "(;CA[GBK]SZ[5]AB[aa]C[乗]))cc]N[乗])".encode("gb18030"),
        AT.format(1, 30) + "a property outside of a record '(;...)'",
    ),
    "nothing": (b"", "not a readable SGF record: it has no '(;'"),
    "blanks alone": (b" \n\n", "not a readable SGF record: it has no '(;'"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0AB[aa]", "not a readable SGF record: it has no '(;'"),
    "all bytes": (bytes(range(256)) * 9, "not a readable SGF record: it has no '(;'"),
    "gzip": (gzip.compress(b"(;SZ[5])"), "the file is compressed (gzip); unpack it first"),
    "ZIP": (b"PK\x03\x04(;SZ[5])", "the file is compressed (ZIP); unpack it first"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_fault_gets_its_sentence(name):
    data, sentence = REFUSED[name]
    with pytest.raises(FormatError) as caught:
        sgf_problem.read_marked(data)
    assert str(caught.value).startswith(sentence) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "lost",
    [
        *("sz[7]", "gm[1]", "ha[2]", "km[6.5]", "ru[Japanese]", "pl[W]", "pl[black]", "SZ[7]"),
        *("ab[cc]", "aw[cc]", "ae[aa]", "b[cc]", "w[]", "tr[aa]", "sq[aa:bb]", "ma[aa]", "cr[aa]"),
        *("AddBlack[cc]", "AddWhite[cc]", "AddEmpty[aa]", "PLayer[W]", "SiZe[7]", "GaMe[1]"),
        *("KoMi[0]", "RUles[AGA]", "HAndicap[2]", "TRiangle[aa]", "SQuare[aa]", "MArk[aa]"),
        *("CiRcle[aa]", "Black[cc]", "White[cc]", "sz [7]", "Pl[w]"),
    ],
)
def test_a_property_inside_a_text_is_refused_in_each_spelling(lost):
    name = lost.partition("[")[0].rstrip()
    with pytest.raises(FormatError) as caught:
        sgf_problem.read_marked(f"(;SZ[5]AB[aa]C[a note {lost})")
    assert f"column 23: {name}[ inside the value of C" in str(caught.value)


@pytest.mark.parametrize("lost", ["AB[cc]", "PL[W]", "B[cc]", "ab[cc]", "TR[aa]"])
def test_a_property_right_after_a_word_is_refused(lost):
    with pytest.raises(FormatError, match="inside the value of C"):
        sgf_problem.read_marked(f"(;SZ[5]AB[aa]C[to play{lost})")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "ha [laughs",
            "ma [non",
            "crab[",
            "see [1\\]",
            "a PL [x\\] b",
            "Black [to play",
            "sq [1a",
        ),
        *("the size[5 points", "pl[ayers", "grab[a piece", "HAM[1", "Black AB[aa\\] is bad"),
    ],
)
def test_a_text_with_brackets_is_read(text):
    assert sgf_problem.read_marked(f"(;SZ[5]AB[aa]C[{text}])").record.black


@pytest.mark.parametrize(
    "word", ["addB", "aB", "But", "Warning", "addBlack", "Handicap", "AddABlack"]
)
def test_a_word_is_no_long_name(word):
    with pytest.raises(FormatError, match=f"{word} after ']' is not a property"):
        sgf_problem.read_marked(f"(;SZ[5]AB[bb]AW[ab]{word}[aa])")


@pytest.mark.parametrize(
    "code", ["unicode_escape", "raw_unicode_escape", "Raw-Unicode-Escape", "idna", "punycode"]
)
def test_an_escape_code_is_no_encoding(code):
    with pytest.raises(FormatError) as caught:
        sgf_problem.read_marked(f"(;CA[{code}]SZ[5]GN[\\ud800x]AB[aa])".encode())
    assert str(caught.value).startswith(f"CA[{code}] is a code for characters in ASCII")


def test_a_lone_surrogate_in_a_text_is_replaced():
    record = sgf_problem.read_marked("(;SZ[5]GN[\ud800x]AB[aa])").record
    assert record.properties["title"] == "\ufffdx"


def test_a_text_that_fits_two_encodings_with_different_moves_is_refused():
    """In GBK the letter takes the bracket after it, which joins the two variations."""
    moves = b"SZ[5];B[aa](;W[ba]C[\xe9])(;C[x];W[bb]))"
    with pytest.raises(
        FormatError, match=r"^the encoding is unclear: read as gb18030 and as latin-1"
    ):
        sgf_problem.read_marked(b"(;" + moves)
    found = sgf_problem.read_marked(b"(;CA[ISO-8859-1]" + moves)
    assert found.where == "the position before the variations, after move 1"


# ---- the choice of a position --------------------------------------------------------------------
LINE = "(;SZ[5]AB[aa]AW[bb]TR[bb];B[ba];W[ca]SQ[aa];B[];C[end]MA[ca])"


@pytest.mark.parametrize(
    ("at", "moves", "marks"),
    [
        (None, [], {"TR": {(1, 1)}}),
        (0, [], {"TR": {(1, 1)}}),
        (1, ["B5"], {}),
        (2, ["B5", "C5"], {"SQ": {(0, 0)}}),
        (3, ["B5", "C5", "pass"], {"MA": {(2, 0)}}),
    ],
)
def test_a_number_of_moves_chooses_a_position_with_its_marks(at, moves, marks):
    found = sgf_problem.read_marked(LINE, at=at)
    assert [move.text for move in found.record.moves] == moves and found.marks == marks
    assert found.where.startswith("the set-up position" if at is None else "the position ")


def test_a_record_with_a_position_in_each_variation_says_which_one_is_taken():
    """As in collections that are one record."""
    found = sgf_problem.read_marked("(;SZ[5](;AB[aa]AW[bb];B[cc])(;AB[cc]AW[dd])(;AB[ee]))")
    assert found.record.format_board().startswith("X..../.O...")
    assert found.where.startswith("the set-up position in the first of 3 variations, before the 1")


@pytest.mark.parametrize(
    ("more", "changes"),
    [
        (";AE[bb];B[cc]", True),
        (";C[x];AB[bb];B[cc]", True),  # another colour
        (";AB[dd];AW[ee];B[cc]", False),  # more stones of the same position
        (";B[cc];AE[bb]", False),
        ("(;AE[bb];B[cc])(;B[dd])", False),
    ],
)
def test_a_position_whose_stones_change_before_the_first_move_says_so(more, changes):
    found = sgf_problem.read_marked(f"(;SZ[5]AB[aa]AW[bb]{more})")
    words = "the set-up position before its stones are changed (--at 0: after the changes), before"
    assert found.where.startswith(words if changes else "the set-up position, before the ")
    assert position(f"(;SZ[5]AB[aa]AW[bb]{more})").startswith("X..../.O")


def test_moves_that_the_line_does_not_have_are_refused():
    with pytest.raises(FormatError, match=r"^--at 4: the main line has 3 moves; N is from 0 to 3$"):
        sgf_problem.read_marked(LINE, at=4)
    with pytest.raises(FormatError, match="set up after move 1"):
        sgf_problem.read_marked("(;SZ[5]AB[aa];B[bb];AW[cc];W[dd])", at=2)


def test_a_record_of_several_is_chosen_by_its_number():
    data = "(;SZ[5]AB[aa]PL[W]) (;SZ[5]AB[ba]PL[B])\n"
    assert position(data, number=1) == "X w" and position(data, number=2) == ".X b"
    for text, number, sentence in (
        (data, 3, "--record 3: the file holds 2 records; K is from 1 to 2"),
        ("(;SZ[5])", 2, "--record 2: the file holds 1 record; K is from 1 to 1"),
    ):
        with pytest.raises(FormatError) as caught:
            sgf_problem.read_marked(text, number=number)
        assert str(caught.value) == sentence


def test_deep_wide_and_long_files_are_read_in_time():
    deep = "(;SZ[5]AB[aa]AW[bb]" + "(;B[cc]" * 20_000 + ")" * 20_001
    assert position(deep) == "X..../.O b"
    line = "(;SZ[5]AB[aa]AW[bb]" + ";B[cc];W[]" * 10_000 + ")"
    assert position(line) == "X..../.O b"
    wide = "(;SZ[5]AB[aa]AW[bb]" + "(;W[cc])(;W[dd]C[正解])" * 50_000 + ")"
    found = sgf_problem.read_marked(wide).solution
    assert [(each.move, each.right) for each in found] == [("C3", False), ("D2", True)]
    words = "(;SZ[5]AB[aa]AW[bb]PL[B]C[" + "B\\[ \\] " * 150_000 + "])"
    assert len(words) > 10**6 and position(words) == "X..../.O b"
    for unfinished in (
        "(;SZ[5]C[" + "\\]" * 10**6,
        "(" * 10**6,
        "(;" * 10**5,
        "(;AB" + "[" * 10**6,
    ):
        with pytest.raises(FormatError, match=r"^not a readable SGF record"):
            position(unfinished)
