"""The documentation stays true: commands, flags, settings, examples and links are compared with the program."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import typer

from medveil import cli
from medveil.cohort import labels, schema
from medveil.cohort.input.source import layouts
from medveil.cohort.phantom.gold import Category, ImageGold
from medveil.cohort.readers import nih14, openi
from medveil.cohort.tables.columns import ALIASES
from medveil.finding import Verdict
from medveil.parts import registered
from medveil.person.keys import Keys
from medveil.release import Outcome, Settings
from medveil.report import schema as schema_of
from medveil.report.page import Document

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)]
TEXTS = [*PAGES, *sorted((DOCS / "examples").glob("*.*")), *sorted(DOCS.glob("*.py"))]
FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [body for found, body in FENCE.findall(page.read_text()) if found == language]


def inline_code(page: Path) -> list[str]:
    return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", FENCE.sub("", page.read_text()))]


def tree(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that does something, by its words."""
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from tree(child, (*path, name))
    else:
        yield path, command


COMMANDS = dict(tree(typer.main.get_command(cli.app)))
GROUPS = {path[:n] for path in COMMANDS for n in range(len(path))}


def flags(command: click.Command) -> set[str]:
    return {name for param in command.params if isinstance(param, click.Option) for name in param.opts} | {"--help"}


def written_commands(page: Path) -> Iterator[list[str]]:
    """The words behind every `medveil` that stands in a shell block or at the beginning of inline code."""
    lines = [line for body in blocks(page, "bash") for line in body.splitlines()]
    for text in [*lines, *inline_code(page)]:
        words = shlex.split(text.removeprefix(".venv/bin/"), comments=True) if "medveil" in text else []
        if words and words[0] == "medveil":
            yield words[1:]


def test_the_parser_sees_the_commands() -> None:
    found = [words for page in PAGES for words in written_commands(page)]
    assert {words[0] for words in found if words} >= {"demo", "release", "cohort", "phantom", "parts"}
    assert any("--crosswalk" in words for words in found)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_and_flag_exists(page: Path) -> None:
    for words in written_commands(page):
        plain = tuple(word for word in words if not word.startswith("-"))
        path = next((plain[:n] for n in (2, 1) if plain[:n] in COMMANDS), None)
        used = {word.partition("=")[0] for word in words if word.startswith("-")}
        if path is None:
            own = {"--help", "--version", "--install-completion", "--show-completion"} if not plain else {"--help"}
            assert plain in GROUPS and used <= own, f"there is no command medveil {' '.join(words)}"
        else:
            assert used <= flags(COMMANDS[path]), f"medveil {' '.join(words)} has an unknown flag"
    scripts = "".join(file.read_text() for home in ("benchmarks", "recipes") for file in (ROOT / home).rglob("*.py"))
    everywhere = set().union(*map(flags, COMMANDS.values())) | set(re.findall(r'"(--[\w-]+)"', scripts))
    alone = {code.split()[0] for code in inline_code(page) if code.startswith("-")}
    assert alone <= everywhere, "a flag that neither command nor script has"


def test_the_reference_lists_every_flag_with_its_default() -> None:
    text = (DOCS / "reference" / "cli.md").read_text()
    sections = dict(re.findall(r"^## `medveil ([\w -]+)`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert set(sections) == {" ".join(path) for path in COMMANDS}
    for path, command in COMMANDS.items():
        rows = re.findall(r"^\| (`-.*?`) \| .*? \| (.*?) \|", sections[" ".join(path)], re.MULTILINE)
        written = {name: default for cell, default in rows for name in re.findall(r"`(.*?)`", cell)}
        assert set(written) == flags(command) - {"--help"}, path
        for param in command.params:
            if isinstance(param.default, int | str | Path) and not getattr(param, "is_flag", True):
                assert written[param.opts[0]].strip("`") == str(param.default), param.name


def test_the_settings_example_loads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Through the real --config, up to the point where the release would begin."""
    seen: dict[str, Any] = {}

    def run(source: Path, out: Path, **rest: Any) -> Outcome:
        seen.update(source=source, out=out, **rest)
        return Outcome(Verdict.PASS, 1, 0, out / "report.html")

    monkeypatch.setattr("medveil.release.release", run)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    example = DOCS / "examples" / "settings.toml"
    written = tomllib.loads(example.read_text())["release"]
    Keys.load_or_create(tmp_path / written["key-file"])
    shutil.copy(DOCS / "examples" / "questionnaire.toml", tmp_path / written["questionnaire"])
    command = ["release", "data", "--config", str(example)]
    with pytest.raises(SystemExit) as end:
        monkeypatch.setattr(sys, "argv", ["medveil", *command])
        cli.main()
    assert end.value.code == 0
    assert (seen["source"], seen["out"], seen["workers"]) == (Path("data"), Path(written["out"]), written["workers"])
    assert seen["crosswalk"] == Path(written["crosswalk"])
    assert (tmp_path / written["key-file"]).stat().st_mode & 0o777 == 0o600
    chosen: Settings = seen["settings"]
    assert (seen["questionnaire"].title, chosen.recipient) == (written["title"], written["recipient"])
    assert (chosen.seed, chosen.threshold, chosen.layout) == tuple(written[k] for k in ("seed", "threshold", "layout"))
    assert chosen.input.columns and chosen.layout == "csv", "only a table of one's own has columns to map"
    assert [*chosen.defenses, *chosen.attacks, *chosen.measures] == [
        *written["defense"],
        *written["attack"],
        *written["measure"],
    ]
    assert chosen.layout in layouts()
    assert chosen.resolved().attacks == tuple(written["attack"])


def test_the_settings_example_is_complete_and_right_everywhere() -> None:
    for section, written in tomllib.loads((DOCS / "examples" / "settings.toml").read_text()).items():
        assert {f"--{key}" for key in written} <= flags(COMMANDS[(section,)]), section
    full = tomllib.loads((DOCS / "examples" / "settings.toml").read_text())["release"]
    every = {name for name in flags(COMMANDS[("release",)]) if name.startswith("--")}
    assert {f"--{key}" for key in full} == every - {"--help", "--config"}
    for kind in ("attack", "measure", "defense"):
        assert set(full[kind]) == set(registered(f"{kind}s")), kind  # type: ignore[arg-type]


def test_the_plug_in_example_passes_its_own_checks(hospital_folder: Path) -> None:
    """In a process of its own: importing it registers its parts for good."""
    command = [sys.executable, str(DOCS / "examples" / "first_interval.py"), str(hospital_folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "all three parts conform\n"), done.stderr


def test_the_python_page_runs_from_top_to_bottom(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for body in blocks(DOCS / "reference" / "python.md", "python"):
        exec(compile(body, "python.md", "exec"), names)
    assert names["outcome"].report.is_file()
    for body in blocks(DOCS / "howto" / "json-report.md", "python") + blocks(DOCS / "howto" / "phantom.md", "python"):
        exec(compile(body, "how-to", "exec"), names)
    data = {str(path.relative_to("checked")).partition("/")[0] for path in Path("checked").rglob("*")}
    told = set(re.findall(r"`([\w.]+\w)/?`", table_under((DOCS / "howto" / "release.md").read_text(), "| In `OUT` ")))
    assert data <= told


def table_under(text: str, header: str) -> str:
    """The rows of the table that begins with this header."""
    return text[text.index(header) :].partition("\n\n")[0]


def test_data_set_tables_are_those_of_the_readers() -> None:
    text = (DOCS / "howto" / "datasets.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \|", table_under(text, "| `--layout` |"), re.MULTILINE)
    assert set(rows) == set(layouts())
    cells = re.findall(r"^\| `(\w+)` \| (.*?) ?\|$", table_under(text, "| Column | Also called |"), re.MULTILINE)
    known = {column: aliases for column, aliases in ALIASES.items() if column not in schema.LABELS}
    assert {column: {column, *filter(None, also.split(", "))} for column, also in cells} == {
        column: set(aliases) for column, aliases in known.items()
    }
    mesh = re.findall(r"^\| (.*?) \| ([\w ]+) \|$", table_under(text, "| MeSH heading"), re.MULTILINE)
    assert {term.lower(): label for terms, label in mesh[1:] for term in terms.split("; ")} == openi.TERMS
    nih = table_under(text, "| NIH |")
    assert all(term in nih for terms in nih14.FINDINGS.values() for term in terms)


def test_contract_tables_are_those_of_the_code() -> None:
    text = (DOCS / "explanation" / "cohort.md").read_text()
    columns = re.findall(r"^\| `(\w+)` \|", table_under(text, "| Column |"), re.MULTILINE)
    assert columns == [column for column in schema.COLUMNS if column not in schema.LABELS]
    assert ", ".join(schema.LABELS) in " ".join(text.split())
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \| (.*?) \|$", table_under(text, "| Policy |"), re.MULTILINE)
    words = {"negative": "0", "positive": "1", "missing": "masked"}
    known = [(name, words[p.uncertain], words[p.absent]) for name, p in labels.POLICIES.items()]
    assert rows == known


def test_the_answer_key_page_names_every_field_and_category() -> None:
    text = (DOCS / "howto" / "phantom.md").read_text()
    assert all(f"`{name}`" in text for name in ImageGold.__dataclass_fields__)
    assert all(category.value in text for category in Category)


@pytest.mark.parametrize("name", ["deid", "verify", "manifest"])
def test_the_page_of_records_names_every_field(name: Document) -> None:
    section = (DOCS / "reference" / "records.md").read_text().partition(f"## {name}.json")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    assert [field for cell in cells for field in re.findall(r"`(\w+)`", cell)] == schema_of(name)["required"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_images_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text())
    targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r"\{download\}`.*?<(.*?)>`", text)
    targets += re.findall(r"^```\{(?:literalinclude|include)\} (\S+)", page.read_text(), re.MULTILINE)
    for target in targets:
        if not target.startswith(("http://", "https://", "#")):
            assert (page.parent / target.partition("#")[0]).resolve().is_file(), target


def test_every_page_is_in_the_table_of_contents() -> None:
    index = (DOCS / "index.md").read_text()
    listed = {line for body in re.findall(r"```\{toctree\}\n(.*?)```", index, re.DOTALL) for line in body.split()}
    pages = {str(p.relative_to(DOCS).with_suffix("")) for p in PAGES[1:]}
    assert pages - {"index"} <= listed


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_path_of_a_machine(file: Path) -> None:
    assert not re.search(r"(?<![\w.~-])/(?:work|tmp|home|root|opt|usr|Users|mnt)\b", file.read_text())


def test_pictures_are_small() -> None:
    pictures = sorted((DOCS / "images").iterdir())
    assert pictures
    assert all(picture.stat().st_size < 300_000 for picture in pictures)


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        words[1]
        for page in PAGES
        for text in [*blocks(page, "bash"), *inline_code(page)]
        for words in map(str.split, text.splitlines())
        if words[:1] == ["make"] and len(words) > 1
    }
    shown = [line for body in blocks(ROOT / "README.md", "bash") for line in body.splitlines()]
    assert {"demo", "test"} <= {line.split()[1] for line in shown if line.startswith("make")}
    assert named <= targets


@pytest.mark.skipif(not shutil.which("sphinx-build", path=str(Path(sys.executable).parent)), reason="no Sphinx here")
def test_the_pages_build_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "dummy", str(DOCS), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
