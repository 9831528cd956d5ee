"""Every Go rule set equals the plain-Python oracle over random play."""

from __future__ import annotations

import functools

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.core.action_sets import actions_to_bool
from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.games import Outcome, Tsumego, make
from jaxsolve.games.boards.board_text import GTP_LETTERS
from jaxsolve.games.go import GoRules, read_meta
from support.oracles import go as oracle

CRUCIAL = "B2,C2,B3"
RULE_SETS = [
    "go-2;ko=positional;komi=0.5",
    "go-3;ko=situational;komi=0",
    "go-4;ko=positional;komi=0",
    "go-5;ko=simple;komi=2",
    "go-5;ko=situational;komi=0.5",
    "go-9;ko=simple;komi=7.5",
    "go-13;ko=simple;komi=7.5",
    "go-16;ko=simple;komi=7.5",
    "killallgo-7;ko=situational;passes=not-achieved;fill_eyes=true",
    "killallgo-7;ko=simple;passes=stones;fill_eyes=false",
    "killallgo-9;ko=simple;passes=not-achieved;fill_eyes=false",
    (
        "tsumego-4;ko=simple;passes=not-achieved;fill_eyes=false;goal=kill;"
        "defender=white;crucial=any;region=all;ko_black=forbid;ko_white=allow"
    ),
    (
        "tsumego-5;ko=positional;passes=not-achieved;fill_eyes=false;goal=live;defender=black;"
        f"crucial={CRUCIAL};region=A1,B1,C1,D1,A2,D2,A3,D3,A4,B4,C4,D4,E5;ko_black=allow;"
        "ko_white=forbid"
    ),
    (
        "tsumego-4;ko=simple;passes=not-achieved;fill_eyes=true;goal=kill;"
        "defender=white;crucial=any;region=all;ko_black=allow;ko_white=threats-2"
    ),
    (
        "tsumego-4;ko=simple;passes=not-achieved;fill_eyes=true;goal=live;"
        "defender=white;crucial=B2,C2;region=all;ko_black=threats-3;ko_white=allow"
    ),
]


def start_of(game: GoRules, rng: np.random.Generator) -> str:
    """Text of a position to play from: the start, or for tsumego a sparse random board
    with the crucial stones.
    """
    if not game.rule_set.startswith("tsumego"):
        return game.text(game.init())
    cells = rng.choice([0, 0, 0, 0, 0, 1, 2], game.size**2)
    for point in game.crucial_points:
        cells[point] = 1 + (game.defender == "white")
    for point in range(game.size**2):
        if cells[point] and not oracle.liberties(game.size, cells, point):
            return start_of(game, rng)
    rows = ["".join(".XO"[cell] for cell in row) for row in cells.reshape(game.size, game.size)]
    return "/".join(rows) + f" {'bw'[rng.integers(2)]}"


def oracle_position(game: GoRules, text: str) -> oracle.Position:
    board, side = text.split()[:2]
    ply = int(text[-1]) if "ply=" in text else 3
    cells = tuple(".XO".index(char) for char in board if char != "/")
    return oracle.Position(
        cells,
        "bw".index(side),
        ply=ply,
        crucial=frozenset(game.crucial_points),
        threats=game.threats,
    )


def threatening(game: GoRules) -> int | None:
    """The side that has ko threats."""
    kos = (getattr(game, "ko_black", ""), getattr(game, "ko_white", ""))
    return next((side for side, ko in enumerate(kos) if ko.startswith("threats")), None)


def oracle_outcome(game: GoRules, p: oracle.Position) -> int:
    outcome = outcome_by_rule(game, p)
    # long games reach the cap
    full = game.history_capacity and len(p.history) >= game.history_capacity
    return Outcome.UNKNOWN if full and outcome == Outcome.ONGOING else outcome


def outcome_by_rule(game: GoRules, p: oracle.Position) -> int:
    n, family = game.size, game.rule_set.split("-")[0]
    if family == "go":
        if p.passes < 2:
            return Outcome.ONGOING
        black, white = oracle.area(n, p.board)
        margin = black - white - game.komi
        return (
            Outcome.FIRST_WINS
            if margin > 0
            else Outcome.SECOND_WINS
            if margin < 0
            else Outcome.DRAW
        )
    if family == "killallgo":
        if oracle.benson(n, p.board, 2) or (
            p.passes == 2 and game.passes == "stones" and 2 in p.board
        ):
            return Outcome.SECOND_WINS
        return Outcome.FIRST_WINS if p.passes == 2 else Outcome.ONGOING
    colour = 1 + (game.defender == "white")
    defender, attacker = (Outcome.FIRST_WINS, Outcome.SECOND_WINS)[:: 1 if colour == 1 else -1]
    living = oracle.benson(n, p.board, colour)
    if living & p.crucial if game.crucial_points else living:
        return defender
    if game.crucial_points and not p.crucial:
        return attacker
    return (attacker if game.goal == "live" else defender) if p.passes == 2 else Outcome.ONGOING


def oracle_legal(game: GoRules, p: oracle.Position) -> np.ndarray:
    mask = np.zeros(game.size**2 + 1, bool)
    if oracle_outcome(game, p) != Outcome.ONGOING:
        return mask
    options = {"ko": game.ko, "fill_eyes": getattr(game, "fill_eyes", True)}
    if hasattr(game, "region"):
        options |= {
            "region": set(game.region_points),
            "forbid_ko": (game.ko_black == "forbid", game.ko_white == "forbid"),
            "threatening": threatening(game),
        }
    mask[list(oracle.legal(game.size, p, **options))] = True
    mask[-1] = p.ply in (1, 3)
    return mask


def oracle_text(game: GoRules, p: oracle.Position) -> str:
    n = game.size

    def board(cells):
        return "/".join("".join(".XO"[c] for c in cells[i : i + n]) for i in range(0, n * n, n))

    def points(found):
        return ",".join(
            f"{GTP_LETTERS[q % n]}{n - q // n}"
            for q in sorted(found, key=lambda q: (-(q // n), q % n))
        )

    text = f"{board(p.board)} {'bw'[p.side]}"
    text += f" ko={points([p.ko])}" if p.ko is not None else ""
    text += f" passes={p.passes}" if p.passes else ""
    text += f" ply={p.ply}" if p.ply < 3 else ""
    text += (
        f" crucial={points(p.crucial) or '-'}"
        if p.crucial != frozenset(game.crucial_points)
        else ""
    )
    text += f" threats={p.threats}" if p.threats != game.threats else ""
    text += (
        " history="
        + ";".join(board(b) + ("" if s is None else f":{'bw'[s]}") for b, s in p.history)
        if p.history
        else ""
    )
    return text


@functools.cache
def kernels(game: GoRules):
    """(step, masks) on batches, each traced at most once."""

    def step(states, actions):
        return jax.vmap(game.step)(states, actions)

    def look(states):
        return jax.vmap(lambda s: (game.legal_mask(s), game.outcome(s), game.key(s)))(states)

    chex.clear_trace_counter()
    return jax.jit(chex.assert_max_traces(step, n=1)), jax.jit(chex.assert_max_traces(look, n=1))


@pytest.mark.short(6)
@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_random_play_equals_the_oracle(rule_set: str) -> None:
    game, rng = make(rule_set), np.random.default_rng(1)
    step, look = kernels(game)
    batch = 40 if oracle.LONG else 6
    texts = [start_of(game, rng) for _ in range(batch)]
    positions = [oracle_position(game, text) for text in texts]
    states = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(game.parse(text) for text in texts))
    keys: dict[tuple, str] = {}
    used = 0
    for _ply in range(4 * game.size**2 if oracle.LONG else min(60, 4 * game.size**2)):
        masks, outcomes, state_keys = (np.asarray(x) for x in look(states))
        actions = np.full(batch, game.size**2, np.int32)
        for i, position in enumerate(positions):
            expected = oracle_legal(game, position)
            np.testing.assert_array_equal(masks[i], expected, err_msg=oracle_text(game, position))
            assert outcomes[i] == oracle_outcome(game, position), oracle_text(game, position)
            text = game.text(jax.tree.map(lambda x, i=i: x[i], states))
            assert text == oracle_text(game, position)
            same = " ".join([*text.split(" history=")[:1], *sorted(map(str, position.history))])
            assert keys.setdefault(tuple(state_keys[i].tolist()), same) == same
            choices = np.flatnonzero(expected)
            placements = choices[choices < game.size**2]
            if len(choices):
                passing = len(placements) == 0 or (expected[-1] and rng.random() < 0.03)
                actions[i] = game.size**2 if passing else rng.choice(placements)
                if game.threats and position.ko in placements:
                    actions[i], used = position.ko, used + 1
        over = np.array([o != Outcome.ONGOING for o in outcomes])
        states = step(states, jnp.asarray(actions))
        defender = 1 + (getattr(game, "defender", "black") == "white")
        for i in np.flatnonzero(~over):
            positions[i] = oracle.step(
                game.size,
                positions[i],
                int(actions[i]),
                ko=game.ko,
                defender=defender,
                waits=game.threats > 0,
            )
        for i in np.flatnonzero(over):
            text = start_of(game, rng)
            positions[i] = oracle_position(game, text)
            fresh = game.parse(text)
            states = jax.tree.map(lambda x, y, i=i: x.at[i].set(y), states, fresh)
    assert len(keys) > batch
    assert used > 0 or not game.threats
    assert np.all(np.asarray(read_meta(states.meta).side) == [p.side for p in positions])


def tasks(size: int, count: int) -> list[GoRules]:
    """Life-and-death rule sets of one board size that differ in everything that a state holds."""
    rng = np.random.default_rng(size)
    names = [f"{letter}{row}" for row in range(1, size + 1) for letter in GTP_LETTERS[:size]]
    made = []
    for i in range(count):
        crucial = (
            "any" if i % 5 == 0 else ",".join(rng.choice(names, rng.integers(1, 4), replace=False))
        )
        region = (
            "all"
            if i % 4 == 0
            else ",".join(rng.choice(names, rng.integers(size, len(names)), replace=False))
        )
        kos = {"ko_black": ("allow", "forbid")[i // 2 % 2], "ko_white": ("allow", "forbid")[i % 2]}
        kos |= {"ko_white": "threats-2"} if i % 7 == 0 else {}
        goal, defender = ("live", "kill")[i // 3 % 2], ("black", "white")[i // 4 % 2]
        made.append(
            make(
                f"tsumego-{size}",
                crucial=crucial,
                region=region,
                goal=goal,
                defender=defender,
                **kos,
            )
        )
    return made


def test_all_tasks_of_a_board_size_share_what_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty rule sets: one trace for parsing, stepping and the evaluator, and each row equals the
    oracle of its own rule set.
    """
    traced, rules_of = [], Tsumego._decide
    monkeypatch.setattr(
        Tsumego, "_decide", lambda self, *args: traced.append(self) or rules_of(self, *args)
    )
    games, rng, keys = tasks(4, 20), np.random.default_rng(5), set()
    assert len(set(games)) == 20 and len({game.kernel for game in games}) == 1
    for number, game in enumerate(games):
        evaluator, text = shared_evaluator(game), start_of(game, rng)
        position, state = oracle_position(game, text), game.parse(text)
        legal = np.flatnonzero(oracle_legal(game, position))
        mask = np.flatnonzero(
            evaluator_mask(evaluator, game, np.asarray(game.pack(state))[None], np.array([-1]))[0]
        )
        np.testing.assert_array_equal(mask, legal)
        if len(legal):
            action = int(rng.choice(legal))
            after = oracle.step(game.size, position, action, defender=1 + game.crucial_side)
            child = game.step(state, action)
            assert game.text(child) == oracle_text(game, after) and int(
                game.outcome(child)
            ) == oracle_outcome(game, after)
            mask = evaluator_mask(
                evaluator, game, np.asarray(game.pack(state))[None], np.array([action])
            )[0]
            np.testing.assert_array_equal(mask, oracle_legal(game, after))
        keys.add(tuple(game.key(state._replace(stones=jnp.zeros_like(state.stones))).tolist()))
        if number == 0:
            game.step(state, game.size**2)
            traced_once = len(traced)
    assert len(traced) == traced_once <= 6 and len(keys) == 20


def test_a_canonical_image_keeps_the_task() -> None:
    """Only symmetries that the rule set keeps count: a rotated region would be another rule set's
    position.
    """
    game = make("tsumego-5", crucial="B2,B4", region="A1,B1,C1,A2,B2,C2,A3,B3,A4,B4,C4,A5,B5,C5")
    states = [
        game.parse(f"{board} b")
        for board in ("X..../.X.../...O./.X.../..O..", "..O../.X.../...O./.X.../X....")
    ]
    words = np.stack([np.asarray(game.pack(state)) for state in states])
    images, symmetries = Evaluator(game, canonical=True).images(words)
    assert game.num_symmetries == 2 and set(symmetries.tolist()) == {0, 1}
    np.testing.assert_array_equal(images[0], images[1])
    for image, state in zip(images, states, strict=True):
        task = game.unpack(jnp.asarray(image)).task
        chex.assert_trees_all_equal(task, state.task)


def evaluator_mask(
    evaluator: Evaluator, game: GoRules, words: np.ndarray, actions: np.ndarray
) -> np.ndarray:
    """bool[B, A]: legal moves after each action, from the evaluator's rows."""
    layout = evaluator.layout
    legal = evaluator(words, actions.astype(np.int32))[:, layout.masks : layout.masks + layout.mask]
    return np.asarray(actions_to_bool(jnp.asarray(legal), game.num_actions))
