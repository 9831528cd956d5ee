"""``jaxsolve games``, ``jaxsolve show`` and ``jaxsolve check``: what there is to see without a search."""

from __future__ import annotations

import json
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from jaxsolve.commands import failure, streams
from jaxsolve.commands.paper import board, facts, paper


def games(as_json: bool) -> int:
    """Lists the rule sets and their options."""
    from jaxsolve.games import registry

    entries = [registry.describe(base) for base in registry.available()]
    if as_json:
        rows = {
            entry.shown: {"summary": entry.summary, "options": {key: option.allowed for key, option in entry.options.items()}} for entry in entries
        }
        print(json.dumps(rows, ensure_ascii=False))
        return 0
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("game", no_wrap=True)
    table.add_column("what it is; options (--rule KEY=VALUE)")
    for entry in entries:
        options = "".join(f"\n[dim]{escape(f'{key}={option.allowed}')}[/]" for key, option in entry.options.items())
        table.add_row(f"[bold]{entry.shown}[/]", escape(entry.summary) + options)
    paper().print(table)
    return 0


def show(text: str, game: str | None, options: dict[str, str], svg: Path | None, sgf: Path | None, as_json: bool, letters: str | None = None) -> int:
    """Shows a position, and writes it as a picture or as SGF."""
    with failure.sentences(as_json):
        from jaxsolve import runtime, view
        from jaxsolve.formats import position
        from jaxsolve.formats import sgf as records

        runtime.setup()
        problem = position.resolve(text, game=game, options=options, letters=letters, remark=failure.remark)
        players = problem.game.players
        side = players[int(problem.game.to_move(problem.state))]
        if svg is not None:
            svg.write_text(view.svg(problem.game, problem.state), encoding="utf-8")
        if sgf is not None:
            sgf.write_bytes(records.dump(problem.game, [], start=problem.state))
        found = {
            "problem": problem.id,
            "rules": problem.game.rule_set,
            "position": problem.game.text(problem.state),
            "to_move": side,
            "claim": problem.claim.text(players),
            "expected": problem.expected,
        }
        if as_json:
            streams.say_json(found)
            return 0
        print(board(problem))
        paper().print(facts({name.replace("_", " "): value for name, value in found.items() if value}))
        return 0


def check(proof: Path, as_json: bool) -> int:
    """Asks the independent checker: 0 accepted, 1 refused, 2 unreadable."""
    with failure.sentences(as_json):
        from jaxsolve.proof import check as checker
        from jaxsolve.proof.check import __main__ as program

        if not as_json:
            return program.main([str(proof)])
        report = checker.check(str(proof))
        streams.say_json({"accepted": report.accepted, "sentence": report.sentence})
        return report.exit_code
