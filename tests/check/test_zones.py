"""The checker's zones, pairs and must-play nodes in Hex, against exhaustive play."""

from __future__ import annotations

import itertools
import os
import random

import pytest

from jaxsolve.proof.check import check
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.hex.rules import Hex
from jaxsolve.proof.check.zones import Zones
from jaxsolve.search import Claim, solve
from support import mutations
from support.oracles import minimax
from support.oracles.hex import hex_winner
from support.plain_hex import make
from support.proofs import solver as proof_tools

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


def put(board: str, cells: list[str], stone: str) -> str:
    rows = [list(row) for row in board.split("/")]
    for name in cells:
        rows[int(name[1:]) - 1][ord(name[0]) - ord("a")] = stone
    return "/".join(map("".join, rows))


@pytest.mark.parametrize("size", [2, 3, 4, 6])
def test_pairs_are_accepted_only_where_every_choice_joins_the_edges(size):
    rules, rng, accepted = Hex(f"hex-{size}"), random.Random(size), 0
    names = list(rules.grid.bit_of)
    for _ in range(20_000 if LONG else 3000):
        board = "/".join("".join(rng.choices(".XO", [4, 4, 1], k=size)) for _ in range(size))
        player = rng.randrange(2)
        if player:
            board = board.translate(str.maketrans("XO", "OX"))
        position = rules.position(board + " b")
        empty = [
            name
            for name in names
            if rules.grid.bit_of[name] & ~(position.stones[0] | position.stones[1])
        ]
        rng.shuffle(empty)
        pairs = []
        while len(empty) > 1 and len(pairs) < 4:  # mostly neighbours, as in a bridge
            one = empty.pop()
            near = [
                name
                for name in empty
                if abs(ord(name[0]) - ord(one[0])) <= 1 and abs(int(name[1:]) - int(one[1:])) <= 1
            ]
            other = rng.choice(near or empty)
            empty.remove(other)
            pairs.append([one, other])
        try:
            zone = rules.zones.paired(position, player, pairs)
        except Refused:
            continue
        accepted += 1
        assert zone == sum(rules.grid.bit_of[name] for pair in pairs for name in pair)
        for choice in itertools.product(*pairs):
            assert hex_winner(put(board, list(choice), "XO"[player])) == player, (board, pairs)
    assert accepted > 50


@pytest.mark.parametrize(
    "pairs",
    [
        None,
        "a1b1",
        [["a1"]],
        [["a1", "b1", "c1"]],
        [["a1", 2]],
        [["a1", "a1"]],
        [["a1", "b1"], ["b1", "c1"]],
        [["b2", "a1"]],
        [["a9", "b1"]],
    ],
)
def test_invalid_pairs_are_refused(pairs):
    rules = Hex("hex-3")
    position = rules.position(".../.X./.X. w")
    assert rules.zones.paired(position, 0, [["b1", "c1"]])
    with pytest.raises(Refused):
        rules.zones.paired(position, 0, pairs)
    with pytest.raises(Refused):
        rules.zones.null(0, position, "b2", [["b1", "c1"]])  # taken
    with pytest.raises(Refused):
        rules.zones.null(0, position, "a1", [["a1", "b1"]])


def covering(rules: Hex, position, zone: int, claimant: int, rng: random.Random) -> str:
    """Text of a position that covers another on a zone.

    It has more stones of the claimant, and the opponent's stones anywhere outside the zone.
    """
    rows = []
    for bit in rules.grid.bit_of.values():
        mine = position.stones[claimant] & bit or rng.random() < 0.15
        theirs = not bit & zone and rng.random() < 0.6
        rows.append("XO"[claimant] if mine else "XO"[1 - claimant] if theirs else ".")
    size = rules.grid.size
    return (
        "/".join("".join(rows[i : i + size]) for i in range(0, size * size, size))
        + " "
        + "bw"[position.side]
    )


def test_a_position_that_covers_a_won_one_is_won():
    """The law of zones by exhaustion.

    Pairs win in every position that covers theirs, and a foreign stone in the zone is detected.
    """
    rng, won, seen = random.Random(5), 0, 0
    for size in (2, 3):
        rules, oracle = Hex(f"hex-{size}"), minimax.DepthFirst(make(f"hex-{size}"), 10**6)
        names = list(rules.grid.bit_of)
        for _ in range(6000 if LONG else 1500):
            board = "/".join("".join(rng.choices(".XO", [5, 3, 1], k=size)) for _ in range(size))
            position = rules.position(f"{board} {rng.choice('bw')}")
            claimant = rng.randrange(2)
            pairs = [rng.sample(names, 2) for _ in range(rng.randrange(3))]
            try:
                zone = rules.zones.leaf(claimant, position, "pairing", pairs)
            except Refused:
                continue
            for _ in range(4):
                text = covering(rules, position, zone, claimant, rng)
                wide = rules.position(text)
                assert rules.zones.covers(claimant, wide, position, zone)
                for bit in rules.grid.bit_of.values():
                    if bit & zone and not bit & wide.stones[claimant]:
                        stones = [wide.stones[0], wide.stones[1]]
                        stones[1 - claimant] |= bit
                        assert not rules.zones.covers(
                            claimant, wide._replace(stones=tuple(stones)), position, zone
                        )
                        seen += 1
                won += 1
                assert oracle.holds(text, Claim(claimant, "wins")), (board, pairs, text)
    assert won > 100 and seen > 100


def test_the_fast_test_of_a_reply_equals_covering():
    rules, rng = Hex("hex-4"), random.Random(6)
    for _ in range(300):
        board = "/".join("".join(rng.choices(".XO", [3, 1, 1], k=4)) for _ in range(4))
        text = f"{board} {rng.choice('bw')}"
        position = rules.position(text)
        replies, claimant = rules.replies(position), 1 - position.side
        if len(replies) < 2:
            continue
        for won in (f"{board} {'bw'[claimant]}", replies[rng.choice(list(replies))]):
            empty = rules.grid.full & ~sum(rules.position(won).stones)
            zone = sum(
                bit for bit in rules.grid.bit_of.values() if bit & empty and rng.random() < 0.5
            )
            assert rules.zones.uncovered(claimant, replies, won, zone) == Zones.uncovered(
                rules.zones, claimant, replies, won, zone
            )


def joined_lines(root: str, rules: str, parts: list, extra: dict) -> list:
    """A must-play node above certificates for some of its replies: ``parts`` are (move, lines)."""
    nodes, listed = [], []
    for move, lines in parts:
        shift = len(nodes)
        for node in lines[1:-1]:
            moved = {**node, "id": node["id"] + shift}
            for kind in ("and", "must-play"):
                if kind in node:
                    moved[kind] = [[m, child + shift] for m, child in node[kind]]
            if "or" in node:
                moved["or"] = [node["or"][0], node["or"][1] + shift]
            nodes.append(moved)
        nodes[-1]["n"] = 1
        listed.append([move, nodes[-1]["id"]])
    nodes.append({"id": len(nodes) + 1, "n": 0, "pos": root, "must-play": listed, **extra})
    claim = {"player": "black" if root.endswith("w") else "white", "result": "wins"}
    header = {
        "format": "jaxsolve-proof",
        "version": 1,
        "game": "hex",
        "rules": rules,
        "root": root,
        "claim": claim,
    }
    return [header, *nodes, {"end": True, "nodes": len(nodes), "root": len(nodes)}]


@pytest.mark.full
def test_a_must_play_node_that_omits_a_winning_reply_is_refused(tmp_path):
    """Every reply but one may lose.

    While one reply wins, no must-play node that lists the others is accepted, with a threat or
    without.
    """
    rng, lies, proofs = random.Random(8), 0, 0
    for size, plies in ((3, range(1, 6)), (4, range(5, 10))):
        game = make(f"hex-{size}")
        oracle = minimax.DepthFirst(game, 10**6)
        for number, text in enumerate(
            itertools.islice(minimax.random_positions(game, plies, 4), 120 if LONG else 25)
        ):
            claimant = Claim("wb".index(text[-1]), "wins")
            true, parts = oracle.holds(text, claimant), []
            for move, child in oracle.rules.replies(oracle.rules.position(text)).items():
                out = tmp_path / f"{size} {number} {move}"
                result = solve(game, game.parse(child), claim=claimant, out=out)
                if result.verdict.value == "proved":
                    parts.append((move, mutations.load(result.certificate)))
            assert parts or not true
            for listed in [
                parts,
                *(rng.sample(parts, rng.randrange(len(parts) + 1)) for _ in range(6)),
            ]:
                cells = [
                    name
                    for name in oracle.rules.grid.bit_of
                    if oracle.rules.grid.bit_of[name] & ~sum(oracle.rules.position(text).stones)
                ]
                rng.shuffle(cells)
                threat = {
                    "threat": cells[0],
                    "pairs": [cells[1:3]][: rng.randrange(2)] if len(cells) > 2 else [],
                }
                report = check(
                    proof_tools.write(
                        tmp_path / "a.gz",
                        joined_lines(text, game.rule_set, listed, rng.choice([{}, threat])),
                    )
                )
                assert true or not report.accepted, (text, listed)
                proofs += report.accepted
                lies += not true
    assert lies > 100 and proofs > 20


def edited(lines: list, rng: random.Random) -> list:
    """One change to replies, pairs, threats or claim."""
    lines = [dict(line) for line in lines]
    node = rng.choice([line for line in lines[1:-1] if line.keys() & {"must-play", "pairs", "or"}])
    names = [cell for line in lines[1:-1] for pair in line.get("pairs", []) for cell in pair] + [
        "a1",
        "b2",
    ]
    turn = rng.randrange(6)
    if turn == 0 and node.get("must-play"):
        node["must-play"] = rng.sample(node["must-play"], len(node["must-play"]) - 1)
    elif turn == 1 and node.get("pairs"):
        node["pairs"] = rng.sample(node["pairs"], len(node["pairs"]) - 1)
    elif turn == 2:
        node.update(threat=rng.choice(names), pairs=[rng.sample(names, 2)])
    elif turn == 3 and node.get("pairs"):
        node["pairs"] = [[rng.choice(names), cell] for _, cell in node["pairs"]]
    elif turn == 4:
        lines[0]["claim"] = {"player": rng.choice(["black", "white"]), "result": "wins"}
    else:
        node.pop("threat", None)
        if "leaf" not in node:
            node.pop("pairs", None)
    return mutations.tidy(lines)


@pytest.mark.full
def test_an_accepted_edit_is_true(tmp_path):
    """Edits of the pairs, threats and replies of a search's certificates.

    An accepted certificate is still true.
    """
    rng, game = random.Random(3), make("hex-4")
    oracle, certificates = minimax.DepthFirst(game, 10**6), []
    for number, text in enumerate(
        itertools.islice(minimax.random_positions(game, range(3, 7), 6), 40)
    ):
        found = solve(game, game.parse(text), out=tmp_path / f"{number}")
        lines = mutations.load(found.certificate)
        if any("must-play" in line for line in lines):
            certificates.append(lines)
    accepted = 0
    for _ in range(20_000 if LONG else 1500):
        lines = rng.choice(certificates)
        for _ in range(rng.randrange(1, 4)):
            lines = edited(lines, rng)
        report = check(proof_tools.write(tmp_path / "a.gz", lines))
        if report.accepted:
            accepted += 1
            assert oracle.holds(
                lines[0]["root"], Claim("bw".index(lines[0]["claim"]["player"][0]), "wins")
            ), lines
    assert accepted > 20
