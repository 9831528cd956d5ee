"""Cache of JAX executables: shared by processes of one program and settings."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import jax
import pytest

from jaxsolve.evaluate.calls import Calls
from jaxsolve.evaluate.rows import Rows
from jaxsolve.games import Go, Gomoku, make
from jaxsolve.jit import device
from jaxsolve.jit.device import is_cacheable
from support.startup import PACKAGE, STEPS, answer, start, toy_package


@pytest.fixture
def toy(tmp_path) -> Path:
    return toy_package(tmp_path / "source")


EXECUTE = """
import json
import numpy as np
import jax
from jaxsolve.jit.device import executable

traces = []
def scaled(x, factor):
    traces.append(x.shape)
    return x * factor + 1

x = np.arange(6, dtype=np.float32).reshape(2, 3)
call = executable(scaled, (x, np.float32(0)), "scaled")
print(json.dumps([{"value": np.asarray(call(x, np.float32(3))).tolist()}, traces]))
"""


@pytest.mark.full
def test_an_executable_is_read_from_the_cache_unless_it_is_damaged_unsafe_or_stale(toy):
    expected = {"value": [[1, 4, 7], [10, 13, 16]]}

    def traced() -> bool:
        value, traces, _ = answer(start(toy, use=EXECUTE))
        assert value == expected
        return bool(traces)

    assert traced() and not traced()
    file = next((toy.parent.parent / "cache").rglob("executables/*"))
    file.write_bytes(file.read_bytes()[:-1])
    assert traced()
    assert not traced()
    file = next((toy.parent.parent / "cache").rglob("executables/*"))
    file.parent.chmod(0o777)  # others could write code there
    assert traced() and traced()
    file.parent.chmod(0o755)
    # Tracing may depend on any source of the package.
    (toy / "search" / "steps.py").write_text(STEPS.replace("100", "200"))
    assert traced() and not traced()


LOOK = """
import json, sys
import numpy as np
import jax
from jaxsolve.evaluate import Evaluator
from jaxsolve.evaluate.rows import Rows
from jaxsolve.games import make

traces, rules_row = [], Rows._rules_row
Rows._rules_row = lambda self, *arguments: (
    traces.append(self.game.rule_set) or rules_row(self, *arguments)
)
game = make("gomoku-3;line=3")
evaluator = Evaluator(game, playouts=2)
if "jit" in sys.argv:
    evaluator._calls.rules_rows.compiled[16] = jax.jit(evaluator._calls.rows.rules_rows)
states, seen = np.tile(game.host_pack(game.init()), (9, 1)), []
for move in range(4):  # nine games with different first stones
    rows = evaluator(states, (np.arange(9, dtype=np.int32) + 4 * move) % 9, move)
    states = rows[:, : game.state_words]
    seen.append(rows.tolist())
print(json.dumps([{"rows": seen}, traces]))
"""


def test_a_warm_process_does_not_trace_the_evaluator_and_gets_the_same_rows(tmp_path):
    (cold, traced, _), (warm, again, _), (jitted, _, _) = (
        answer(start(PACKAGE, *words, use=LOOK, cache=tmp_path)) for words in ((), (), ("jit",))
    )
    assert traced and not again
    assert cold == warm == jitted


def test_every_setting_of_the_evaluator_has_executables_of_its_own(monkeypatch):
    names = []
    monkeypatch.setattr(
        device, "executable", lambda function, arguments, name: names.append(name) or function
    )
    game, other = make("gomoku-4;line=3"), make("gomoku-4;line=4")
    plain = Rows(game)
    changes = {
        "playouts": 1,
        "max_playout": 7,
        "canonical": True,
        "autoplay": True,
        "zoned": True,
        "apply": lambda *_: None,
    }
    kinds = [
        plain,
        Rows(other),
        *(dataclasses.replace(plain, **{name: value}) for name, value in changes.items()),
    ]
    kinds += [Rows(Go(5, "positional", max_history=count)) for count in (99, 100)]
    assert set(changes) | {"game", "planes", "costly"} == {
        field.name for field in dataclasses.fields(Rows)
    }
    for rows in kinds:
        Calls(rows, tuple(jax.devices()[:1]))._cached_rules_rows()
    assert len(set(names)) == len(names) == len(kinds)


class UserGame(Gomoku):
    """A user's game: its code is not in the digest."""


def test_only_games_of_the_package_on_the_default_device_are_cacheable():
    assert is_cacheable(Gomoku(4, 3)) and not is_cacheable(UserGame(4, 3))
    with jax.default_device(jax.devices()[0]):
        assert not is_cacheable(Gomoku(4, 3))
    with jax.disable_jit():
        assert not is_cacheable(Gomoku(4, 3))
