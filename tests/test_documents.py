"""Documents agree with the code: links, commands, options, examples, and the sizes of files."""

from __future__ import annotations

import ast
import functools
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from support.cli import run
from support.paths import ROOT
from support.reference import commands, options_by_command

CAN_LIST = (ROOT / ".git").exists()
MAX_COLUMNS = 100
MAX_LINES = 400  # of a file of the package
MAX_PARAMETERS = 7
MORE_PARAMETERS = 6  # functions of the package that may have more: compiled loops, ``solve``
FREE_FORM = ("train", "experiment")  # commands that also take KEY=VALUE


def tracked(*patterns: str) -> list[Path]:
    """Files of the checkout that git knows or would add."""
    if not CAN_LIST:
        return [path for pattern in patterns for path in sorted(ROOT.rglob(pattern))]
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return [ROOT / name for name in dict.fromkeys(listed) if (ROOT / name).exists()]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


DOCUMENTS = tracked("*.md")
READMES = [path for path in DOCUMENTS if path.name == "README.md"]


@functools.cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose(path: Path) -> str:
    """The document without its code blocks."""
    return re.sub(r"^```.*?^```$", "", text_of(path), flags=re.DOTALL | re.MULTILINE)


def blocks(path: Path, language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```$", text_of(path), re.DOTALL | re.MULTILINE)
    return [str(block) for block in found]


def anchors(path: Path) -> set[str]:
    """Anchors of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    kept = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in kept}


# ---- links ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_every_relative_link_leads_to_a_file_and_a_heading(document):
    links = re.findall(r"\]\(([^)\s]+)\)", prose(document))
    wrong = []
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (document.parent / file).resolve() if file else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert wrong == []


def test_the_readme_leads_to_the_readme_of_every_folder():
    reached, left = {ROOT / "README.md"}, [ROOT / "README.md"]
    while left:
        document = left.pop()
        for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", prose(document)):
            target = (document.parent / link).resolve()
            if target.suffix == ".md" and target.exists() and target not in reached:
                reached.add(target)
                left.append(target)
    assert [named(path) for path in READMES if path not in reached] == []


@pytest.mark.parametrize("document", READMES, ids=named)
def test_every_module_that_a_readme_names_exists(document):
    names = set(re.findall(r"`([\w/]+\.(?:py|sh))`", prose(document)))
    known = {f"/{named(path)}" for path in tracked("*.py", "*.sh")}
    missing = {name for name in names if not any(each.endswith(f"/{name}") for each in known)}
    assert missing == set()


# ---- commands ------------------------------------------------------------------------------------
@functools.cache
def shown_commands() -> list[tuple[str, str]]:
    """(document, line) of every command line that starts with ``jaxsolve``, in any README."""
    return [
        (named(path), line)
        for path in READMES
        for block in blocks(path, "bash")
        for line in block.splitlines()
        if line.startswith("jaxsolve ")
    ]


def test_documents_show_commands():
    assert len(shown_commands()) > 30


@pytest.mark.parametrize(("document", "line"), shown_commands())
def test_commands_that_documents_show_parse(document, line):
    _, name, *words = shlex.split(line, comments=True)
    if name not in commands():
        name, words = f"{name} {words[0]}", words[1:]
    command = commands()[name]
    if name in FREE_FORM:
        assert words and all("=" in word or not word.startswith("--") for word in words)
        return
    with command.make_context(name, words) as context:  # raises UsageError
        assert context.command is command


RUNS = {
    "jaxsolve games": "killallgo-9",
    "jaxsolve networks": "killallgo7-pcn",
    "jaxsolve show quickstart.json:go-life --svg board.svg": "F2|White|white",
    "jaxsolve solve quickstart.json:gomoku-win --out runs/win": "roved",
    "jaxsolve check runs/win/proof.jsonl.gz": "accepted",
    "jaxsolve check runs/win/proof.jsonl.gz --replay 1000": "accepted",
    "jaxsolve solve 'moves:a2 b3' --game hex-4": "roved",
}
"""Command lines that documents show, in an order that runs, and a pattern of their output."""


def test_commands_that_documents_show_run(tmp_path, monkeypatch):
    shown = {line.partition("  #")[0].strip() for _, line in shown_commands()}
    monkeypatch.chdir(tmp_path)
    for line, pattern in RUNS.items():
        assert line in shown or line in ("jaxsolve games",), line
        result = run(*shlex.split(line)[1:])
        assert result.exit_code in (0, 20) and re.search(pattern, result.output), result.output


REFERENCE = ROOT / "jaxsolve" / "commands" / "README.md"


def referenced_options() -> dict[str, set[str]]:
    """Options of every command that the command reference names."""
    found: dict[str, set[str]] = {}
    for section in re.split(r"^## ", text_of(REFERENCE), flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        rows = [
            [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in body.splitlines()
            if line.startswith("| `-")
        ]
        if title in commands():
            found.setdefault(title, set())
        for row in rows:
            of = row[1].split() if title == "Options of searches" else [title]
            for command in (each.replace("cluster-", "cluster ") for each in of):
                found.setdefault(command, set()).update(re.findall(r"(?<![\w-])-[\w-]+", row[0]))
    return found


@pytest.mark.parametrize("command", sorted(commands()))
def test_the_command_reference_names_the_options_that_the_command_has(command):
    assert referenced_options()[command] == options_by_command()[command]


def test_the_command_reference_names_no_other_command():
    assert set(referenced_options()) == set(commands())


def is_long(block: str) -> bool:
    return "Matches(" in block or "Run(" in block


@pytest.mark.parametrize(
    ("document", "block"),
    [
        pytest.param(named(path), block, marks=[pytest.mark.full] if is_long(block) else [])
        for path in READMES
        for block in blocks(path, "python")
    ],
)
def test_python_examples_run(document, block, capsys):
    exec(compile(ast.parse(block), document, "exec"), {"__name__": "__main__"})
    assert "print(" not in block or capsys.readouterr().out.strip()


# ---- sizes ---------------------------------------------------------------------------------------
def test_the_readme_is_short():
    text = text_of(ROOT / "README.md")
    assert text.count("\n") <= 200 and len(text.encode()) <= 9216


def long_lines(path: Path) -> list[str]:
    """Lines over the limit; in documents tables, code and links may be longer."""
    text = prose(path) if path.suffix == ".md" else text_of(path)
    return [
        f"{named(path)}: {line[:60]}"
        for line in text.splitlines()
        if len(line) > MAX_COLUMNS
        and not (path.suffix == ".md" and (line.startswith("|") or "](" in line))
    ]


def test_no_line_is_over_100_columns():
    files = tracked("*.py", "*.md")
    assert [line for path in files for line in long_lines(path)] == []


def test_no_file_of_the_package_is_over_400_lines():
    sizes = {named(path): text_of(path).count("\n") for path in tracked("jaxsolve/*.py")}
    assert {name: lines for name, lines in sizes.items() if lines > MAX_LINES} == {}


def test_few_functions_have_many_parameters():
    found = []
    for path in tracked("jaxsolve/*.py"):
        for node in ast.walk(ast.parse(text_of(path))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                inputs = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                count = len([each for each in inputs if each.arg not in ("self", "cls")])
                if count > MAX_PARAMETERS:
                    found.append(f"{named(path)}: {node.name} has {count}")
    assert len(found) <= MORE_PARAMETERS, found
