"""Damaged SGF files are refused in one sentence, or read to the position that sgfmill finds."""

from __future__ import annotations

import contextlib
import os
import random
import re

import pytest

from jaxsolve.formats import sgf_problem
from jaxsolve.formats.record import FormatError
from jaxsolve.tsumego import setup
from support.oracles import sgf as oracle

FILES = 5_000 if os.environ.get("JAXSOLVE_LONG") == "1" else 200  # damaged files of each record
BOARDS = 10  # of so many accepted files, one is also replayed to its board
ENCODINGS = ("utf-8", "gb18030", "cp932", "cp949", "big5", "latin-1")
RECORDS = {
    "problem": (
        "(;GM[1]FF[4]SZ[9]GN[corner]AB[ba][bb][ab]AW[ca][cb][cc]PL[B]C[Black lives.]TR[ba];B[aa])",
        "utf-8",
    ),
    "variations": (
        "(;SZ[9]AB[ab:cb]AW[ac:dc][db]C[to play](;B[ba]C[right])(;B[aa];W[ba]C[wrong \\] here]))",
        "utf-8",
    ),
    "old names": ("(;SiZe[9]AddBlack[aa][bb]AddWhite[cc]PLayer[W];White[dd];Black[])", "utf-8"),
    "played": ("(;GM[1]SZ[9]KM[6.5];B[ee];W[cc];B[gc]\n;W[cg];B[gg]C[a: b];W[tt];B[])", "utf-8"),
    "branching": ("(;SZ[9];B[ee];W[cc](;B[gc];W[cg])(;B[gg]))", "utf-8"),
    "two nodes": ("(;SZ[9]C[x]\n;AB[aa][ba]\n;AW[ab][bb]PL[W]\n;W[ca])", "utf-8"),
    "two positions": ("(;SZ[9]AB[aa:ba]AW[bb];B[cc];AE[bb]AW[dd:ee]AB[gg]PL[W];W[hh])", "utf-8"),
    "a game with handicap": ("(;GM[1]SZ[9]HA[2]KM[0.5]AB[gc][cg];W[ee];B[cc];W[gg])", "utf-8"),
    "a game with a ko": (
        "(;SZ[5];B[ba];W[ca];B[ab];W[bb];B[bc];W[db];B[];W[cc];B[cb]TR[ab];W[aa])",
        "utf-8",
    ),
    "a game marked at its end": (
        "(;SZ[9];B[ba];W[bb];B[ca]\n;W[cb]CR[ba:ca]SQ[aa];B[da])",
        "utf-8",
    ),
    "marks": (
        "(;SZ[9]AB[aa:ca]AW[ab:cb]MA[aa]SQ[ab:bb]LB[cc:1][dd:x]TR[ee]SL[aa]VW[];W[da])",
        "utf-8",
    ),
    "lines of MultiGo": (
        "(;\r\nEV[x]\r\nPB[a]PW[b]\r\nMULTIGOGM[1]\r\nSZ[9]AB[gb]\r\n[hb]AW[gc][hc]\r\n"
        "\r\n(;B[hd]\r\nC[+])\r\n(;B[gd]N[a]))\r\n",
        "utf-8",
    ),
    "UTF-16": ("(;CA[UTF-16]SZ[9]GN[死活]AB[aa][bb]AW[cc]PL[W];W[ab]C[正解])", "utf-16"),
    "UTF-8 with a mark": (
        "(;CA[UTF-8]SZ[9]C[死活]AB[aa][bb]AW[cc]PL[B];B[ab]C[失敗])",
        "utf-8-sig",
    ),
    "Chinese": ("(;CA[GBK]SZ[9]C[黑先 沑乗]AB[aa][bb]C[活乗]AW[cc]N[乗];B[ab]C[乗])", "gb18030"),
    "Traditional": ("(;CA[Big5]SZ[9]GN[功許]AB[aa][bb]C[功]AW[cc]PL[B];B[ab]C[許功])", "big5"),
    "Japanese": ("(;SZ[9]GN[表示]AB[aa][bb]C[ソ能]AW[cc]PL[W];W[ab]C[ソ])", "cp932"),
    "Japanese, EUC": ("(;SZ[9]GN[表示]AB[aa][bb]C[白先]AW[cc]PL[W];W[ab]C[正解])", "euc_jp"),
    "Korean": ("(;SZ[9]GN[사활]AB[aa][bb]C[흑선]AW[cc][cd];B[ab]C[정해])", "cp949"),
    "French": ("(;SZ[9]GN[été]AB[aa]C[café]AW[cc]N[où];B[ab]C[gagné])", "latin-1"),
}
BYTES = b"[]();\\:ABCWPLSZaabbcc19 \n\x81\xe9\x5b\x5c\x5d\x00\xff"
PARTS = (
    *(b"AB[", b"];B[", b"])(;W[", b"PL[W]", b"PL[b]", b"SZ[13]", b"AE[aa:cc]", b"AW[bb]", b"W[]"),
    *(b"(;", b"))", b")(", b"\\]", b"]\\", b"HA[2]", b"GM[2]", b"TR[aa]", b"CA[GBK]", b"B[tt]"),
    *(b"C[[x]", b"[aa:", b":cc]", b"\r\n", b"\xef\xbb\xbf", b"AddBlack[dd]", b"ab[dd]", b"\0"),
)
WHOLE = (
    *(b"[cc]", b"[aa:bb]", b"[ee:dd]", b"AB[dd]", b"AW[ee]", b"AE[aa]", b"AE[dd][hh]", b"PL[W]"),
    *(
        b"PL[b]",
        b"PL[black]",
        b"TR[aa]",
        b"SQ[bb:cc]",
        b"MA[]",
        b"CR[dd]",
        b"LB[aa:1]",
        b"C[a\\]b]",
    ),
    *(b";", b";B[dc]", b";W[dc]", b";B[]", b";W[tt]", b";C[x]", b";AB[dd]", b";AE[bb]", b";PL[W]"),
    *(b";AW[ff]PL[B]", b"(;B[dc])(;W[cd])", b"(;C[a];W[cd])", b"SZ[9]", b"HA[2]", b"HA[]", b"KO[]"),
    *(
        b"AddWhite[hh]",
        b";Black[hh]",
        b"TE[1]",
        b"BM[]",
        b"W[dc]",
        b"\r\n",
        b" ",
        b"DM[1]",
        b"L[aa]",
    ),
)
"""Properties, nodes and variations; between others they make a record of another content."""


def mutated(data: bytes, encoding: str, rng: random.Random) -> bytes:
    """The bytes with one or two faults."""
    for _ in range(rng.choice((1, 1, 2))):
        change = rng.choice((_fault, _edit))
        data = change(data or b"(", encoding, rng)
    return data


def _edit(data: bytes, encoding: str, rng: random.Random) -> bytes:
    """A change between properties, or of a point, that often leaves a valid record."""
    del encoding
    ends = [found.end() for found in re.finditer(rb"\]", data)] or [0]
    values = [found.span() for found in re.finditer(rb"(?<=\])\[[a-z:]*\]", data)] or [(0, 0)]
    points = [found.span() for found in re.finditer(rb"(?<=\[)[a-z]{2}(?=\])", data)] or [(0, 0)]
    at, (start, stop), (first, last) = rng.choice(ends), rng.choice(values), rng.choice(points)
    point = bytes(rng.choices(b"abcdefghi", k=2))
    return rng.choice(
        (
            data[:at] + rng.choice(WHOLE) + data[at:],
            data[:at] + rng.choice(WHOLE) + data[at:],
            data[:start] + data[stop:],
            data[:first] + point + data[last:],
        )
    )


def _fault(data: bytes, encoding: str, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    head, tail = data[:at], data[at:]
    few, far = rng.randint(1, 4), rng.randint(1, len(tail))
    byte, part = bytes((rng.choice(BYTES),)), rng.choice(PARTS)
    text, other = RECORDS[rng.choice(list(RECORDS))]
    other_data = text.encode(other)
    return rng.choice(
        (
            head + byte + tail[1:],
            head + bytes((tail[0] ^ 1 << rng.randrange(8),)) + tail[1:],
            head + tail[few:],
            head + byte + tail,
            head + part + tail,
            head + part + tail[few:],
            head + tail[:few] * 2 + tail[few:],
            head + tail[few : few + 1] + tail[:few] + tail[few + 1 :],
            head or tail[:1],
            head + tail[far:],  # cut out
            head + tail[:far] * 2 + tail[far:],
            head + other_data[rng.randrange(len(other_data)) :],  # parts of two files
            head + tail[:far].swapcase() + tail[far:],
            data.decode(encoding, "ignore").encode(rng.choice(ENCODINGS), "replace"),
        )
    )


def ours(data: bytes) -> oracle.Reading:
    found = sgf_problem.read_marked(data)
    record = found.record

    def point(place: tuple[int, int]) -> oracle.Point:
        return record.size - 1 - place[1], place[0]

    stones = {point(each): "b" for each in record.black} | {
        point(each): "w" for each in record.white
    }
    side = None if record.to_move is None or not stones else "bw"[record.to_move]
    return oracle.Reading(
        record.size,
        stones,
        side,
        tuple(("bw"[move.player or 0], move.text) for move in record.moves),
        {name: frozenset(map(point, places)) for name, places in found.marks.items()},
        tuple(sorted(("bw"[move.player], move.move) for move in found.solution)),
    )


def refusal(error: FormatError, data: bytes) -> None:
    """One sentence that a terminal shows as it is."""
    assert str(error).isprintable() and 10 < len(str(error)) < 400, (str(error), data)


@pytest.mark.parametrize("record", RECORDS)
def test_a_damaged_record_is_refused_or_read_as_sgfmill_reads_it(record):
    text, encoding = RECORDS[record]
    data = text.encode(encoding)
    assert oracle.readings(data, [encoding]) == [ours(data)]
    rng = random.Random(record)
    compared = refused = 0
    for _ in range(FILES):
        damaged = mutated(data, encoding, rng)
        try:
            found = ours(damaged)
        except FormatError as error:
            refusal(error, damaged)
            refused += 1
            continue
        # The encoding of the file, or another one if the damage has made it invalid.
        expected = oracle.readings(damaged, [encoding]) or oracle.readings(damaged, ENCODINGS)
        assert not expected or found in expected, damaged
        compared += bool(expected)
        if expected and compared % BOARDS == 1:
            same_board(damaged, found, encoding, rng.randrange(4))
    assert compared > FILES // 10 and refused > FILES // 6


def same_board(data: bytes, found: oracle.Reading, encoding: str, at: int) -> None:
    """The positions of the command are those of sgfmill's board.

    They are the problem, and the position after ``at`` moves of the main line.
    """
    for number in (None, at):
        try:
            place = setup.RecordPosition(at=number)
            given = setup.read_record("a", data, None, {}, place)
        except FormatError as error:  # an illegal move, or a chain without liberties
            refusal(error, data)
            continue
        assert given.size == found.size
        if number is None:
            assert given.board == found.board(), data
            continue
        with contextlib.suppress(oracle.Unread):
            assert given.board == oracle.after(data, encoding, number), (data, number)
