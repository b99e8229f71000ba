"""Words, tables and figures of an experiment whose outcome is known."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from medveil.errors import NotMeasurable
from medveil.finding import Table
from medveil.utility.vqa.experiment.asking import Asking
from medveil.utility.vqa.experiment.comparison import Compared, Stated
from medveil.utility.vqa.experiment.conditions import INPAINTED, MASKED, OURS, Cleaner, conditions
from medveil.utility.vqa.experiment.judging import Judged, judged
from medveil.utility.vqa.experiment.kept import Kept
from medveil.utility.vqa.experiment.results import FOOLED, SHORTCUT, Results
from medveil.utility.vqa.experiment.tables import every_score
from medveil.utility.vqa.judge.judge import Judge
from medveil.utility.vqa.judge.reply import first_object
from medveil.utility.vqa.scores import SCORES, strict
from tests.utility.vqa.experiment.stand_ins import (
    Looker,
    corner_painted,
    destroyed,
    table_of,
    unchanged,
    withholding,
)

CLEANERS: dict[str, Cleaner] = {MASKED: destroyed, INPAINTED: unchanged, OURS: corner_painted}


def rule(system: str, user: str) -> str:
    told = first_object(user)
    assert told is not None
    return json.dumps({"score": int(strict(told["answer"], told["reference"])), "reason": ""})


def lenient(system: str, user: str) -> str:
    return '{"score": 1, "reason": "fine"}'


def results(
    images: int = 240, cleaners: dict[str, Cleaner] = CLEANERS, judge: Judge | None = None, score: str = "relaxed"
) -> tuple[Results, Judged | None]:
    asking = Asking(table_of(images), Looker(), conditions(cleaners, (0.0, 0.3)), cleaners)
    asked = asking.run(Kept(None))
    done = judged(judge, asked, Kept(None), seed=1) if judge else None
    compared = Compared(asked, done.scores if done else None, seed=1)
    return Results(compared, Stated(score, 0.02), done), done  # type: ignore[arg-type]


def told(found: Results, name: str) -> Table:
    table = found.tables()[name]
    assert table is not None
    return table


def test_cleaning_that_spares_the_image_holds() -> None:
    found, _ = results()
    assert found.holds and "not worse by more than 2 points" in found.answer
    finding = found.finding("vqa", model="looker")
    assert finding.estimate.value == 1 and finding.estimate.control == 0.5 and finding.verdict is None
    assert finding.estimates[SHORTCUT].value == 0
    assert finding.estimates["cleaned minus raw, where something was hidden"].n == 480
    rows = {(row[0], row[1]): row for row in told(found, "against-raw").rows}
    assert ("ClinX-type", "something") not in rows, "it hid nothing"
    assert rows["medveil", "something"][2:4] == (480, 240) and rows["text masked", "0 %"][-1] == "worse"
    assert finding.estimates["raw minus question alone"].low > 0.3
    json.dumps(finding.to_json(), allow_nan=False)


def test_cleaning_that_destroys_the_image_does_not() -> None:
    found, _ = results(cleaners=CLEANERS | {OURS: destroyed})
    assert not found.holds and "worse by more than 2 points" in found.answer and "not worse" not in found.answer


def test_a_model_that_does_not_look_gets_no_verdict_in_words() -> None:
    class Blind(Looker):
        def answer(self, image: object, question: str, note: str | None = None) -> str:
            return "no"

    asking = Asking(table_of(100), Blind(), conditions(CLEANERS, (0.0,)), CLEANERS)
    found = Results(Compared(asking.run(Kept(None)), seed=1), Stated())
    assert not found.holds and "there is no verdict" in found.answer
    verdicts = {row[-1] for row in told(found, "against-raw").rows}
    assert verdicts == {"no verdict"}


def test_tables_are_those_in_print() -> None:
    found, _ = results(judge=Judge("a rule", "rule", rule))
    tables = found.tables()
    first = told(found, "table-1-methods")
    assert first.columns == ("method", *SCORES, "answers", "withheld")
    assert [row[0] for row in first.rows][:4] == ["raw", "text masked", "ClinX-type", "medveil"]
    assert str(first.rows[0][1]).startswith("100.0 (") and str(first.rows[1][1]).startswith("50.0 (")
    second = told(found, "table-2-question-types")
    assert {(row[0], row[1]) for row in second.rows} == {(g, s) for g in ("all", "yes/no", "open") for s in SCORES}
    third = told(found, "table-3-hidden")
    assert third.rows == (
        ("text masked", 240, "100.0 %", 0, 0, 0, 240),
        ("ClinX-type", 240, "0 %", 240, 0, 0, 0),
        ("medveil", 240, "13.0 %", 0, 240, 0, 0),
    )
    assert [str(row[-1])[:5] for row in told(found, "relaxed-and-judge").rows] == ["100.0"] * 4
    assert found.estimates()[FOOLED].value == 0
    assert tables["judge-probes"] is not None and tables["withheld"] is None
    figures = found.finding("vqa", model="looker").figures
    assert [figure.title.split(" by ")[1] for figure in figures] == [
        "method",
        "mask severity",
        "how much was found and hidden",
    ]
    severity = {series.name: series for series in figures[1].series}
    assert severity["medveil"].x == (0.0, 0.3) and severity["raw"].y == (1.0, 1.0)


def test_definitions_stand_beside_the_figures() -> None:
    finding = results()[0].finding("vqa", model="looker")
    for name in ("strict", "relaxed", "token F1"):
        assert f"{name}: " in finding.method and any(name in term for term in finding.glossary)
    assert "Jaccard" in finding.method and "2 points" in finding.method


def test_a_refused_judge_scores_nothing_and_the_reason_is_told() -> None:
    found, done = results(judge=Judge("lenient", "lenient", lenient))
    assert done is not None and done.scores == {} and done.trial.refusal
    assert "The judge was refused: it accepts 100.0 %" in found.answer
    assert "judge" not in told(found, "table-1-methods").columns
    with pytest.raises(NotMeasurable, match="judge was refused"):
        results(judge=Judge("lenient", "lenient", lenient), score="judge")


def test_judged_answers_are_asked_once_and_failures_counted() -> None:
    calls: list[str] = []

    def careless(system: str, user: str) -> str:
        calls.append(user)
        told = first_object(user)
        assert told is not None
        wordless = told["answer"] == "dark patch" and told["reference"] == "bright patch"
        return "I cannot say." if wordless else rule(system, user)

    found, done = results(judge=Judge("careless", "careless", careless))
    assert done is not None and done.unreadable > 0
    assert len(calls) == len(set(calls)), "the same words are judged once"
    assert f"{done.unreadable:,} could not be read" in found.finding("vqa", model="looker").method


def test_a_judge_known_by_its_name_alone_is_tried_on_every_run(tmp_path: Path) -> None:
    """Behind an address another model may answer by now; kept replies say nothing of it."""
    asked = Asking(table_of(24), Looker(), conditions(CLEANERS, (0.0,)), CLEANERS).run(Kept(None))
    refusals = []
    for chat in (rule, lenient):
        with closing(Kept(tmp_path / "journal.sqlite")) as kept:
            judge = Judge("j", "j at localhost", chat, lasting=False)
            refusals.append(judged(judge, asked, kept, seed=1).trial.refusal)
            kept.finish()
    assert refusals[0] is None and refusals[1] is not None


def test_what_is_withheld_is_told_and_left_out_of_pairs() -> None:
    found, _ = results(cleaners=CLEANERS | {OURS: withholding(range(0, 240, 3))})
    assert told(found, "withheld").rows == (("medveil", "something in it may be text; a person must look", 80),)
    assert found.pair.before.n == 320
    assert any("160 questions" in limit for limit in found.finding("vqa", model="looker").limits)
    with pytest.raises(NotMeasurable, match="withheld"):
        results(40, CLEANERS | {OURS: withholding(range(40))})


def test_every_number_is_there_for_programs() -> None:
    asking = Asking(table_of(20), Looker(), conditions(CLEANERS, (0.0, 0.3)), CLEANERS)
    table = every_score(Compared(asking.run(Kept(None)), seed=1))
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert len(rows) == (7 + 3) * 3 * 3
    assert all(float(str(row["low"])) <= float(str(row["value"])) <= float(str(row["high"])) for row in rows)
