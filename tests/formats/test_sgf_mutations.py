"""Damaged SGF files are refused in one sentence, or read to the position that sgfmill finds."""

from __future__ import annotations

import contextlib
import random
import re

import pytest
from sgfmill import sgf as peers

from jaxsolve.formats import sgf_problem
from jaxsolve.formats.record import FormatError

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
    "Chinese": ("(;CA[GB2312]SZ[9]C[黑先 沑乗]AB[aa][bb]C[活乗]AW[cc]N[乗];B[ab]C[乗])", "gb18030"),
    "Japanese": ("(;SZ[9]GN[表示]AB[aa][bb]C[ソ能]AW[cc]PL[W];W[ab]C[ソ])", "cp932"),
    "Korean": ("(;SZ[9]GN[사활]AB[aa][bb]C[흑선]AW[cc][cd];B[ab]C[정해])", "cp949"),
    "French": ("(;SZ[9]GN[été]AB[aa]C[café]AW[cc]N[où];B[ab]C[gagné])", "latin-1"),
}
BYTES = b"[]();\\:ABCWPLSZaabbcc19 \n\x81\xe9\x5b\x5c\x5d\x00\xff"


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The bytes with one or two faults."""
    for _ in range(rng.choice((1, 1, 2))):
        data = data or b"("
        at = rng.randrange(len(data))
        end = min(len(data), at + rng.randint(1, 4))
        byte = bytes((rng.choice(BYTES),))
        data = rng.choice(
            (
                data[:at] + byte + data[at + 1 :],
                data[:at] + data[end:],
                data[:at] + byte + data[at:],
                data[:at] + data[at:end] * 2 + data[end:],
                data[:at] + data[end : end + 1] + data[at:end] + data[end + 1 :],
                data[: max(1, at)],
            )
        )
    return data


class Unread(Exception):
    """sgfmill does not read the file, or not as FF[1] to FF[4] have it."""


def peer(data: bytes, encoding: str) -> tuple:
    """The problem as sgfmill reads it: size, stones by point, side to move, moves before it."""
    try:
        text = data.decode(encoding)
        game = peers.Sgf_game.from_bytes(text.encode(), override_encoding="UTF-8")
        line = game.get_main_sequence()
        # sgfmill drops lower-case letters even of names without capitals.
        if any("" in node.properties() for node in line):
            raise Unread
        # In a wrong encoding stones become a part of the comment before them.
        for node in line:
            for name in {"C", "N", "GN"} & set(node.properties()):
                if re.search(rb"A[BW]\s*\[", b" ".join(node.get_raw_list(name))):
                    raise Unread
        return game.get_size(), *problem(line, game.get_size())
    except (ValueError, LookupError):
        raise Unread from None


def problem(line, size: int) -> tuple[dict, str | None, list[str]]:
    number = next((n for n, node in enumerate(line) if any(node.get_setup_stones()[:2])), None)
    if number is None:
        return {}, None, [point_name(node.get_move()[1]) for node in played(line) if moves(node)]
    if any(moves(node) for node in line[:number]):
        raise Unread  # play before the set-up: the package refuses it
    stones: dict = {}
    while True:
        black, white, empty = line[number].get_setup_stones()
        stones |= dict.fromkeys(black, "b") | dict.fromkeys(white, "w")
        if (black & white) | (black | white) & empty:
            raise Unread
        if number + 1 == len(line) or len(line[number]) > 1 or moves(line[number]):
            break
        black, white, empty = line[number + 1].get_setup_stones()
        if moves(line[number + 1]) or empty or stones.keys() & (black | white):
            break
        number += 1
    sides = [node.get("PL") for node in line[: number + 1] if node.has_property("PL")]
    sides = sides[-1:] or [moves(node) for node in line[number:] if moves(node)]
    return stones, sides[0] if sides else None, []


def moves(node) -> str | None:
    return node.get_move()[0]


def played(line) -> list:
    """The nodes up to the first with marks, else the first with variations, else all."""
    for holds in (
        lambda node: any(node.has_property(mark) for mark in ("TR", "MA", "SQ", "CR")),
        lambda node: len(node) > 1,
    ):
        for number, node in enumerate(line):
            if holds(node):
                return line[: number + 1]
    return line


def point_name(point) -> str:
    return "pass" if point is None else f"{'ABCDEFGHJKLMNOPQRSTUVWXYZ'[point[1]]}{point[0] + 1}"


def ours(data: bytes) -> tuple:
    record = sgf_problem.read_marked(data).record
    stones = {(record.size - 1 - row, column): "b" for column, row in record.black}
    stones |= {(record.size - 1 - row, column): "w" for column, row in record.white}
    side = None if record.to_move is None or not stones else "bw"[record.to_move]
    return record.size, stones, side, [move.text for move in record.moves]


def readings(data: bytes, encodings) -> list[tuple]:
    found = []
    for encoding in encodings:
        with contextlib.suppress(Unread):
            found.append(peer(data, encoding))
    return found


@pytest.mark.parametrize("record", RECORDS)
def test_a_damaged_record_is_refused_or_read_as_sgfmill_reads_it(record):
    text, encoding = RECORDS[record]
    data = text.encode(encoding)
    assert readings(data, [encoding]) == [ours(data)]
    rng = random.Random(record)
    compared = refused = 0
    for _ in range(600):
        damaged = mutated(data, rng)
        try:
            found = ours(damaged)
        except FormatError as error:
            assert str(error) and "\n" not in str(error), damaged
            refused += 1
            continue
        # The encoding of the file, or another one if the damage has made it invalid.
        expected = readings(damaged, [encoding]) or readings(damaged, ENCODINGS)
        compared += bool(expected)
        assert not expected or found in expected, damaged
    assert compared > 60 and refused > 100
