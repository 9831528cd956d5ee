"""MiniShogi: the kernel against an oracle and Fairy-Stockfish, searches against exhaustive play."""

from __future__ import annotations

import functools
import itertools
import random
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games import make
from jaxsolve.games.game import Outcome
from jaxsolve.games.minishogi import MiniShogi, MiniShogiState
from jaxsolve.search import Claim, Verdict
from support import search as search_tools
from support.oracles import minimax
from support.oracles import minishogi as minishogi_oracle
from support.oracles.minishogi import CASES, START, Shogi
from support.search import LONG
from support.transform_laws import quickly

GAME = MiniShogi()
HANDS = "..k../...../..P../..p../..K.. b hands=RBGSrbgs"
WIDTH = 512


@functools.cache
def compiled():
    """Compiled functions of ``WIDTH`` packed positions.

    The first gives masks and outcomes, the second the packed positions after one action each.
    """
    words, actions = np.zeros((WIDTH, GAME.state_words), np.uint32), np.zeros(WIDTH, np.int32)

    def look(words):
        state = GAME.unpack(words)
        return GAME.legal_mask(state), GAME.outcome(state)

    return quickly(jax.vmap(look), words), quickly(
        jax.vmap(lambda words, action: GAME.pack(GAME.step(GAME.unpack(words), action))),
        words,
        actions,
    )


def in_parts(function, *arrays):
    """Results of a compiled function of ``WIDTH`` rows for any number of rows."""
    parts = []
    for first in range(0, len(arrays[0]), WIDTH):
        rows = [array[first : first + WIDTH] for array in arrays]
        count = len(rows[0])
        full = [np.concatenate([x, np.repeat(x[:1], WIDTH - len(x), axis=0)]) for x in rows]
        parts.append(jax.tree.map(lambda x, count=count: np.asarray(x)[:count], function(*full)))
    return jax.tree.map(lambda *x: np.concatenate(x), *parts)


def words_of(texts):
    return np.stack([GAME.host_pack(GAME.read(text)) for text in texts])


def state_of(words):
    return MiniShogiState(words[:5], words[5])


def masks_and_outcomes(words):
    return in_parts(compiled()[0], words)


def children(words):
    """Packed positions after every legal move of each position, and their parents' numbers."""
    masks, _ = masks_and_outcomes(words)
    parents, actions = np.nonzero(masks)
    if not len(parents):
        return words[:0], parents
    return in_parts(compiled()[1], words[parents], actions.astype(np.int32)), parents


def perft(text, depth):
    """Number of move sequences of each length up to ``depth``."""
    words, counts = words_of([text]), []
    for _ in range(depth - 1):
        words, _ = children(words)
        counts.append(len(words))
    return [*counts, int(masks_and_outcomes(words)[0].sum())]


def assert_equal_to_oracle(positions: list[Shogi]):
    """Compares the kernel's moves, children and outcomes."""
    words = words_of([position.text() for position in positions])
    masks, outcomes = masks_and_outcomes(words)
    after, parents = children(words)
    for number, position in enumerate(positions):
        state, moves = state_of(words[number]), position.moves()
        assert GAME.text(state) == position.text()
        names = [
            GAME.action_text(action, state) for action in np.flatnonzero(masks[number]).tolist()
        ]
        texts = [GAME.text(state_of(child)) for child in after[parents == number]]
        assert dict(zip(names, texts, strict=True)) == {
            move: child.text() for move, child in moves.items()
        }, position.text()
        assert outcomes[number] == (
            Outcome.ONGOING if moves else Outcome.SECOND_WINS - position.side
        ), position.text()


def played(start, rng, plies):
    position = Shogi(start)
    for _ in range(plies):
        yield position
        moves = position.moves()
        position = moves[rng.choice(sorted(moves))] if moves else Shogi(start)


# ---- rules -------------------------------------------------------------------------------------
def test_random_games_equal_the_oracle():
    rng = random.Random(1)
    for start in (START, HANDS):
        assert_equal_to_oracle(list(played(start, rng, 20_000 if LONG else 300)))


@pytest.mark.parametrize("name", CASES)
def test_legal_and_illegal_moves_of_special_positions(name):
    text, legal, illegal = CASES[name]
    state = GAME.parse(text)
    mask = masks_and_outcomes(words_of([text]))[0][0]
    assert all(mask[GAME.parse_action(move, state)] for move in legal.split())
    assert not any(mask[GAME.parse_action(move, state)] for move in illegal.split())
    assert_equal_to_oracle([Shogi(text)])


def test_a_side_without_legal_moves_loses_in_check_or_not():
    mated = "k..../G..../P..../...../....K w hands=RRBBGSSP"
    stuck = "k..../...../P..../...../.R..K w hands=RBBGGSSP"
    assert Shogi(mated).in_check(1) and not Shogi(stuck).in_check(1)
    for text in (mated, stuck):
        assert GAME.outcome(GAME.parse(text)) == Outcome.FIRST_WINS
        assert not np.any(GAME.legal_mask(GAME.parse(text)))


def test_perft_equals_the_numbers_of_fairy_stockfish():
    """The numbers are recorded, since it may not be installed, without pawn drops that mate."""
    assert perft(START, 5) == [14, 181, 2512, 35401, 533203]
    for text, two in {
        "G+BBk./.K.../+R..p./.+s.G./..+r.P w hands=S": [17, 490],
        "..k../P..g./K..SG/...../b+r..+p w hands=RBs": [38, 1209],
        "..p../...../.Bgpk/...../K.g+s+b w hands=Rrs": [48, 908],
        "+S..../K..../..g.k/P..gB/R.+s.. b hands=RPb": [39, 1115],
    }.items():
        assert (
            perft(text, 2)
            == two
            == [minishogi_oracle.perft(Shogi(text), depth) for depth in (1, 2)]
        )
        assert not LONG or perft(text, 3)[2] == minishogi_oracle.perft(Shogi(text), 3)


def fen(text):
    """A position in Fairy-Stockfish's notation, which calls the first player White."""
    board, side, *hands = text.split(" ")
    board = re.sub(r"\.+", lambda run: str(len(run[0])), board)
    hand = hands[0].removeprefix("hands=") if hands else "-"
    return f"{board}[{hand}] {'w' if side == 'b' else 'b'} 0 1"


def test_fairy_stockfish_has_the_assert_equal_to_oracle():
    """Except pawn drops that mate: it allows them, and then the side that dropped loses."""
    pyffish = pytest.importorskip("pyffish")
    rng, mating = random.Random(3), 0

    def mates(position, move):
        return pyffish.gives_check("minishogi", position, [move]) and not pyffish.legal_moves(
            "minishogi", position, [move]
        )

    positions = [
        position.text()
        for start in (START, HANDS)
        for position in played(start, rng, 10_000 if LONG else 300)
    ]
    positions += [text for text, _, _ in CASES.values()]
    words = words_of(positions)
    masks, _ = masks_and_outcomes(words)
    for text, packed, mask in zip(positions, words, masks, strict=True):
        theirs = set(pyffish.legal_moves("minishogi", fen(text), []))
        names = [
            GAME.action_text(action, state_of(packed)) for action in np.flatnonzero(mask).tolist()
        ]
        ours = {
            name[0] + name[1:].lower() if "@" in name else name.replace("-", "").lower()
            for name in names
        }
        forbidden = {
            move for move in theirs - ours if move.startswith("P@") and mates(fen(text), move)
        }
        assert ours == theirs - forbidden, text
        mating += len(forbidden)
    assert mating >= 3


# ---- views -------------------------------------------------------------------------------------
def test_a_rotated_board_with_colours_exchanged_has_the_same_view():
    """Packed boards and observations are equal except for the bit and plane of the colour."""

    def exchanged(text):
        board, side, *hands = text.split(" ")
        cells = re.findall(r"\+?.", board)
        hands = [f"hands={hands[0][6:].swapcase()}"] if hands else []
        return GAME.text(
            GAME.parse(
                " ".join(["".join(reversed(cells)).swapcase(), "wb"["bw".index(side)], *hands])
            )
        )

    texts = [position.text() for position in played(HANDS, random.Random(2), 100)]
    ours, theirs = words_of(texts), words_of([exchanged(text) for text in texts])
    assert (ours[:, :5] == theirs[:, :5]).all() and (ours[:, 5] ^ theirs[:, 5] == 1 << 20).all()
    seen = [
        jax.vmap(lambda words: GAME.observe(GAME.unpack(words)))(words) for words in (ours, theirs)
    ]
    assert (seen[0][..., :-1] == seen[1][..., :-1]).all() and (
        seen[0][..., -1] ^ seen[1][..., -1]
    ).all()


def test_each_piece_is_in_its_plane_of_the_observation():
    text = "..k.+p/...../..P../..s../+B.K.. b hands=RRBGGS"
    for player, turn in ((0, 1), (1, -1)):
        seen = np.asarray(GAME.observe(GAME.player_view(GAME.parse(text), jnp.int32(player))))
        seen = seen[::turn, ::turn]
        own, enemy = (0, 10) if player == 0 else (10, 0)
        for plane, row, column in (
            (own, 2, 2),
            (own + 5, 4, 2),
            (own + 8, 4, 0),
            (enemy + 5, 0, 2),
            (enemy + 6, 0, 4),
            (enemy + 1, 3, 2),
        ):
            assert seen[..., plane].sum() == 1 and seen[row, column, plane], (text, player, plane)
        assert seen[..., :20].sum() == 6
        held = seen[0, 0, 20:40].reshape(2, 5, 2).sum(axis=-1)[::turn]
        assert held.tolist() == [[0, 1, 2, 1, 2], [0] * 5] and seen[..., 40].all() == (player == 1)


# ---- text --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "<board> <side>"),
        (START[:-2], "<board> <side>"),
        (f"{START} 5", "unknown field"),
        (f"{START} hands=", "unknown field"),
        (f"{START} hands=X", "'X', which cannot be in hand"),
        (f"{START} hands=K", "'K', which cannot be in hand"),
        (f"{START} hands=P", "3 pieces P"),
        (START.replace(" b", " s"), "side to move"),
        (START.replace("....p", "...p"), "has 4 squares"),
        (START.replace("....p/", ""), "4 rows"),
        (START.replace("P", "X"), "holds 'X'"),
        (START.replace("G", "+G"), r"holds '\+G'"),
        (START.replace("S", "\u017f"), "holds '\u017f'"),  # its upper case is S
        (START.replace("K", "."), "0 kings"),
        (START.replace("P", "."), "1 pieces P"),
        ("..k../...../P..../P..../..K.. b hands=RRBBGGSS", "two unpromoted pawns"),
        ("..k../...../...../...../p.K.. b hands=RRBBGGSSp", "on its last row"),
        ("..k../...../..R../...../K.... b hands=RBBGGSSPP", "could take the king"),
        ("..k../...../.+b.../..K../..... w hands=RRBGGSSPP", "could take the king"),
    ],
)
def test_bad_positions_are_refused_in_one_sentence(text, message):
    with pytest.raises(ValueError, match=message):
        GAME.parse(text)


def test_pieces_in_hand_are_read_in_any_order():
    assert (
        GAME.text(GAME.parse("..k../...../...../...../..K.. b hands=pPgGsbSBrR"))
        == "..k../...../...../...../..K.. b hands=RBGSPrbgsp"
    )


def test_moves_have_the_same_names_for_both_players():
    white = GAME.parse("..k../P..g./K..SG/...../b+r..+p w hands=RBs")
    for name in ("D4-D3", "S@A2", "A1-C3", "B1-A2"):
        action = GAME.parse_action(name.lower(), white)
        assert GAME.action_text(action, white) == name
    assert GAME.action_text(GAME.parse_action("P@C2")) == "P@C2" and GAME.parse_action(
        "a2-a3"
    ) == GAME.parse_action("A2-A3", GAME.init())


@pytest.mark.parametrize(
    "move", ["A2", "A2-A2", "A2-F3", "A2-B4", "K@C3", "X@C3", "P@C6", "A2+", "A2-A3++", "A2A3"]
)
def test_bad_moves_are_refused(move):
    with pytest.raises(ValueError):
        GAME.parse_action(move, GAME.init())


def test_action_numbers_without_a_move_are_refused():
    for action, message in ((-1, "no move"), (525, "no move"), (0, "moves no piece")):
        with pytest.raises(ValueError, match=message):
            GAME.action_text(action, GAME.init())
    with pytest.raises(ValueError, match="needs the position"):
        GAME.action_text(GAME.parse_action("A2-A3"))


def test_other_repetition_rules_are_refused():
    with pytest.raises(ValueError, match="repetition must be 'none'"):
        MiniShogi(repetition="first-player-loses")
    with pytest.raises(ValueError, match="repetition may be none"):
        make("minishogi;repetition=first-player-loses")


# ---- search ------------------------------------------------------------------------------------
def wins_within(words, plies):
    """bool[N]: whether the side to move mates within an odd number of plies."""
    won = np.zeros(len(words), bool)
    after, parents = children(words)
    if len(after):
        unique, index = np.unique(after, axis=0, return_inverse=True)
        np.logical_or.at(won, parents, loses_within(unique, plies - 1)[index])
    return won


def loses_within(words, plies):
    """bool[N]: whether the side to move is mated within an even number of plies."""
    lost = masks_and_outcomes(words)[1] != Outcome.ONGOING
    if plies > 0:
        after, parents = children(words)
        escapes = np.zeros(len(words), bool)
        unique, index = np.unique(after, axis=0, return_inverse=True)
        np.logical_or.at(escapes, parents, ~wins_within(unique, plies - 1)[index])
        lost |= ~escapes
    return lost


@functools.cache
def endings():
    """(text, whether the side to move wins) of random positions decided within three plies."""
    drawn = minimax.random_positions(GAME, range(20, 90), 4)
    texts = list(dict.fromkeys(itertools.islice(drawn, 3000 if LONG else 120)))
    words, found = words_of(texts), []
    wins_at_once, loses = wins_within(words, 1), loses_within(words, 2)
    slow = np.flatnonzero(~wins_at_once)[: 400 if LONG else 12]
    wins = np.array([wins_within(words[number : number + 1], 3)[0] for number in slow])
    found += [(texts[number], True) for number in slow[wins]]
    found += [(texts[number], False) for number in np.flatnonzero(loses)]
    found += [
        (texts[number], True) for number in np.flatnonzero(wins_at_once)[: 100 if LONG else 3]
    ]
    return found


@pytest.mark.full
def test_there_are_won_and_lost_endings():
    assert {wins for _, wins in endings()} == {True, False} and len(endings()) >= 6


@pytest.mark.short("dfpn")
@pytest.mark.parametrize("method", search_tools.NAMES)
def test_searches_agree_with_exhaustive_play(method, tmp_path):
    """Short mates for and against are found, and certificates are accepted (``run``).

    ``fdfpn`` and ``rzs`` may give up: they search few moves, or one line without end, and in
    MiniShogi moves have no order and play need not end.
    """
    gives_up = method in ("fdfpn", "rzs")
    for number, (text, wins) in enumerate(endings()[: None if LONG else 8]):
        state = GAME.parse(text)
        claim = Claim((number + int(GAME.to_move(state))) % 2)
        right = wins == (claim.player == int(GAME.to_move(state)))
        setting = search_tools.Setting(
            method,
            (32, 4, 1)[number % 3 if LONG else 0],
            (None, 256)[number % 2] if LONG else None,
            number,
        )
        got = search_tools.run(GAME, state, claim, setting, tmp_path, 2000 if gives_up else 100_000)
        unknown = gives_up and got.verdict is Verdict.UNKNOWN
        assert unknown or got.verdict is (Verdict.PROVED if right else Verdict.DISPROVED), (
            text,
            claim,
            setting,
        )
