"""Reports: spans, sides, eponyms, styles. Everything is checked on a few hundred reports of ten sites."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.cohort.phantom.chart import make_demographics, make_encounter
from medveil.cohort.phantom.gold import Category
from medveil.cohort.phantom.invented_names import ORDINARY_WORDS
from medveil.cohort.phantom.marked_text import MarkedText, as_marked, fill, join, mark, vary
from medveil.cohort.phantom.plan import PatientPlan, VisitPlan, plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.cohort.phantom.radiograph.pose import FIELD_CM
from medveil.cohort.phantom.reports import STYLES, write_report
from medveil.cohort.phantom.sites import Site, make_site
from medveil.defenses.reports.tagger.network import CATEGORIES

EPONYMS = (
    "Kerley B",
    "Swan-Ganz",
    "Foley catheter",
    "Hickman catheter",
    "Fleischner Society",
    "Fleischner criteria",
    "per Fleischner",
    "Port-A-Cath",
    "Parkinson disease",
    "Hodgkin lymphoma",
    "Dobhoff",
)

Report = tuple[PatientPlan, VisitPlan, Site, MarkedText, dict[str, int]]


@pytest.fixture(scope="module")
def reports() -> list[Report]:
    found = []
    for number in range(400):
        patient = plan_patient(7, number, 10)
        site = make_site(7, patient.site)
        person = make_demographics(7, patient, site)
        for visit in patient.visits:
            text, labels = write_report(7, patient, visit, person, site)
            found.append((patient, visit, site, text, labels))
    return found


def test_spans_hold_the_text_they_claim(reports: list[Report]) -> None:
    for _, _, _, text, _ in reports:
        last = 0
        for identifier in text.identifiers():
            assert text.text[identifier.start : identifier.end] == identifier.text
            assert identifier.text.strip() == identifier.text != ""
            assert identifier.start >= last
            last = identifier.end


def test_every_known_string_of_the_person_is_marked(reports: list[Report]) -> None:
    """A searcher who knows the patient and the staff finds nothing outside the spans."""
    occurrences = 0
    for patient, visit, site, text, _ in reports:
        person = make_demographics(7, patient, site)
        encounter = make_encounter(7, patient, visit, site)
        known = [person.given, person.family, person.relative, person.mrn, person.ssn, person.phone, person.street]
        known += [person.plan_number, person.postal, encounter.accession, encounter.job, encounter.room]
        known += [site.hospital, site.phone, site.fax, site.postal, site.domain, person.implant_serial]
        for staff in (encounter.referrer, encounter.reader, encounter.second, encounter.technologist):
            known += [staff.given, staff.family, staff.pager]
        for moment in (*(v.date for v in patient.visits), encounter.dictated, encounter.signed):
            known += [f"{moment:%Y-%m-%d}", f"{moment:%m/%d/%Y}", f"{moment:%B} {moment.day}", f"{moment:%m/%d/%y}"]
        flat = text.text.replace("\n", " ")
        for string in known:
            if len(string) < 4 or string.casefold() in ORDINARY_WORDS:
                continue
            for match in re.finditer(rf"(?<!\w){re.escape(string)}(?!\w)", flat, re.IGNORECASE):
                occurrences += 1
                assert any(i.start <= match.start() and match.end() <= i.end for i in text.identifiers()), string
    assert occurrences > 5 * len(reports)


def test_no_slot_or_choice_is_left_open(reports: list[Report]) -> None:
    for _, _, _, text, _ in reports:
        assert not re.search(r"[\[\]{}|]|\bNone\b(?!\.| available)|  \.|\.\.", text.text), text.text


def test_eponyms_and_devices_are_nobodys_names(reports: list[Report]) -> None:
    seen = Counter[str]()
    for _, _, _, text, _ in reports:
        for eponym in EPONYMS:
            for match in re.finditer(re.escape(eponym).replace(r"\ ", r"\s"), text.text):
                seen[eponym] += 1
                assert not any(i.start < match.end() and match.start() < i.end for i in text.identifiers())
    assert len(seen) >= 9


def test_every_category_and_a_misspelling_occur(reports: list[Report]) -> None:
    found = [identifier for report in reports for identifier in report[3].identifiers()]
    assert {identifier.category for identifier in found} == set(CATEGORIES) - {Category.UID}
    slips = [identifier for identifier in found if identifier.misspelled]
    assert slips
    assert {slip.category for slip in slips} == {Category.NAME}
    for slip in slips:
        assert not slip.text.endswith(slip.value.split(" ", 1)[1])


def test_only_ages_over_89_are_marked(reports: list[Report]) -> None:
    ages = [i for report in reports for i in report[3].identifiers() if i.category is Category.AGE_OVER_89]
    assert len(ages) > 10
    assert all(int(age.value) > 89 for age in ages)
    assert {age.text.isdigit() for age in ages} == {True, False}
    for _, visit, _, text, _ in reports:
        for match in re.finditer(r"(\d+)[- ]year[- ]old|(\d+) ?y/?o\b", text.text):
            age = int(match.group(1) or match.group(2))
            assert age == visit.age
            assert (age > 89) == any(i.start == match.start() for i in text.identifiers())


def test_dates_come_in_many_forms_and_mean_the_right_day(reports: list[Report]) -> None:
    shapes = set()
    for patient, visit, _, text, _ in reports:
        near = {patient.birth} | {v.date.date() for v in patient.visits}
        for identifier in text.identifiers():
            if identifier.category is Category.DATE:
                written = identifier.text.replace("\n", " ")
                shapes.add(re.sub(r"[A-Z][a-z]+", "Mon", re.sub(r"\d", "9", written)))
                day = np.datetime64(identifier.value)
                after = (day - np.datetime64(visit.date.date())).astype(int)
                assert day in {np.datetime64(d) for d in near} or -26 < after < 3
                assert str(int(identifier.value[-2:])) in written
    assert len(shapes) >= 12


def test_labels_follow_the_plan(reports: list[Report]) -> None:
    values = Counter[int]()
    for _, visit, _, _, labels in reports:
        values.update(labels.values())
        for label, value in labels.items():
            if label in visit.labels:
                assert value in (1, -1)
            else:
                assert value in (0, -1)
                assert value == 0 or label == "Pneumonia"
        assert set(visit.labels) <= set(labels)
    assert min(values[value] for value in (-1, 0, 1)) > 50
    assert len({label for *_, labels in reports for label, value in labels.items() if value == -1}) >= 8


def test_labels_follow_the_statements(reports: list[Report]) -> None:
    values = {"present": 1, "possible": -1, "absent": 0, "resolved": 0}
    for _, visit, _, text, labels in reports:
        said = {label: values[s.says] for s in text.statements() for label in s.labels}
        implied = set(labels) - set(said)
        assert implied <= {"No Finding", "Lung Opacity"}
        assert {label: labels[label] for label in said} == said
        assert all(label in visit.labels for label in implied)


_SIDES = {
    "left": re.compile(r"\bleft\b|\bL\b|\bL[UL]L\b", re.I),
    "right": re.compile(r"\bright\b|\bR\b|\bR[UML]L\b", re.I),
    "bilateral": re.compile(r"\bbilat|\bboth\b", re.I),
}


def test_sides_are_those_of_the_plan(reports: list[Report]) -> None:
    checked = 0
    for patient, visit, _, text, _ in reports:
        before = patient.visits[visit.number - 1] if visit.number else None
        for statement in text.statements():
            if not statement.side or statement.labels == ("Support Devices",):
                continue
            source = before if statement.says == "resolved" else visit
            assert source is not None
            planned = {f.side for f in source.findings if f.label in statement.labels}
            words = text.text[statement.start : statement.end]
            assert planned == {statement.side}
            assert _SIDES[statement.side].search(words), words
            for other in {"left", "right"} - {statement.side}:
                assert not _SIDES[other].search(words), words
            checked += 1
    assert checked > 200


def test_every_sided_finding_is_told_with_its_side(reports: list[Report]) -> None:
    for _, visit, _, text, _ in reports:
        told = {(label, s.side) for s in text.statements() for label in s.labels}
        keys = {f.key for f in visit.findings if f.label in ("Pneumonia", "Consolidation")}
        for finding in visit.findings:
            if finding.label == "Lung Opacity" and finding.key in keys:
                continue
            sided = finding.label not in ("Edema", "Cardiomegaly", "Enlarged Cardiomediastinum")
            assert (finding.label, finding.side if sided else "") in told


def test_devices_are_told_on_their_side(reports: list[Report]) -> None:
    checked = 0
    for _, visit, _, text, _ in reports:
        for statement in text.statements():
            if statement.labels == ("Support Devices",) and statement.side:
                assert statement.side in {device.side for device in visit.devices}
                assert _SIDES[statement.side].search(text.text[statement.start : statement.end])
                checked += 1
    assert checked > 50


def test_measures_in_the_words_fit_the_picture() -> None:
    """The millimetres of a lesion are those of its box, at the film's scale."""
    checked = 0
    for number in range(60):
        patient = plan_patient(7, number, 3)
        for visit in patient.visits[:1]:
            for lesion in (finding for finding in visit.findings if finding.label == "Lung Lesion"):
                boxes = dict(draw(patient, visit, sites_seed=7, size=192).finding_boxes)
                left, top, right, bottom = boxes["Lung Lesion"]
                if left > 0 and top > 0 and right < 192 and bottom < 192:
                    shown = (right - left + bottom - top) / 2 * 10 * FIELD_CM / 192 / visit.zoom
                    assert 0.7 < shown / lesion.millimetres < 1.4
                    checked += 1
    assert checked >= 2


def test_comparisons_name_the_earlier_day(reports: list[Report]) -> None:
    for patient, visit, _, text, _ in reports:
        if visit.number:
            earlier = patient.visits[visit.number - 1].date.date().isoformat()
            days = [i.value for i in text.identifiers() if i.category is Category.DATE]
            assert earlier in days or "prior" in text.text.lower() or "previous" in text.text.lower()


def test_styles_differ_and_reports_rarely_repeat(reports: list[Report]) -> None:
    assert len(STYLES) >= 4
    assert {site.habits.style for _, _, site, _, _ in reports} == set(STYLES)
    sentences = Counter(
        re.sub(r"\s+", " ", text.text[s.start : s.end]) for _, _, _, text, _ in reports for s in text.statements()
    )
    assert len(sentences) > 1500
    assert len({text.text for _, _, _, text, _ in reports}) == len(reports)
    lengths = {style: [len(t.text) for _, _, s, t, _ in reports if s.habits.style == style] for style in STYLES}
    assert np.median(lengths["telegram"]) < 0.5 * np.median(lengths["structured"])


@given(st.lists(st.tuples(st.text("ab \n", max_size=12), st.booleans()), max_size=12), st.integers(3, 20))
def test_wrapping_moves_no_span(parts: list[tuple[str, bool]], width: int) -> None:
    text = join("-", [mark(t, Category.NAME) if marked else as_marked(t) for t, marked in parts])
    wrapped = text.wrapped(width)
    assert wrapped.text.replace("\n", " ") == text.text.replace("\n", " ")
    assert [(i.start, i.end) for i in wrapped.identifiers()] == [(i.start, i.end) for i in text.identifiers()]
    for identifier in wrapped.identifiers():
        assert wrapped.text[identifier.start : identifier.end] == identifier.text
    for line in wrapped.text.split("\n"):
        assert len(line) <= width or " " not in line[1 : width + 1]


def test_a_letter_that_grows_in_capitals_keeps_spans_right() -> None:
    text = fill("Dr. {a} and {b}", a=mark("Groß", Category.DOCTOR), b=mark("Weiß", Category.DOCTOR)).upper()
    assert text.text == "DR. GROSS AND WEISS"
    assert [text.text[i.start : i.end] for i in text.identifiers()] == ["GROSS", "WEISS"]
    assert [i.value for i in text.identifiers()] == ["Groß", "Weiß"]


def test_choices_may_nest() -> None:
    rng = np.random.default_rng(0)
    assert {vary(rng, "x[a|b[c|d]]") for _ in range(200)} == {"xa", "xbc", "xbd"}
