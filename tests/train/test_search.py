"""The search of self-play equals a Gumbel search written in plain Python with dictionaries."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games.env import Env
from jaxsolve.games.game import Outcome
from jaxsolve.games.registry import make
from jaxsolve.networks import Forward
from jaxsolve.train.goals import moves_to_answer
from jaxsolve.train.search import LEAST_SPREAD, TreeSearch, between_extremes
from support.networks import random_network
from support.oracles import minimax
from support.search import LONG, in_turn

BATCH = 32
LINES = "gomoku-5;line=4;win=five-or-more;knowledge=ndk"


@dataclasses.dataclass(eq=False)
class Node:
    """A position with the outputs of the network; values are for its mover."""

    text: str
    mover: int
    logits: dict[int, float]  # of legal moves; none where the game is over
    raw: float
    mean: float
    visits: int = 1
    room: float = 0.0
    moves: dict[int, tuple[float, float, Node]] = dataclasses.field(
        default_factory=dict
    )  # reward, discount, child; of visited moves
    counts: dict[int, int] = dataclasses.field(default_factory=dict)

    def value(self, move: int) -> float:
        reward, discount, child = self.moves[move]
        return reward + discount * child.mean


class Plain:
    """Gumbel search (Danihelka et al. 2022) of one position, by values or costs."""

    def __init__(self, network, game, goal, simulations, considered):
        self.game, self.goal, self.simulations, self.considered = (
            game,
            goal,
            simulations,
            considered,
        )
        self.head, self.asked = network.architecture.cost, {}
        forward = Forward(network.architecture)

        @jax.jit
        def say(state):
            planes, legal = game.observe(state)[None], game.legal_mask(state)[None]
            out = forward.outputs(network.params, planes)
            count = moves_to_answer(game, state, "legal")
            return (
                out.policy[0],
                out.value[0],
                jax.nn.softmax(out.cost[0]),
                legal[0],
                game.outcome(state),
                game.to_move(state),
                count,
            )

        self.say, self.step = say, jax.jit(game.step)

    def look(self, state):
        text = self.game.text(state)
        if text not in self.asked:
            self.asked[text] = [np.asarray(x) for x in self.say(state)]
        return text, self.asked[text]

    def node(self, state, or_player, room):
        text, (logits, value, shares, legal, outcome, mover, _) = self.look(state)
        if outcome != Outcome.ONGOING:
            return Node(text, int(mover), {}, 0.0, 0.0, room=room)
        if self.goal == "value":
            raw = float(value)
        else:
            last = self.head.bins - 1
            cost = sum(
                float(shares[or_player, j])
                * min(room if j == last else j / self.head.per_decade, room)
                for j in range(last + 1)
            )
            raw = -cost if mover == or_player else cost
        return Node(
            text,
            int(mover),
            {move: float(logits[move]) for move in np.flatnonzero(legal).tolist()},
            raw,
            raw,
            room=room,
        )

    def search(self, state, or_player, gumbel):
        """The chosen move and the improved policy."""
        self.root = root = self.node(state, or_player, self.head.most)
        halving = self.plan(min(self.considered, len(root.logits)))
        for number in range(self.simulations):
            node, path, state_here = root, [], state
            move = self.best(
                root,
                {move: gumbel[move] + root.logits[move] for move in root.logits},
                halving[number],
            )
            while True:
                path.append((node, move))
                if move not in node.moves:
                    self.expand(node, move, state_here, or_player)
                    state_here = self.step(state_here, move)
                    node = node.moves[move][2]
                    break
                state_here, node = self.step(state_here, move), node.moves[move][2]
                if not node.logits:
                    node.visits += 1
                    break
                move = self.inner_move(node)
            value = node.raw
            for parent, taken in reversed(path):
                reward, discount, _ = parent.moves[taken]
                value = reward + discount * value
                parent.mean = (parent.mean * parent.visits + value) / (parent.visits + 1)
                parent.visits += 1
                parent.counts[taken] = parent.counts.get(taken, 0) + 1
        most = max(root.counts.values())
        scores = self.completed(root)
        final = self.best(
            root, {move: gumbel[move] + root.logits[move] for move in root.logits}, most
        )
        return final, softmax({move: root.logits[move] + scores[move] for move in root.logits})

    def plan(self, considered):
        """Sequential halving: the visit count of each simulation's move, in turn."""
        if considered <= 1:
            return list(range(self.simulations))
        rounds, turn, visits, left = (
            math.ceil(math.log2(considered)),
            [],
            [0] * considered,
            considered,
        )
        while len(turn) < self.simulations:
            for _ in range(max(1, int(self.simulations / (rounds * left)))):
                for i in range(left):
                    turn.append(visits[i])
                    visits[i] += 1
            left = max(2, left // 2)
        return turn

    def best(self, node, scores, visits):
        completed, top = self.completed(node), max(node.logits.values())
        allowed = [move for move in node.logits if node.counts.get(move, 0) == visits]
        return max(allowed, key=lambda move: max(-1e9, scores[move] - top + completed[move]))

    def inner_move(self, node):
        completed = self.completed(node)
        wanted = softmax({move: node.logits[move] + completed[move] for move in node.logits})
        seen = 1 + sum(node.counts.values())
        return max(node.logits, key=lambda move: wanted[move] - node.counts.get(move, 0) / seen)

    def expand(self, node, move, state, or_player):
        after = self.step(state, move)
        outcome = self.look(after)[1][-3]
        over = outcome != Outcome.ONGOING
        won = {int(Outcome.FIRST_WINS): 0, int(Outcome.SECOND_WINS): 1}.get(int(outcome))
        room, reward = node.room, 0.0
        if self.goal == "value":
            reward = 0.0 if won is None else 1.0 if won == node.mover else -1.0
        else:
            side = -1.0 if node.mover == or_player else 1.0
            if node.mover != or_player:
                count = self.asked[node.text][-1]
                reward = min(math.log10(count), room)
                room -= reward
            if over and won != or_player:
                reward += room
            reward *= side
        child = self.node(after, or_player, room)
        discount = 0.0 if over else 1.0 if child.mover == node.mover else -1.0
        node.moves[move] = (reward, discount, child)

    def completed(self, node):
        """Values of all legal moves, those not visited by the mixed value, stretched to [0, 1] and
        weighed by the visits.
        """
        priors = softmax(node.logits)
        visited = {move: node.value(move) for move in node.counts}
        seen = sum(node.counts.values())
        mean = sum(priors[move] * value for move, value in visited.items()) / (
            sum(priors[move] for move in visited) or 1.0
        )
        mixed = (node.raw + seen * mean) / (seen + 1)
        values = {move: visited.get(move, mixed) for move in node.logits}
        illegal = (
            len(node.logits) < self.game.num_actions
        )  # these have the mixed value too, and so a part in the extremes
        both = [*values.values(), *([mixed] if illegal else [])]
        least, most = min(both), max(both)
        scale = 50.0 + max(node.counts.values(), default=0)
        return {
            move: scale * (value - least) / max(most - least, LEAST_SPREAD)
            for move, value in values.items()
        }


def softmax(logits):
    top = max(logits.values())
    weights = {move: math.exp(value - top) for move, value in logits.items()}
    total = sum(weights.values())
    return {move: weight / total for move, weight in weights.items()}


@functools.cache
def searches(rule_set, goal):
    game = make(rule_set)
    network = random_network(game, "both", seed=3)
    search = TreeSearch(
        env=Env(game),
        forward=Forward(network.architecture),
        goal=goal,
        branching="legal",
        simulations=20,
        considered=6,
    )
    return game, network, jax.jit(search), Plain(network, game, goal, 20, 6)


@pytest.mark.short(1)
@pytest.mark.parametrize(
    ("goal", "started"),
    in_turn(["value", "cost"], [("hex-4", range(0, 12)), (LINES, range(4, 20))]),
)
def test_moves_equal_those_of_a_plain_search(goal, started):
    """The same noise, the same network, another program: 1,000 positions in the long run, 250 for
    each game and goal.
    """
    rule_set, plies = started
    game, network, search, plain = searches(rule_set, goal)
    env, wanted, same = Env(game), 250 if LONG else BATCH, 0
    texts = list(
        itertools.islice(minimax.random_positions(game, plies, 9), -(-wanted // BATCH) * BATCH)
    )
    for at in range(0, len(texts), BATCH):
        some = [game.parse(text) for text in texts[at : at + BATCH]]
        states = jax.tree.map(
            lambda *leaves: jnp.stack(leaves),
            *[env.init_from(state, jax.random.key(0)) for state in some],
        )
        keys = jax.random.split(jax.random.key(at), BATCH)
        sides = jnp.arange(BATCH) % 2
        answer = search(network.params, keys, states, sides)
        for i, state in enumerate(some):
            noise = np.asarray(
                jax.random.gumbel(jax.random.split(keys[i])[1], (1, game.num_actions))
            )[0]
            move, policy = plain.search(state, int(sides[i]), noise.tolist())
            assert int(answer.action[i]) == move, (texts[at + i], i)
            weights = np.asarray(answer.action_weights[i])
            differing = {
                action: (weights[action], weight)
                for action, weight in policy.items()
                if abs(weights[action] - weight) > 1e-3
            }
            assert not differing, (texts[at + i], i, differing)
            same += 1
    assert same >= wanted


@pytest.mark.full
def test_puct_with_costs_never_visits_an_illegal_move():
    """mctx masks illegal moves at the root only; deeper down one would end the game in favour of
    the side that fails a proof.
    """
    game = make("gomoku-5;line=4;win=five-or-more;knowledge=4t")
    network = random_network(game, "cost", seed=2)
    search = TreeSearch(
        env=Env(game, max_steps=25),
        forward=Forward(network.architecture),
        goal="cost",
        branching="legal",
        simulations=48,
        policy="puct",
    )
    env, texts = (
        search.env,
        list(itertools.islice(minimax.random_positions(game, range(4, 16), 5), 16)),
    )
    states = jax.tree.map(
        lambda *leaves: jnp.stack(leaves),
        *[env.init_from(game.parse(text), jax.random.key(0)) for text in texts],
    )
    found = jax.jit(search)(
        network.params, jax.random.split(jax.random.key(1), 16), states, jnp.arange(16) % 2
    ).search_tree
    inner = found.embeddings.state
    tried = (
        np.asarray(found.children_visits > 0)
        & ~np.asarray(inner.terminated | inner.truncated)[..., None]
    )
    legal = np.asarray(inner.legal_action_mask)
    assert tried.any(axis=-1).sum() > 100 and not (tried & ~legal).any()
    first = jax.tree.map(lambda leaf: leaf[0], found)
    for node in range(5):
        assert (np.isneginf(between_extremes(first, node)) == ~legal[0, node]).all()
