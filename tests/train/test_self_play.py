"""Self-play keeps the rules, games do not depend on their neighbours, and what positions teach is
what their games came to.
"""

from __future__ import annotations

import dataclasses
import doctest
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("flax")
from flax import nnx

from jaxsolve.games.env import Env
from jaxsolve.games.game import Outcome
from jaxsolve.games.registry import make
from jaxsolve.networks import Architecture, Forward, Value, View, Within
from jaxsolve.networks.residual import ResidualNetwork
from jaxsolve.search import Claim, Verdict, solve
from jaxsolve.train import search, targets
from jaxsolve.train.goals import moves_to_answer
from jaxsolve.train.search import TreeSearch
from jaxsolve.train.self_play import SelfPlay, unpacked
from support.networks import random_network
from support.search import LONG

CASES = {  # rule set, longest game, what the search goes by, its policy, what is shown
    "hex": ("hex-3", 9, "cost", "gumbel", View()),
    "lines": ("gomoku-4;line=3;win=five-or-more;knowledge=4t", 16, "value", "gumbel", View()),
    "go": ("go-2;ko=positional;komi=1", 12, "cost", "puct", View("colours", 2)),
}


@functools.cache
def _stepping(name):
    return jax.jit(_self_play(name)[0].play)


@functools.cache
def _self_play(name):
    rule_set, longest, goal, policy, view = CASES[name]
    game = make(rule_set)
    network = random_network(game, "both", view=view)
    found = TreeSearch(
        env=Env(game, max_steps=longest),
        forward=Forward(network.architecture),
        goal=goal,
        simulations=6,
        policy=policy,
        considered=4,
    )
    return SelfPlay(found, longest), network


@functools.cache
def played(name):
    """A self-play, its network, and what three calls recorded of five games."""
    play, network = _self_play(name)
    games, records = play.begin(jax.random.key(1), 5), []
    for _ in range(3):
        games, record = _stepping(name)(network.params, games)
        records.append(jax.tree.map(np.asarray, record))
    return play, network, records


@pytest.mark.parametrize("module", [targets])
def test_docstrings(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", CASES)
def test_games_are_played_by_the_rules(name):
    """Replayed move by move: every move is legal, every position is shown as it was, and games end
    when and as they did.
    """
    play, network, records = played(name)
    env, shape = play.search.env, network.architecture
    game = env.game
    step, legal_of, outcome_of, planes_of = (
        jax.jit(f) for f in (game.step, game.legal_mask, game.outcome, game.observe)
    )
    if shape.view.kind != "board":
        planes_of = jax.jit(functools.partial(shape.view.planes(game), game))
    joined = jax.tree.map(lambda *parts: np.concatenate(parts), *records)
    ends = 0
    for column in range(joined.moves.shape[1]):
        state, boards, length = game.init(), [], 0
        for row in range(len(joined.moves)):
            legal = np.asarray(legal_of(state))
            action = int(joined.moves[row, column])
            assert legal[action]
            assert np.array_equal(
                np.asarray(unpacked(joined.legal[row, column][None], (shape.actions,)))[0], legal
            )
            shown = np.asarray(
                unpacked(
                    joined.planes[row, column][None], (shape.height, shape.width, shape.planes)
                )
            )[0]
            if shape.view.kind == "board":
                assert np.array_equal(shown, np.asarray(planes_of(state)))
            else:
                boards = [np.asarray(game.board_words(state)), *boards]
                seen = np.stack(
                    [*boards, *[np.zeros_like(boards[0])] * shape.view.boards][: shape.view.boards]
                )
                assert np.array_equal(shown, np.asarray(planes_of(state, jnp.asarray(seen))))
            assert joined.course.mover[row, column] == int(game.to_move(state))
            policy = joined.policy[row, column]
            assert abs(policy.sum() - 1) < 1e-4 and not policy[~legal].any()
            state, length = step(state, action), length + 1
            outcome = int(outcome_of(state))
            over = outcome != Outcome.ONGOING or length == env.max_steps
            assert joined.course.ended[row, column] == over
            if over:
                won = {Outcome.FIRST_WINS: 0, Outcome.SECOND_WINS: 1}.get(outcome, -1)
                assert joined.course.winner[row, column] == won and joined.course.cut[
                    row, column
                ] == (outcome == Outcome.ONGOING)
                state, boards, length, ends = game.init(), [], 0, ends + 1
    assert ends > 5


@pytest.mark.parametrize("temperature", [1.0, 100.0])
@pytest.mark.parametrize("name", CASES)
def test_no_move_is_illegal(name, temperature):
    """A million moves in the long run, 20,000 otherwise; high temperatures, at which moves without
    visits are drawn, are those of PUCT.
    """
    play, network = _self_play(name)
    if temperature > 1.0 and play.search.policy != "puct":
        pytest.skip("a Gumbel search draws by its noise")
    hot = dataclasses.replace(play.search, temperature=temperature, simulations=3)
    many, wanted = SelfPlay(hot, play.steps), 250_000 if LONG else 5_000
    go_on, games, seen = jax.jit(many.play), many.begin(jax.random.key(2), 256), 0
    while seen < wanted:
        games, record = go_on(network.params, games)
        legal = np.unpackbits(np.asarray(record.legal), axis=-1, count=network.architecture.actions)
        assert np.take_along_axis(legal, np.asarray(record.moves)[..., None], axis=-1).all()
        seen += record.moves.size


def test_nobody_learns_from_a_game_that_an_illegal_move_ended(monkeypatch):
    """Numbers that are none can make a search say anything."""
    play, network, _ = played(next(iter(CASES)))
    games = play.begin(jax.random.key(0), 4)
    honest = TreeSearch.__call__

    def stubborn(self, *args):
        found = honest(self, *args)
        return found.replace(action=jnp.zeros_like(found.action))

    monkeypatch.setattr(TreeSearch, "__call__", stubborn)
    games, first = play.step(network.params, games)
    assert not first.course.ended.any()
    games, second = play.step(network.params, games)
    assert second.course.ended.all() and second.course.cut.all()


def test_noise_at_the_root_falls_on_legal_moves_alone():
    """With its whole share, however few of them there are; one share of it means as much as
    another.
    """
    logits = jnp.log(jnp.full((400, 10), 0.1))
    for count in (1, 3, 10):
        legal = jnp.broadcast_to(jnp.arange(10) < count, (400, 10))
        prior = np.asarray(jax.nn.softmax(jnp.where(legal, logits, jnp.finfo(jnp.float32).min)))
        mixed = np.exp(
            np.asarray(
                search._with_noise(
                    jax.random.key(0),
                    jnp.where(legal, logits, jnp.finfo(jnp.float32).min),
                    legal,
                    0.25,
                    0.2,
                )
            )
        )
        assert not mixed[:, count:].any() and np.allclose(mixed.sum(-1), 1.0, atol=1e-4)
        noise = (mixed - 0.75 * prior)[:, :count] / 0.25
        assert (noise > -1e-4).all() and np.allclose(noise.mean(0), 1.0 / count, atol=0.07)


@pytest.mark.parametrize("name", CASES)
def test_examples_are_what_the_games_came_to(name):
    play, _, records = played(name)
    examples, known = play.examples(records[0], records[1])
    course = jax.tree.map(lambda a, b: np.concatenate([a, b]), records[0].course, records[1].course)
    rows, known = len(records[0].moves), np.asarray(known).reshape(records[0].moves.shape)
    assert known.any() and known.all() == (
        name != "go"
    )  # games of Go are cut off here, and what they would have come to is not known
    cost = np.asarray(examples.ahead.cost).reshape(rows, -1, 2)
    telling = np.asarray(examples.telling).reshape(rows, -1, 2)
    assert (telling.sum(-1) == 1).all() and len(
        np.unique(telling[..., 0])
    ) == 2  # either player in turn: only the or-player's wins tell of costs
    own = np.asarray(examples.ahead.own_moves).reshape(rows, -1, 2)
    won = np.asarray(examples.ahead.winner).reshape(rows, -1)
    for column in range(won.shape[1]):
        for row in range(rows):
            end = row + int(np.argmax(course.ended[row:, column]))
            assert known[row, column] != course.cut[end, column]
            mover, logs = (
                course.mover[row : end + 1, column],
                course.log_moves[row : end + 1, column],
            )
            assert won[row, column] == course.winner[end, column]
            for player in (0, 1):
                assert own[row, column, player] == (mover == player).sum()
                if won[row, column] == player:
                    assert cost[row, column, player] == pytest.approx(
                        logs[mover != player].sum(), abs=1e-4
                    )
                else:
                    assert cost[row, column, player] == math.inf
    assert np.array_equal(
        np.asarray(examples.planes).reshape(rows, -1, examples.planes.shape[1]), records[0].planes
    )


def test_a_game_does_not_depend_on_those_beside_it():
    """Of more games the first are the same, and in another order each takes the same course, to the
    last policy.
    """
    play, network, records = played("hex")
    games, more = play.begin(jax.random.key(1), 5), play.begin(jax.random.key(1), 8)
    assert np.array_equal(jax.random.key_data(more.keys)[:5], jax.random.key_data(games.keys))
    _, turned = _stepping("hex")(network.params, jax.tree.map(lambda x: x[::-1], games))
    assert np.array_equal(turned.moves[:, ::-1], records[0].moves) and np.allclose(
        turned.policy[:, ::-1], records[0].policy, atol=1e-5
    )
    assert len({tuple(column) for column in records[0].moves.T}) > 3


def test_games_begin_where_they_are_told_and_that_may_change():
    play, network, _ = played("hex")
    game = play.search.env.game
    step, games = jax.jit(play.play), play.begin(jax.random.key(2), 6)
    for text in ("X../.../... w", ".../.O./X.. b"):
        starts = jax.tree.map(lambda *leaves: jnp.stack(leaves), *[game.parse(text)] * 3)
        games, _ = step(network.params, games, starts)  # those that have begun go on
        games, record = step(network.params, games, starts)
        began = np.argwhere(np.asarray(record.course.ended[:-1]))
        planes = np.asarray(
            unpacked(record.planes.reshape(-1, record.planes.shape[-1]), (3, 3, 4))
        ).reshape(9, 6, 3, 3, 4)
        assert len(began) > 3
        for row, column in began:
            assert np.array_equal(
                planes[row + 1, column], np.asarray(game.observe(game.parse(text)))
            )


def test_moves_are_counted_as_the_paper_does():
    four = make("gomoku-15;knowledge=4t")
    state = four.parse(
        "/".join(["." * 15] * 7 + ["XXXX" + "." * 11] + ["OOO" + "." * 12] + ["." * 15] * 6) + " w"
    )
    assert [int(moves_to_answer(four, state, how)) for how in ("max", "legal", "heuristic")] == [
        225,
        1,
        1,
    ]
    go = make("killallgo-7")
    state = go.parse("O.O..../OOO..../......./......./......./......./......X w")
    legal, heuristic = (int(moves_to_answer(go, state, how)) for how in ("legal", "heuristic"))
    assert int(moves_to_answer(go, state, "max")) == 50 and legal - heuristic == 1


@pytest.mark.parametrize("or_player", [0, 1])
def test_by_costs_the_or_player_wins_at_once_and_the_other_only_wins(or_player):
    """To a network that knows nothing a win in one costs the or-player least; to the other side
    every win of its own is worth the same.
    """
    game, text = make("hex-3"), "X../X../... b"
    network = random_network(game, "cost")
    nothing = jax.tree.map(np.zeros_like, network.params)
    found = TreeSearch(
        env=Env(game, max_steps=9),
        forward=Forward(network.architecture),
        goal="cost",
        simulations=64,
        considered=9,
        branching="legal",
    )
    states = jax.tree.map(
        lambda *leaves: jnp.stack(leaves),
        *[found.env.init_from(game.parse(text), jax.random.key(k)) for k in range(4)],
    )
    chosen = jax.jit(found)(
        nothing, jax.random.split(jax.random.key(0), 4), states, jnp.full(4, or_player)
    ).action
    for action in set(np.asarray(chosen).tolist()):
        after = game.step(game.parse(text), action)
        assert int(game.outcome(after)) == Outcome.FIRST_WINS or (
            or_player == 1 and solve(game, after, claim=Claim(0)).verdict is Verdict.PROVED
        )


def test_values_in_the_tree_are_costs():
    """A search of one simulation: the root's value is the mean of the network's word and the
    branching factor times that of the child.
    """
    game = make("hex-3")
    network = random_network(game, "cost")
    forward = Forward(network.architecture)
    head = network.architecture.cost
    most = head.most
    found = TreeSearch(
        env=Env(game, max_steps=9),
        forward=forward,
        goal="cost",
        simulations=1,
        considered=1,
        branching="legal",
    )
    for or_player in (0, 1):
        for text in (".../.../... b", "X../.../... w"):
            before = game.parse(text)
            states = jax.tree.map(lambda x: x[None], found.env.init_from(before, jax.random.key(0)))
            root = search.Node(states, jnp.array([or_player]), jnp.array([most]))
            outputs = forward.outputs(network.params, found.observe(states))
            value = found.aim.value(outputs, *root)
            action = int(jnp.argmax(jnp.where(states.legal_action_mask, outputs.policy, -jnp.inf)))
            output, node = found._step(network.params, jax.random.key(0), jnp.array([action]), root)
            child = game.step(before, action)
            mover, legal = int(game.to_move(before)), int(game.legal_mask(before).sum())
            side, multiplied = (-1.0, 0.0) if mover == or_player else (1.0, math.log10(legal))
            costs = []
            for state, room in ((before, most), (child, most - multiplied)):
                logits = np.asarray(
                    forward.outputs(network.params, game.observe(state)[None]).cost[0, or_player],
                    np.float64,
                )
                shares = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
                known = sum(
                    share * min(j / head.per_decade, room) for j, share in enumerate(shares[:-1])
                )
                costs.append(
                    known + shares[-1] * room
                )  # what cannot be proved costs all that is left, not more
            assert float(value[0]) == pytest.approx(side * costs[0], abs=1e-5)
            through = costs[1] + multiplied
            assert float(output.reward[0] + output.discount[0] * output.value[0]) == pytest.approx(
                side * through, abs=1e-5
            )
            assert node.player.tolist() == [or_player]


def test_within_d_moves_a_later_win_is_a_loss():
    """d is that of the evenest chances, and falls with each own move; what was won with none left
    was won too late.
    """
    game, text = make("hex-3"), "X../X../... b"
    for player in (0, 1):
        shape = Architecture.of(
            game,
            blocks=1,
            channels=8,
            value=Value(hidden=16),
            within=Within(moves=4, player=player),
        )
        params = ResidualNetwork(shape, rngs=nnx.Rngs(3)).folded()
        found = TreeSearch(
            env=Env(game, max_steps=9),
            forward=Forward(shape),
            goal="within",
            simulations=16,
            considered=9,
        )
        states = jax.tree.map(
            lambda x: x[None], found.env.init_from(game.parse(text), jax.random.key(0))
        )
        outputs, nobody = (
            found.forward.outputs(params, found.observe(states)),
            jnp.zeros(1, jnp.int32),
        )
        rates = np.maximum.accumulate(
            1.0 / (1.0 + np.exp(-np.asarray(outputs.within[0], np.float64)))
        )  # within more moves never less
        assert float(found.aim.begin(outputs)[0]) == 1 + np.argmin(np.abs(rates - 0.5))
        side = 1.0 if player == 0 else -1.0  # the first player is to move
        for room, rate in ((4.0, rates[3]), (1.0, rates[0]), (0.0, 0.0)):
            assert float(
                found.aim.value(outputs, states, nobody, jnp.array([room]))[0]
            ) == pytest.approx(side * (2.0 * rate - 1.0), abs=1e-5)
        wins = [
            a
            for a in np.flatnonzero(game.legal_mask(game.parse(text)))
            if int(game.outcome(game.step(game.parse(text), a))) == Outcome.FIRST_WINS
        ]
        other = next(a for a in np.flatnonzero(game.legal_mask(game.parse(text))) if a not in wins)
        for action, room, reward in (
            (wins[0], 1.0, 1.0),
            (wins[0], 0.0, -1.0 if player == 0 else 1.0),
            (other, 1.0, 0.0),
        ):
            after = jax.vmap(found.env.step)(states, jnp.array([action]))
            got, left = found.aim.step(states, after, nobody, jnp.array([room]))
            assert (float(got[0]), float(left[0])) == (reward, room - (player == 0)), (
                player,
                action,
                room,
            )
        answer = jax.jit(found)(params, jax.random.split(jax.random.key(0), 1), states, nobody, 0.0)
        assert int(answer.action[0]) in wins


def test_a_game_that_is_cut_off_is_worth_what_the_network_expects():
    game = make("hex-3")
    network = random_network(game, "both")
    forward = Forward(network.architecture)
    for goal in ("value", "cost"):
        found = TreeSearch(
            env=Env(game, max_steps=1),
            forward=forward,
            goal=goal,
            simulations=1,
            considered=1,
            branching="legal",
        )
        free = dataclasses.replace(found, env=Env(game, max_steps=9))
        states = jax.tree.map(
            lambda x: x[None], found.env.init_from(game.parse(".../X../... w"), jax.random.key(0))
        )
        root = search.Node(
            states,
            jnp.array([0]),
            found.aim.begin(forward.outputs(network.params, found.observe(states))),
        )
        cut, _ = found._step(network.params, jax.random.key(0), jnp.array([4]), root)
        goes_on, _ = free._step(network.params, jax.random.key(0), jnp.array([4]), root)
        assert float(cut.discount[0]) == 0.0 and float(goes_on.discount[0]) == -1.0
        assert float(cut.reward[0]) == pytest.approx(
            float(goes_on.reward[0] - goes_on.value[0]), abs=1e-6
        )


def test_settings_out_of_range_are_refused():
    game = make("hex-3")
    value = Forward(random_network(game, "value").architecture)
    env = Env(game, max_steps=9)
    for changes, says in (
        ({"goal": "cost"}, "no such head"),
        ({"goal": "price"}, "no such head"),
        ({"policy": "uct"}, "gumbel"),
        ({"branching": "some"}, "heuristic"),
        ({"simulations": 0}, "at least one"),
        ({"goal": "within"}, "no such head"),
        ({"temperature": math.nan}, "temperature=nan"),
        ({"temperature": -1.0}, "give 0, or"),
        ({"noise": (2.0, 0.2)}, "share from 0 to 1"),
        ({"noise": (0.25, 0.0)}, "concentration from"),
        ({"noise": (math.nan, 0.2)}, "share from 0 to 1"),
        ({"value_scale": math.inf}, "value_scale=inf"),
    ):
        with pytest.raises((ValueError, AttributeError), match=says):
            TreeSearch(env=env, forward=value, **{"goal": "value", **changes})
    with pytest.raises(ValueError, match="boards of 3x3"):
        TreeSearch(env=Env(make("hex-4"), max_steps=16), forward=value)
    for steps, most in ((8, 9), (9, None)):
        with pytest.raises(ValueError, match="do not end within"):
            SelfPlay(TreeSearch(env=Env(game, max_steps=most), forward=value), steps)
    with pytest.raises(ValueError, match="or_player=2"):
        SelfPlay(TreeSearch(env=env, forward=value), 9, or_player=2)
