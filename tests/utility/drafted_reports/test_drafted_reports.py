from __future__ import annotations

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.errors import NotMeasurable
from medveil.testing import check_measure
from medveil.utility.drafted_reports.bleu import bleu, counts
from medveil.utility.drafted_reports.drafter import CELLS, SEEN, learn_drafter
from medveil.utility.drafted_reports.drafting import bleu_estimates, typical
from medveil.utility.drafted_reports.measure import DraftedReports, DraftedReportsSettings
from medveil.utility.drafted_reports.words import Vocabulary, words_of

PAIRS = (
    (
        "the heart is normal . no pneumothorax . small left effusion .",
        "the heart is enlarged . no pneumothorax is seen . a small left effusion .",
    ),
    ("lungs are clear", "the lungs are clear bilaterally"),
    ("no acute disease . no acute disease .", "no acute cardiopulmonary disease ."),
)


def test_bleu_is_that_of_sacrebleu() -> None:
    """As sacrebleu 2.6 has it with tokenize='none', smooth_method='none' and max_ngram_order of 1 to 4."""
    drafts, reports = ([one.split() for one in side] for side in zip(*PAIRS, strict=True))
    known = [0.7174306581069027, 0.6014353376749402, 0.460303993710346, 0.2826899466704623]
    np.testing.assert_allclose(bleu(counts(drafts, reports).sum(0)), known, rtol=1e-12)


def test_a_word_counts_no_more_often_than_the_report_has_it() -> None:
    found = bleu(counts([["the"] * 7], ["the cat is on the mat".split()]).sum(0))
    assert found[0] == pytest.approx(2 / 7)  # the example of the paper
    assert found[1:].tolist() == [0, 0, 0]


def test_short_and_empty_drafts_lose() -> None:
    report = "no acute disease of the chest".split()
    short = bleu(counts([report[:3]], [report]).sum(0))[0]
    assert short == pytest.approx(np.exp(1 - 6 / 3))
    assert bleu(counts([[]], [report]).sum(0)).tolist() == [0, 0, 0, 0]


def test_redraws_of_counts_are_redraws_of_reports() -> None:
    drafts, reports = ([one.split() for one in side] for side in zip(*PAIRS, strict=True))
    found = bleu_estimates(drafts * 4, reports * 4, np.repeat(np.arange(6), 2), seed=1)
    assert found["BLEU-1"].value == pytest.approx(0.7174306581069027)
    assert found["BLEU-1"].low < found["BLEU-1"].value < found["BLEU-1"].high
    assert found["BLEU-1"].units == 6


def test_words_start_at_the_findings_and_hold_no_number() -> None:
    report = "Jane Roe, MRN 12345\nFINDINGS: The heart is 12.5 cm wide. No X-ray sign.\nIMPRESSION: Normal."
    assert words_of(report) == "the heart is cm wide . no x-ray sign . impression normal .".split()
    assert words_of("Lungs clear") == ["lungs", "clear"]


def test_a_name_is_never_drafted() -> None:
    reports = [["no", "effusion"], ["no", "effusion", "roe"], ["no", "effusion", "roe"], ["no", "roe"]]
    words = Vocabulary.of(reports, np.array(["a", "b", "b", "b"]))
    assert words.words == ()  # many reports, but of two patients
    words = Vocabulary.of(reports, np.array(["a", "b", "c", "c"]))
    assert words.words == ("effusion", "no")
    assert words.text(words.numbers(reports)[1].tolist()) == ["no", "effusion"]


def test_the_typical_report_is_the_one_most_like_the_others() -> None:
    reports = [f"the lungs are clear {word}".split() for word in ("now", "today", "again")] + [["large", "mass"]]
    assert typical(reports, seed=0)[:4] == "the lungs are clear".split()


def test_what_a_film_shows_is_written() -> None:
    rng = np.random.default_rng(0)
    cells = rng.normal(0, 0.2, size=(60, CELLS * CELLS, SEEN)).astype(np.float32)
    left = np.arange(60) % 2 == 0
    cells[left, 0] += 1
    reports = [f"there is a {'left' if one else 'right'} effusion .".split() for one in left]
    drafter = learn_drafter(cells[:40].reshape(40, -1), reports[:40], np.arange(40), steps=80, batch=16)
    drafts = drafter.drafts(cells[40:].reshape(20, -1))
    assert np.mean([draft == report for draft, report in zip(drafts, reports[40:], strict=True)]) > 0.9


def test_conforms(hospital: Cohort) -> None:
    some = hospital.where(np.arange(len(hospital)) < 44)
    check_measure(DraftedReports(DraftedReportsSettings(steps=2)), some)


def test_reports_are_needed(hospital: Cohort) -> None:
    few = hospital.where(np.arange(len(hospital)) < 10)
    with pytest.raises(NotMeasurable, match="with a report"):
        DraftedReports().run(few, few, seed=0)
