"""From FAIL to a decision: every reason has its remedy, and every command can be copied and understood."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import click
import pytest
import typer

from medveil import cli
from medveil.finding import Finding, Threshold
from medveil.release.remedies import ANATOMY_COST, advising, remedies, with_paths
from medveil.release.settings import Settings
from medveil.report.content import Comparison, Gap, OutputCheck, Provenance, ReportContent, ReportSubject
from medveil.stats.estimate import Estimate

GIVEN = "medveil release IN --out OUT --seed 3 --key-file KEY_FILE"


def attack(part: str, low: float, high: float) -> Comparison:
    found = Estimate((low + high) / 2, 0.01, low, high, 100, 50)
    return Comparison(
        None, Finding(part, "attack", f"{part}?", "A.", "e", {"e": found}, "m", threshold=Threshold("T", 0.09, ""))
    )


def content(*comparisons: Comparison, gaps: tuple[Gap, ...] = (), command: str = GIVEN) -> ReportContent:
    how = Provenance("0", "2026-01-01", command, 3, "", "", {}, {})
    return ReportContent(ReportSubject("s", 9, 9, 9, 9), (), comparisons, gaps, how)


def words(found: str) -> dict[str, list[str]]:
    """The flags of a command with what they are set to."""
    split = shlex.split(found)
    flags: dict[str, list[str]] = {}
    for at, word in enumerate(split):
        if word.startswith("-"):
            flags.setdefault(word, []).append(split[at + 1])
    return flags


@pytest.mark.parametrize(
    "part, protect",
    [
        ("identity", "anatomy"),
        ("identity-adversaries", "anatomy"),
        ("pixel-similarity", "anatomy"),
        ("linkage", "anatomy"),
        ("singling-out", "table"),
        ("visit-intervals", "table"),
    ],
)
def test_an_attack_names_the_defense_against_it(part: str, protect: str) -> None:
    (found,) = remedies(content(attack(part, 0.5, 0.6)), Settings())
    flags = words(found.command)
    assert flags["--protect"] == [protect] and flags["--risk"] == ["0.09"]
    assert flags["-o"] == ["NEW"] and "--out" not in flags and flags["--seed"] == ["3"]
    assert found.cost and found.reason.startswith(f"{part}?")


def test_one_command_serves_where_both_table_and_films_need_it() -> None:
    found = remedies(content(attack("identity", 0.5, 0.6), attack("singling-out", 0.5, 0.6)), Settings())
    assert {each.command for each in found} == {found[0].command} and words(found[0].command)["--protect"] == ["all"]
    assert found[0].change != found[1].change


def test_the_risk_that_is_kept_is_the_recipients() -> None:
    (found,) = remedies(content(attack("identity", 0.5, 0.6)), Settings(recipient="researcher"))
    assert words(found.command)["--risk"] == ["0.2"]


def test_what_is_protected_already_is_protected_harder() -> None:
    base = content(attack("identity", 0.5, 0.6), command=f"{GIVEN} --protect anatomy --risk 0.08")
    (found,) = remedies(base, Settings(protect="anatomy", risk=0.08))
    flags = words(found.command)
    assert flags["--protect"] == ["anatomy"] and flags["--risk"] == ["0.04"]
    (table,) = remedies(
        content(attack("singling-out", 0.5, 0.6), command=f"{GIVEN} --protect anatomy"), Settings(protect="anatomy")
    )
    assert words(table.command)["--protect"] == ["all"]


def test_every_reason_has_a_remedy_in_its_order_even_one_that_nobody_foresaw() -> None:
    gaps = (
        Gap("Report text", "no defense covers it, so it may identify people.", blocking=True),
        Gap("linkage", "it was not asked for.", blocking=True),
        Gap("Something new", "nobody knows.", blocking=True),
        Gap("Harmless", "no matter.", blocking=False),
    )
    full = replace(
        content(attack("identity", 0.0, 0.5), gaps=gaps), check=OutputCheck({"images read": 3}, {"names": 1}, ("5f",))
    )
    found = remedies(full, Settings(attacks=("identity",)))
    assert [each.reason for each in found] == full.reasons
    by = {each.about: each for each in found}
    assert words(by["Report text"].command)["--defense"] == ["default"]
    assert words(by["Linkage"].command)["--attack"] == ["default"]
    assert by["Something new"].command == "" and "a person must judge" in by["Something new"].change
    assert "More patients would bring the bounds closer" in by["Identity"].change
    assert by["Check of the output"].command.startswith("medveil review OUT --source IN")


def test_every_command_is_one_that_medveil_knows() -> None:
    known = typer.main.get_command(cli.app)
    assert isinstance(known, click.Group)
    gaps = (Gap("Threshold", "too high.", blocking=True), Gap("Everything", "nothing.", blocking=True))
    full = replace(
        content(attack("identity", 0.5, 0.6), attack("singling-out", 0.5, 0.6), gaps=gaps),
        check=OutputCheck({}, {"names": 1}),
    )
    commands = [each.command for each in remedies(full, Settings())]
    for command in [*commands, advising(GIVEN)]:
        _, verb, *rest = shlex.split(command)
        flags = {name for param in known.commands[verb].params for name in param.opts}
        assert {word for word in rest if word.startswith("-")} <= flags, command


def test_what_was_let_out_by_hand_and_views_that_nobody_attacks_have_their_remedies() -> None:
    gaps = (
        Gap("Text burned into the image", "faces are released: faces=keep was set.", blocking=True),
        Gap("Other views", "nobody looks at them.", blocking=True),
    )
    given = f"{GIVEN} --defense default --defense pixels:faces=keep"
    found = {each.reason: each for each in remedies(content(gaps=gaps, command=given), Settings())}
    kept_back, left_out = (found[gap.sentence] for gap in gaps)
    assert words(kept_back.command)["--defense"] == ["default"]
    assert words(left_out.command)["--protect"] == ["anatomy"]


def test_the_placeholders_become_the_users_paths() -> None:
    found = with_paths("medveil release IN -o NEW --key-file KEY_FILE", {"IN": "/a b", "NEW": "/c", "KEY_FILE": "/k"})
    assert found == ["medveil", "release", "/a b", "-o", "/c", "--key-file", "/k"]
    assert advising(f"{GIVEN} --advise") == f"{GIVEN} --advise"


def test_the_cost_that_is_quoted_is_the_documented_one() -> None:
    """Measured once, and told in the documentation with the command that repeats it."""
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "coded.md").read_text()
    (quoted,) = re.findall(r"\d+ % \(\d+ to \d+\)", ANATOMY_COST)
    assert quoted in page
