"""A user-defined game, Nim, from its rules to a proof that the checker accepts.

Its files are in ``launch/examples/nim``. That folder is also a package: once it is installed, its
entry points replace the calls of ``register``, and the command line lists the game.

Run: python launch/examples/register_a_game.py [POSITION]
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent / "nim"))

from nim_checker import Nim
from nim_rule_sets import ENTRY

from jaxsolve.games import make, register
from jaxsolve.proof import check as checker
from jaxsolve.search import solve
from jaxsolve.view import svg, text_board


def main(text: str = "1,2,3,4 f") -> None:
    register(ENTRY)  # the rules for the solver
    checker.register("nim", Nim)  # an independent implementation of the rules, for the checker
    game = make("nim-4")
    try:
        position = game.parse(text)
    except ValueError as error:
        print(f"register_a_game: {error}", file=sys.stderr)
        sys.exit(2)
    print(f"{game.rule_set}, {game.players[int(game.to_move(position))]} to move")
    print(text_board(game, position))
    with TemporaryDirectory() as folder:
        result = solve(game, position, out=Path(folder) / "run")
        print(f"{result.reason} {' '.join(result.line)}")
        print(f"the proof is {checker.check(result.certificate).sentence}")
        picture = Path(folder) / "nim.svg"
        picture.write_text(
            svg(
                game,
                position,
                last_move=None,
                marks={result.best_move: "dot"} if result.best_move else {},
            )
        )
        print(f"its picture has {picture.stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
