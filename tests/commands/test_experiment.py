"""Experiments: all cells are played, counted and drawn; interrupted ones resume; bad ones fail."""

from __future__ import annotations

import csv
import json
import shutil

import pytest
from typer.testing import CliRunner

from jaxsolve.cli import app
from jaxsolve.commands import composing
from jaxsolve.play.experiment import Experiment, Settings

FOLDER = composing.folder() / "experiments"
SMALL = [
    "pnmcts_variants_cpu",
    "games=[knightthrough-4]",
    "axes.flags=[xxx,FSU]",
    "games_each=4",
    "simulations=6",
    "side_by_side=4",
]


def call(*words: str):
    return CliRunner().invoke(app, ["experiment", *words])


def rows(folder, name: str = "results.csv") -> list[dict[str, str]]:
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def lasting(row: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in row.items() if name != "cpu_seconds"}


def opening(game: dict[str, str]) -> list[str]:
    return game["moves"].split()[: int(game["opening_moves"])]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiment") / "run"
    done = call(*SMALL, f"out={folder}")
    assert done.exit_code == 0, done.output
    return folder, done


@pytest.mark.parametrize("name", composing.files(FOLDER))
def test_every_included_experiment_is_valid(name):
    settings, _ = composing.settings(FOLDER, name, Settings, [])
    experiment = Experiment(settings)
    assert (
        settings.name == name
        and settings.out == f"runs/{name}"
        and settings.title
        and settings.source
    )
    assert list(experiment.cells) == settings.games
    said = [cell.paper for cells in experiment.cells.values() for cell in cells]
    assert any(said) or (
        settings.paper_x
        and all(
            len(line) == len(settings.paper_x) for game in settings.paper.values() for line in game
        )
    )


def test_without_a_name_all_are_listed():
    done = call()
    names = composing.files(FOLDER) + composing.files(composing.folder() / "solving")
    assert [line.split()[0] for line in done.stdout.splitlines()] == names


def test_every_game_is_counted_in_its_cell(played):
    folder, _ = played
    found = rows(folder)
    assert [row["flags"] for row in found] == ["xxx", "FSU"]
    games = rows(folder, "games.csv")
    assert len(games) == 8 and all(row["moves"] for row in games)
    for row in found:
        own = [game for game in games if game["flags"] == row["flags"]]
        wins, losses = (
            sum(game["winner"] == who for game in own) for who in ("player", "opponent")
        )
        assert [wins, losses, len(own)] == [int(row[name]) for name in ("wins", "losses", "games")]
        assert float(row["points"]) == 100 * (wins + (len(own) - wins - losses) / 2) / len(own)
        assert sum(game["first"] == "player" for game in own) == 2
    openings = {
        flags: [opening(game) for game in games if game["flags"] == flags]
        for flags in ("xxx", "FSU")
    }
    assert openings["xxx"] == openings["FSU"], "all cells begin alike"


def test_an_interrupted_experiment_resumes_with_equal_results(played, tmp_path):
    folder, done = played
    again = tmp_path / "again"
    shutil.copytree(folder, again)
    for name in ("results.csv", "games.csv", "shown.json", "experiment.png"):
        (again / name).unlink()
    log = again / "knightthrough-4-1.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[: len(lines) // 2]) + lines[-1][:10])
    went_on = call(*SMALL, f"out={again}")
    assert went_on.exit_code == 0, went_on.output
    assert (again / "games.csv").read_text() == (folder / "games.csv").read_text()
    assert list(map(lasting, rows(again))) == list(map(lasting, rows(folder)))
    assert went_on.stdout.replace(str(again), str(folder)) == done.stdout


def test_cells_are_independent(played, tmp_path):
    """The games of a variant do not depend on the other variants played at once."""
    folder, _ = played
    done = call(*SMALL, "axes.flags=[FSU]", "side_by_side=2", f"out={tmp_path / 'one'}")
    assert done.exit_code == 0, done.output
    alone, beside = (rows(each, "games.csv") for each in (tmp_path / "one", folder))
    assert alone == [game for game in beside if game["flags"] == "FSU"]


def test_plot_draws_the_figure_again(played, tmp_path):
    folder, _ = played
    for name in ("figure.png", "figure.svg"):
        out = tmp_path / name
        done = CliRunner().invoke(app, ["plot", str(folder), "--out", str(out)])
        assert done.exit_code == 0 and out.stat().st_size > 5000, done.output
    assert "<svg" in out.read_text()
    both = CliRunner().invoke(app, ["plot", str(folder), str(folder), "--out", str(out)])
    assert both.exit_code == 2 and "only one folder with an experiment" in both.stderr
    (tmp_path / "begun").mkdir()
    shutil.copy(folder / "experiment.json", tmp_path / "begun")
    begun = CliRunner().invoke(app, ["plot", str(tmp_path / "begun")])
    assert begun.exit_code == 2 and "no game of" in begun.stderr


def test_json_is_one_object(played):
    folder, _ = played
    done = call(*SMALL, f"out={folder}", "--json")
    said = json.loads(done.stdout)
    assert [row["games"] for row in said["results"]] == [4, 4] and said["plot"] == str(
        folder / "experiment.png"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["pnmcts_variant_cpu"], "did you mean 'pnmcts_variants_cpu'"),
        ([*SMALL, "games_eech=4"], "did you mean 'games_each'"),
        ([*SMALL, "~seed"], "'~seed' removes a setting"),
        ([*SMALL, "games_each=3"], "give an even number"),
        ([*SMALL, "games=[]"], "rule sets, at least one"),
        ([*SMALL, "games=[knightthrough-4,knightthrough-4]"], "each of them once"),
        ([*SMALL, "games=[chess]"], "chess"),
        ([*SMALL, "axes.flags=[FSY]"], "flags"),
        (
            [*SMALL, "player='pnmcts:flags={flags},c={flag}'"],
            "{flag} in player or opponent is no axis",
        ),
        ([*SMALL, "player=pnmcts"], "axes.flags: neither player nor opponent"),
        ([*SMALL, "seed=10000000000000000000"], "seed"),
        ([*SMALL, "simulations=many"], "simulations"),
        ([*SMALL, "simulations=null"], "nothing would end the search"),
        (["pnmcts_variants_cpu", "axes.flags=[xxx,FSU]"], "do not fit the axes flags"),
        (["pnmcts_times_cpu", "axes.flags=[xxx,FSU]"], "do not fit the axes flags, sims"),
        (
            ["pnmcts_variants_cpu", "paper={loa-7:[[1],[2,3]]}"],
            "paper.loa-7: its lists differ in length",
        ),
        ([*SMALL, "games=[[knightthrough-4]]"], "games"),
        ([*SMALL, "player='pnmcts:flags={flags:{x}}'"], "name of an axis alone"),
        ([*SMALL, "player='pnmcts:flags={flags!r}'"], "name of an axis alone"),
        ([*SMALL, "player='pnmcts:flags={flags}{'"], "pnmcts:flags={flags}{"),
        (["./absent.yaml"], "./absent.yaml: there is no such file"),
        ([*SMALL, "-m"], "is unknown to 'jaxsolve experiment'"),
    ],
)
def test_bad_settings_are_refused(words, sentence, tmp_path):
    done = call(*words, f"out={tmp_path / 'run'}")
    assert (
        done.exit_code == 2
        and sentence in done.stderr
        and len(done.stderr.strip().splitlines()) == 1
    ), done.output
    assert not (tmp_path / "run").exists()


def test_a_file_of_the_user_may_have_other_axes(tmp_path):
    file = tmp_path / "mine.yaml"
    text = (FOLDER / "pnmcts_variants_cpu.yaml").read_text()
    axes = (
        "axes:\n  new: [one]\n  rank: [highest, children]\nplayer: pnmcts:new={new},rank={rank}\n"
    )
    file.write_text(text[: text.index("axes:")] + axes + "games_each: 2\nsimulations: 6\n")
    done = call(str(file), "games=[knightthrough-4]", f"out={tmp_path / 'run'}")
    assert done.exit_code == 0, done.output
    assert [(row["new"], row["rank"]) for row in rows(tmp_path / "run")] == [
        ("one", "highest"),
        ("one", "children"),
    ]
    assert "paper" not in done.stdout  # no published numbers exist for these axes


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"a: [1", "is no YAML"),
        (b"", "defaults: [schema, _self_]"),
        (b"games: [hex-3]", "defaults: [schema, _self_]"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
def test_a_file_without_settings_is_refused(text, sentence, tmp_path):
    (tmp_path / "mine.yaml").write_bytes(text)
    done = call(str(tmp_path / "mine.yaml"), f"out={tmp_path / 'run'}")
    assert (
        done.exit_code == 2
        and sentence in done.stderr
        and "mine.yaml" in done.stderr
        and len(done.stderr.strip().splitlines()) == 1
    )


@pytest.mark.parametrize(
    ("axis", "paper", "sentence"),
    [
        *(
            (name, "null", f"axes.{name}: give a word of letters")
            for name in ("game", "winner", "first", "points", "opponent", "0", "c d")
        ),
        ("c", "[.nan, 1]", "paper.knightthrough-4: nan is neither a number of per cent nor null"),
        ("c", "[1" + "0" * 400 + ", 1]", "is neither a number of per cent"),
        ("c", "[true, 1]", "True is neither a number of per cent"),
        ("c", "{a: 1}", "is neither a number of per cent"),
    ],
)
def test_axes_and_numbers_that_do_not_fit_the_tables_are_refused(axis, paper, sentence, tmp_path):
    file = tmp_path / "mine.yaml"
    axes = f"axes: {{'{axis}': [0.5, 1]}}\nplayer: 'pnmcts:c={{{axis}}}'\n"
    axes += f"paper: {{knightthrough-4: {paper}}}\n"
    file.write_text(
        "defaults: [schema, _self_]\ngames: [knightthrough-4]\n"
        f"{axes}games_each: 2\nsimulations: 6\n"
    )
    done = call(str(file), f"out={tmp_path / 'run'}")
    assert (
        done.exit_code == 2
        and sentence in done.stderr
        and len(done.stderr.strip().splitlines()) == 1
    ), done.output
    assert not (tmp_path / "run").exists()


def test_axis_values_may_be_numbers_and_titles_may_have_dollar_signs(tmp_path):
    file = tmp_path / "mine.yaml"
    axes = "axes: {c: [0.5, 1]}\nplayer: pnmcts\nopponent: uct:c={c}\npaper: null\n"
    file.write_text(
        "defaults: [schema, _self_]\ntitle: 'cost in $ and \\frac{$'\n"
        f"games: [knightthrough-4]\n{axes}games_each: 2\nsimulations: 6\n"
    )
    done = call(str(file), f"out={tmp_path / 'run'}")
    assert (
        done.exit_code == 0
        and not done.stderr
        and "cost in $" in done.stdout
        and "against uct:c=[c]" in done.stdout
    ), done.output
    assert [row["c"] for row in rows(tmp_path / "run")] == ["0.5", "1"]
    assert {row["opponent"] for row in rows(tmp_path / "run", "games.csv")} == {
        "uct:c=0.5",
        "uct:c=1",
    }


@pytest.mark.parametrize(
    "damage",
    [
        *(
            {"paper": said}
            for said in (
                [],
                "",
                {"knightthrough-4": {"a": 1}},
                {"knightthrough-4": [1, 2, 3]},
                {"knightthrough-4": [10**400, 1]},
            )
        ),
        *({"axes": {"flags": []}}, {"title": "\ud800"}, {"source": 3}, {"paper_x": None}),
    ],
)
def test_a_damaged_description_of_the_figure_is_refused(played, tmp_path, damage):
    folder, _ = played
    shutil.copytree(folder, tmp_path / "run")
    shown = json.loads((folder / "shown.json").read_text())
    (tmp_path / "run" / "shown.json").write_text(json.dumps(shown | damage))
    done = CliRunner().invoke(app, ["plot", str(tmp_path / "run")])
    assert (
        done.exit_code == 2
        and "shown.json is damaged" in done.stderr
        and len(done.stderr.strip().splitlines()) == 1
    )


def test_null_removes_the_published_numbers(tmp_path):
    done = call("pnmcts_variants_cpu", "games=[loa-7]", "axes.flags=[xxx]", "paper={}")
    assert done.exit_code == 2 and "would change nothing" in done.stderr
    settings, _ = composing.settings(
        FOLDER, "pnmcts_variants_cpu", Settings, ["axes.flags=[xxx]", "paper=null"]
    )
    assert all(
        cell.paper is None for cells in Experiment(settings).cells.values() for cell in cells
    )


def test_axes_in_another_order_are_another_experiment(tmp_path):
    """Cells are stored by number."""
    text = (FOLDER / "pnmcts_variants_cpu.yaml").read_text()
    axes, player = (
        ["  new: [one, moves]\n", "  rank: [highest, children]\n"],
        "player: pnmcts:new={new},rank={rank}\n",
    )
    codes = []
    for name, order in (("a", axes), ("b", axes[::-1])):
        (tmp_path / f"{name}.yaml").write_text(
            text[: text.index("axes:")]
            + "axes:\n"
            + "".join(order)
            + player
            + "games_each: 2\nsimulations: 3\n"
        )
        codes.append(
            call(
                str(tmp_path / f"{name}.yaml"), "games=[knightthrough-4]", f"out={tmp_path / 'run'}"
            )
        )
    assert (
        codes[0].exit_code == 0
        and codes[1].exit_code == 2
        and "another run, with axes" in codes[1].stderr
    )


@pytest.mark.parametrize("name", ["shown.json", "results.csv"])
def test_damaged_results_are_refused(name, played, tmp_path):
    folder, _ = played
    good = (folder / name).read_text()
    shutil.copytree(folder, tmp_path / "run")
    words = (
        ('"axes"', '"title"', '"paper"', '"flags"', '"FSU"')
        if name == "shown.json"
        else ("flags", "FSU", "points")
    )
    damages = [good.replace(word, '"zzz"') for word in words] + ["", good[: len(good) // 2], "[1]"]
    for damaged in damages:
        assert damaged != good
        (tmp_path / "run" / name).write_text(damaged)
        done = CliRunner().invoke(
            app, ["plot", str(tmp_path / "run"), "--out", str(tmp_path / "x.png")]
        )
        assert (
            done.exit_code == 2
            and "damaged" in done.stderr
            and len(done.stderr.strip().splitlines()) == 1
        ), (damaged, done.output)


def test_a_folder_is_refused_for_another_experiment(played):
    folder, _ = played
    before = (folder / "results.csv").read_text()
    done = call(*SMALL, "seed=1", f"out={folder}")
    assert done.exit_code == 2 and "seed" in done.stderr
    assert (folder / "results.csv").read_text() == before
