"""The sheet to sign: what was stated, what was not, who decided, and the residual risk in one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from medveil.finding import Finding, Power, Threshold
from medveil.report import schema
from medveil.report.advice import Advice, Trial, TriedAttack
from medveil.report.content import Comparison, ReportContent
from medveil.report.page import render
from medveil.report.residual_risk import UNKNOWN, residual_risk
from medveil.report.sheet import STANDING
from medveil.report.tables import tables
from medveil.stats.estimate import Estimate

Written = Callable[[ReportContent], Path]


def words_of(page: str) -> str:
    """The text of the sheet alone."""
    sheet = page.split('<section id="sheet"')[1].split("</section>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", sheet).replace("\u00a0", " ").replace("&nbsp;", " ").split())


def attack(name: str, value: float, high: float, scale: str = "share") -> Finding:
    found = Estimate(value, 0.01, 0.0, high, 100, 50, chance=0.01)
    threshold = Threshold("T", 0.09, "")
    return Finding(name, "attack", "Q?", "A.", "e", {"e": found}, "m", scale=scale, threshold=threshold)  # type: ignore[arg-type]


def test_the_residual_risk_is_the_strongest_upper_end_not_the_highest_value() -> None:
    told = residual_risk([attack("sure", 0.04, 0.05), attack("visit-intervals", 0.03, 0.088)]).replace("\u00a0", " ")
    assert told == (
        "The strongest of the 2 attacks that could be measured, “visit intervals”, succeeds in 3.0 % of cases (blind "
        "guessing: 1.0 %), and up to 8.8 % cannot be ruled out; the accepted risk is 9 %."
    )


def test_an_attack_without_power_is_part_of_the_residual_risk() -> None:
    weak = replace(attack("linkage", 0.005, 0.02), power=Power("Shown on phantoms.", "", enough=False))
    told = residual_risk([weak, attack("sure", 0.01, 0.05)])
    assert told.endswith("; 1 of the 2 was not shown to work on such data.")
    assert "not shown" not in residual_risk([attack("sure", 0.01, 0.05)])


def test_what_could_not_be_measured_is_part_of_the_residual_risk(passing: ReportContent) -> None:
    assert residual_risk([]) == residual_risk([attack("a", 0.5, 0.6, scale="score")]) == UNKNOWN
    lost = Comparison(None, attack("lost", float("nan"), float("nan")))
    with_one_lost = replace(passing, comparisons=(*passing.comparisons, lost))
    assert "; 1 further attack could not be measured." in with_one_lost.residual_risk.replace("\u00a0", " ")


def test_every_field_is_there_and_an_empty_one_is_printed_as_not_stated(
    passing: ReportContent, failing: ReportContent
) -> None:
    stated, empty = (words_of(render(content.to_json())) for content in (passing, failing))
    for name in ("Data", "Purpose", "Recipient", "Their means", "Legal basis", "Conditions", "Accepted risk"):
        assert name in stated and name in empty
    assert "Chest films for a challenge" in stated and "Purpose To compare methods that find tuberculosis." in stated
    assert "Next review 2027-11-01" in stated and "Data protection officer Name, signature Place, date" in stated
    assert "Legal basis not stated" in stated
    assert empty.count("not stated") == 9  # title, data, purpose, two of the recipient, law, conditions, by whom, when
    assert "Recipient not stated ; judged as if for the public" in empty
    assert "For data protection Name, signature" in empty


def test_the_accepted_risk_the_recipient_and_their_means_are_printed(passing: ReportContent) -> None:
    told = words_of(render(passing.to_json()))
    assert "Recipient The public. Who: not stated" in told
    assert "Anybody may try, as often as they like. (as medveil assumes of such recipients)" in told
    assert "9 %: EMA 0.09 (European Medicines Agency, policy 0070, as an example)" in told
    assert passing.residual_risk.replace("\u00a0", " ") in told


def test_decisions_stand_with_who_and_when_the_accepted_ones_too(passing: ReportContent) -> None:
    document = passing.to_json()
    told = words_of(render(document))
    assert "2025-02-01, 10:15 UTC , Reader 2: 2 accepted, 0 rejected" in told
    assert "2025-02-03, 08:00 UTC , reviewer not stated: 0 accepted, 1 rejected" in told
    assert document["sheet"]["decisions"][0]["accepted"] == ["images/5f3a.png", "images/6b1c.png"]
    assert document["sheet"]["decisions"][1]["reviewer"] is None


def test_what_the_sheet_has_no_room_for_stands_in_the_annex(passing: ReportContent) -> None:
    assert passing.sheet is not None
    sheet = replace(passing.sheet, decisions=passing.sheet.decisions * 3)
    gaps = tuple(replace(passing.gaps[0], what=f"Gap {n}") for n in range(9))
    page = render(replace(passing, sheet=sheet, gaps=gaps).to_json())
    annex = page.partition('id="annex"')[2]
    assert "and 3 more decisions in the annex" in words_of(page)
    assert annex.count("Reader 2") == 3 and "images/77aa.png" in annex
    assert "and 6 more points in the annex" in words_of(page)
    assert all(line in annex for line in STANDING) and "Gap 8" in annex


def test_what_was_not_assessed_begins_with_what_blocks(passing: ReportContent) -> None:
    gap = replace(passing.gaps[0], what="Pixels", why="nobody looked.", blocking=True)
    document = replace(passing, gaps=(*passing.gaps, gap)).to_json()
    assert document["sheet"]["not_assessed"][:2] == ["Pixels: nobody looked.", passing.gaps[0].sentence]
    assert "Pixels: nobody looked." in words_of(render(document))


def test_beside_each_reason_stands_what_would_change_it_with_a_command(failing: ReportContent) -> None:
    page = render(failing.to_json())
    annex = " ".join(re.sub(r"<[^>]+>", "", page.split('<section id="decision">')[1].split("</section>")[0]).split())
    assert "Draw the films anew from a short code. What it costs" in annex.replace("code.What", "code. What")
    assert "medveil release IN -o NEW --protect anatomy --risk 0.09" in annex
    assert failing.to_json()["remedies"][0]["reason"] == failing.reasons[0]


def test_more_than_fits_is_counted_not_dropped(failing: ReportContent) -> None:
    many = replace(failing, remedies=tuple(replace(failing.remedies[0], change=f"Do {n}.") for n in range(7)))
    assert "and 1 more reason in the annex" in words_of(render(many.to_json()))


def test_reasons_with_one_remedy_stand_together(failing: ReportContent) -> None:
    first, second = failing.remedies
    same = replace(failing, remedies=(first, second, replace(first, about="Identity", reason="Who is it?")))
    page = render(same.to_json())
    assert "Pixel similarity, identity Draw the films anew from a short code." in words_of(page)
    annex = page.partition('id="annex"')[2]
    assert annex.count("Draw the films anew from a short code.") == 1
    assert all(reason in annex for reason in (first.reason, second.reason, "Who is it?"))


@pytest.mark.parametrize("unchanged", [True, False])
def test_rows_of_a_table_stand_before_and_after_together(unchanged: bool) -> None:
    def side(value: float) -> dict[str, object]:
        rows = [["100", "small", f"{value} ± 0.1"], ["100", "chance", "0.01"]]
        return {"tables": [{"title": "Pools", "columns": ["candidates", "by", "Recall@1"], "rows": rows}]}

    (table,) = tables({"before": side(0.5), "after": side(0.5 if unchanged else 0.1)})
    if unchanged:
        assert table["columns"] == ["candidates", "by", "Recall@1"] and len(table["rows"]) == 2
    else:
        assert table["columns"] == ["candidates", "by", "when", "Recall@1"]
        assert table["rows"] == [
            ["100", "small", "before", "0.5 ± 0.1"],
            ["100", "small", "after", "0.1 ± 0.1"],
            ["100", "chance", "before and after", "0.01"],
        ]


def test_tables_whose_rows_have_no_names_of_their_own_stay_apart() -> None:
    def side(value: float) -> dict[str, object]:
        return {"tables": [{"title": "T", "columns": ["a", "b"], "rows": [["x", value], ["x", 2.0]]}]}

    assert [table["title"] for table in tables({"before": side(1.0), "after": side(3.0)})] == ["T, before", "T, after"]


def test_what_was_tried_on_a_sample_stands_in_the_annex_and_what_could_not_be_says_why(failing: ReportContent) -> None:
    found = TriedAttack("identity", "films", "FAIL", attack("identity", 0.9, 0.95).estimate.to_json())
    lost = Trial("anatomy-0.09", "Films drawn anew", "medveil release IN -o NEW", failed="no film can be drawn")
    advice = Advice(30, 60, 90, 0.09, (Trial("asked", "As asked for", "medveil release IN", (found,)), lost))
    document = replace(failing, advice=advice).to_json()
    jsonschema.validate(document, schema())
    page = render(document).replace("\u00a0", " ")
    assert "90.0 % (0.0–95.0 %)" in page and "guessing 1.0 %; identity" in page and "30 of 60 patients" in page
    assert "no film can be drawn" in page and "Nothing that was tried kept the accepted risk" in page
