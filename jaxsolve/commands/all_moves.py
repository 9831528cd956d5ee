"""``jaxsolve solve --all-moves``: the first moves of a position by their value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from jaxsolve.commands import answer, exit_codes
from jaxsolve.commands.terminal import Facts, counted
from jaxsolve.question import Claim, Problem, Verdict

if TYPE_CHECKING:
    from jaxsolve.commands.progress import StatusLine
    from jaxsolve.search.moves import Moves
    from jaxsolve.search.result import Result

# Value of a move (``search.moves.MoveResult.value``) -> name of its line, and sign on the board.
_LINES = {
    "wins": ("winning moves", "!"),
    "does not lose": ("not losing", "+"),
    "draws": ("drawing moves", "="),
    "does not win": ("not winning", "-"),
    "loses": ("losing moves", "x"),
    "unknown": ("unknown", "?"),
}


def refuse_finished(problem: Problem) -> None:
    """Raises ValueError if the game is over, so that there are no first moves."""
    from jaxsolve.search.first_moves import first_moves

    first_moves(problem.game, problem.state)


def search(problem: Problem, claim: Claim | None, status_line: StatusLine, **run: Any) -> Moves:
    """Searches the position and the position after each of its moves.

    Args:
      problem: the position.
      claim: the claim to decide; None: the value of the position.
      status_line: shows which move is searched.
      **run: more arguments of ``solve_moves``.
    """
    from jaxsolve.search import solve_moves

    def before(move: str, number: int, count: int) -> None:
        status_line.title = f"move {move} ({number} of {count})"

    claims: Claim | tuple[Claim, ...] | None = claim
    if claim is None:
        mover = int(problem.game.to_move(problem.state))
        claims = (Claim(mover, "wins"),)
        if problem.game.may_draw:
            claims += (Claim(mover, "does-not-lose"),)
    return solve_moves(problem.game, problem.state, claims=claims, before=before, **run)


def results(moves: Moves) -> list[Result]:
    """Returns the results of all moves; moves by symmetry have none of their own."""
    own = (move for move in moves.moves if move.symmetric_to is None)
    return [result for move in own for result in move.results]


def marks(problem: Problem, moves: Moves) -> dict[int, str]:
    """Returns the sign of each move for a drawing of the position.

    Empty if moves share places of the drawing, as moves of pieces do.
    """
    game, state = problem.game, problem.state
    mover = int(game.to_move(state))
    places = [game.place(move.action, state, mover) for move in moves.moves]
    shown = [place for place in places if place is not None]
    if len(set(shown)) < len(shown):
        return {}
    return {move.action: _LINES[move.value][1] for move in moves.moves}


def fields(problem: Problem, moves: Moves) -> list[dict[str, Any]]:
    """Returns the moves for the JSON object. ``claims`` has all fields of each result."""
    found = []
    for move in moves.moves:
        after = Problem(problem.id, problem.game, move.state, problem.claim)
        last = move.results[-1]  # decides the value, if there is one
        found.append(
            {
                "move": move.move,
                "value": move.value,
                "verdict": move.verdict.value,
                "nodes": sum(result.nodes for result in move.results),
                "certificate": None if last.certificate is None else str(last.certificate),
                "symmetric_to": move.symmetric_to,
                "reason": last.reason,
                "claims": [answer.fields(after, result) for result in move.results],
            }
        )
    return found


def show(console: Console, problem: Problem, moves: Moves, signs: bool) -> None:
    """Prints a line for each value that a move has, and the effort of the moves.

    ``signs`` states whether the board shows the signs of the moves.
    """
    rows = {}
    for value, (name, sign) in _LINES.items():
        if texts := [move.move for move in moves.of_value(value)]:
            rows[f"{name} ({sign})" if signs else name] = " ".join(texts)
    found = results(moves)
    equal = sum(move.symmetric_to is not None for move in moves.moves)
    rows["moves"] = ", ".join(
        (
            f"{len(moves.moves)} legal" + (f", {equal} by symmetry" if equal else ""),
            counted(sum(result.nodes for result in found), "node"),
            f"{sum(result.cpu_seconds for result in found):.2f} s CPU",
            _proofs(found),
        )
    )
    console.print(
        f"first moves of {problem.game.players[int(problem.game.to_move(problem.state))]}"
    )
    console.print(Facts(rows))


def _proofs(found: Sequence[Result]) -> str:
    decided = [result for result in found if result.verdict is not Verdict.UNKNOWN]
    accepted = sum(result.checked for result in decided)
    if accepted == len(decided):
        return f"{counted(accepted, 'proof')} accepted"
    return f"{counted(len(decided), 'proof')}, {accepted} of them checked"


def exit_code(code: int, moves: Moves) -> int:
    """Returns the exit code, given that of the position itself.

    It is 130 after an interruption, and 1 if a decided move was not saved.
    """
    if moves.interrupted:
        return exit_codes.INTERRUPTED
    lost = any(
        result.unsaved and result.verdict is not Verdict.UNKNOWN for result in results(moves)
    )
    decided = code in (exit_codes.PROVED, exit_codes.DISPROVED)
    return exit_codes.FAILED if lost and decided else code
