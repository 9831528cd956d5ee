"""``jaxsolve games``, ``jaxsolve show`` and ``jaxsolve check``: commands without a search."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from jaxsolve.commands import failure, streams
from jaxsolve.commands.interface import options as options_module
from jaxsolve.commands.terminal import Facts, board, counted, output_console

if TYPE_CHECKING:
    from jaxsolve.commands.interface.viewing import CheckOptions, ShowOptions
    from jaxsolve.games.options import Entry


def games(name: str | None, as_json: bool) -> int:
    """Lists the games, or with ``name`` the rule options of that game. Returns 0."""
    with failure.errors_as_sentences(as_json):
        from jaxsolve.games import plugins, registry

        found: dict[str, Entry | str] = {}
        for base in registry.available() if name is None else registry.named(name):
            try:
                entry = registry.describe(base)
                found[entry.shown] = entry
            except plugins.PluginError as error:
                found[base] = str(error)
        if as_json:
            streams.print_json({shown: _fields(entry) for shown, entry in found.items()})
        elif name is None:
            _list(found)
        else:
            for entry in found.values():
                _describe(entry)
        return 0


def _fields(entry: Entry | str) -> dict[str, Any]:
    """Returns the description of a game as a JSON object.

    ``entry`` is an error message if the plug-in with the game could not be loaded.
    """
    if isinstance(entry, str):
        return {"error": entry}
    texts = ("values", "default", "meaning", "example")
    options = {
        option.name: {text: getattr(option, text) for text in texts} for option in entry.options
    }
    return {
        "summary": entry.summary,
        "options": options,
        "example": f"jaxsolve solve {entry.example}" if entry.example else None,
    }


def _list(found: dict[str, Entry | str]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("game", no_wrap=True)
    table.add_column("description")
    for shown, entry in found.items():
        table.add_row(
            f"[bold]{escape(shown)}[/]", escape(entry if isinstance(entry, str) else entry.summary)
        )
    output_console().print(table)
    output_console().print(
        "[dim]options of a game: jaxsolve games NAME; "
        "everything as one JSON object: jaxsolve games --json[/]"
    )


def _describe(entry: Entry | str) -> None:
    if isinstance(entry, str):
        raise ValueError(entry)
    console = output_console()
    console.print(f"[bold]{escape(entry.shown)}[/]: {escape(entry.summary)}")
    for option in entry.options:
        rows = {"values": option.values, "meaning": option.meaning, "default": option.default}
        if option.example != option.default:
            rows["example"] = f"--rule {option.name}={option.example}"
        console.print(f"\n[bold]{escape(option.name)}[/]")
        console.print(Padding.indent(Facts(rows), 2))
    examples = {"solve": f"jaxsolve solve {entry.example}"} if entry.example else {}
    console.print("" if entry.options else "\nno options\n")
    examples["as JSON"] = f"jaxsolve games {entry.stem.rstrip('-')} --json"
    console.print(Facts(examples, wrap=False))
    console.print()


def show(options: ShowOptions) -> int:
    """Prints a position, and also writes it as a picture or as SGF if requested. Returns 0."""
    rule_options = options_module.rule_options(options.rule)
    text, svg, sgf = options.position, options.svg, options.sgf
    with failure.errors_as_sentences(options.as_json):
        from jaxsolve import view
        from jaxsolve.commands import outputs
        from jaxsolve.commands.claims import asks_for_value
        from jaxsolve.core.run_folder import write_atomically
        from jaxsolve.formats import position, sgf_line

        outputs.refuse_unwritable(text, {"--svg": svg, "--sgf": sgf})
        problem = position.resolve(
            text,
            game=options.game,
            options=rule_options,
            letters=options.column_letters,
            remark=failure.remark,
            display_only=sgf is None,
        )
        players = problem.game.players
        side = players[int(problem.game.to_move(problem.state))]
        if svg is not None:
            write_atomically(svg, view.svg(problem.game, problem.state))
        if sgf is not None:
            write_atomically(sgf, sgf_line.dump(problem.game, [], start=problem.state))
        found = {
            "problem": problem.id,
            "rules": problem.game.rule_set,
            "position": problem.game.text(problem.state),
            "to_move": side,
            "claim": "value" if asks_for_value(problem, text) else problem.claim.text(players),
            "expected": problem.expected,
        }
        if options.as_json:
            streams.print_json(found)
            return 0
        print(board(problem))
        output_console().print(
            Facts({name.replace("_", " "): value for name, value in found.items() if value})
        )
        return 0


def check(options: CheckOptions) -> int:
    """Checks proof files, and all proofs in folders, with the independent checker.

    Returns:
      The largest exit code of all proofs. 0: accepted. 1: refused, or a replayed game refutes the
      proof. 2: unreadable, or the certificate without zones was not written.
    """
    proofs, flatten, as_json = options.proofs, options.flatten, options.as_json
    with failure.errors_as_sentences(as_json):
        from jaxsolve.proof.check import __main__ as program
        from jaxsolve.proof.check.audit import report

        if options.most is not None and flatten is None:
            raise ValueError("--most limits the size of the proof of --flatten: give --flatten OUT")
        files = list(dict.fromkeys(file for path in proofs for file in _proofs(path)))
        if flatten is not None and len(files) > 1:
            raise ValueError(f"--flatten takes one proof, not {len(files)}")
        out = None if flatten is None else str(flatten)
        audits = report.Audits(options.replay or 0, options.seed, out, options.most)
        reports = {}
        for file in files:
            reports[str(file)] = report.audit(str(file), audits)
            if not as_json:
                program.print_report(str(file), reports[str(file)])
        codes = [found.exit_code for found in reports.values()]
        if files == list(proofs)[:1]:
            if as_json:
                streams.print_json(reports[str(files[0])].fields)
        elif as_json:
            streams.print_json(
                {
                    "proofs": {name: found.fields for name, found in reports.items()},
                    "accepted": codes.count(0),
                }
            )
        else:
            print(f"{codes.count(0)} of {counted(len(codes), 'proof')} accepted")
        return max(codes)


def _proofs(path: Path) -> list[Path]:
    """Returns ``path`` itself if it is no folder, else all ``proof.jsonl.gz`` in and below it.

    Symbolic links are followed. An entry ``proof.jsonl.gz`` that is a folder is included, so that
    the checker reports it.

    Raises ValueError if the folder contains no proof.
    """
    if not path.is_dir():
        if (
            not path.exists()
            and path.name == "proof.jsonl.gz"
            and any(path.parent.glob("*/proof.jsonl.gz"))
        ):
            raise ValueError(
                f"{path}: there is no such file; {path.parent} has proofs of several claims: "
                "check the folder"
            )
        return [path]
    found, seen = [], set()
    for folder, below, files in os.walk(path, followlinks=True):
        here = os.path.realpath(folder)
        if here in seen:
            below[:] = []
            continue
        seen.add(here)
        if "proof.jsonl.gz" in files or "proof.jsonl.gz" in below:
            found.append(Path(folder, "proof.jsonl.gz"))
        below.sort()
    found.sort()
    if not found:
        raise ValueError(f"neither {path} nor a folder in it holds a proof.jsonl.gz")
    return found
