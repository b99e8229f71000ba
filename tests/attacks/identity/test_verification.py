"""Verification as an attack: balanced pairs, the paper's measures, slices of what changed, and subsets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from medveil.attacks.identity.findings import HEADLINE
from medveil.attacks.identity.pairs import PairSet
from medveil.attacks.identity.run import run_identity, run_verification
from medveil.attacks.identity.subgroups import published_slices
from medveil.attacks.identity.subsets import Subset, check_subsets
from medveil.attacks.identity.verification import Judged
from medveil.cohort import Cohort
from medveil.errors import InputError, SettingsError
from medveil.finding import Table

PEOPLE, VISITS = 15, 3


class StandInJudge:
    """Says one person where the stand-in network finds two images alike, or by luck."""

    name, dim, card = "judge", 64, {}

    def __init__(self, stand_in, *, blind: bool = False) -> None:
        self._network, self._blind = stand_in, blind
        self.preparation, self.embed, self.attention = stand_in.preparation, stand_in.embed, stand_in.attention

    def logits(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        alike = (a * b).sum(axis=1)
        if self._blind:
            alike = np.modf(np.abs(alike) * 1e5)[0] / 2
        return (30 * (alike - 0.25)).astype(np.float32)


@pytest.fixture
def cohort(clinic, cohort_of) -> Cohort:
    return cohort_of(*clinic.visits(range(PEOPLE), VISITS))


def table(finding, title: str) -> Table:
    return next(each for each in finding.tables if each.title == title)


def test_people_are_told_apart_and_the_numbers_agree(cohort: Cohort, stand_in, tmp_path: Path) -> None:
    result = run_verification(cohort, judge=StandInJudge(stand_in), seed=3, out=tmp_path / "out", pair_redraws=50)
    finding = result.finding
    pairs = PEOPLE * VISITS * (VISITS - 1) // 2
    (_, hits, missed, _), (_, false, right, _) = table(finding, "Confusion matrix at 0.5").rows
    assert hits + missed == false + right == pairs  # balanced
    told = {name: finding.estimates[f"{name} at 0.5"].value for name in ("accuracy", "recall", "specificity")}
    assert told["accuracy"] == pytest.approx((hits + right) / (2 * pairs))
    assert told["recall"] == pytest.approx(hits / pairs)
    assert told["specificity"] == pytest.approx(right / pairs)
    precision, f1 = (finding.estimates[f"{name} at 0.5"].value for name in ("precision", "F1"))
    assert precision == pytest.approx(hits / (hits + false))
    assert f1 == pytest.approx(2 * hits / (2 * hits + false + missed))
    assert finding.estimates["pair AUC"].value > 0.99
    assert finding.estimates[HEADLINE].value > 0.9
    assert finding.estimates["pair AUC, redrawn by pair"].unit == "pair"
    assert finding.estimates["accuracy at 0.5"].unit == "patient"
    best = result.links.drop_duplicates("left").head(PEOPLE)
    assert (best["recorded_patient"] == "same").mean() > 0.9
    assert best["probability"].iloc[0] > best["probability"].iloc[-1] - 1e-9
    assert (tmp_path / "out" / "links.csv").stat().st_mode & 0o777 == 0o600
    assert {"True and false matches"} <= {figure.title for figure in finding.figures}
    assert len(finding.pictures) == 2


def test_a_judge_who_guesses_finds_nobody(cohort: Cohort, stand_in) -> None:
    finding = run_verification(cohort, judge=StandInJudge(stand_in, blind=True), seed=3).finding
    assert finding.estimates["pair AUC"].low < 0.5 < finding.estimates["pair AUC"].high
    assert finding.estimates[HEADLINE].value < 0.2
    assert not finding.power.enough


def test_the_nearest_are_of_other_studies(stand_in) -> None:
    vectors = np.random.default_rng(0).normal(size=(9, 64)).astype(np.float32)
    studies = np.array([0, 0, 1, 1, 2, 2, 3, 3, 3])
    judged = Judged(StandInJudge(stand_in), vectors)
    scores, found = judged.nearest(studies, 3)
    allowed = studies[:, None] != studies
    every = judged(PairSet(*(each.ravel() for each in np.indices((9, 9))))).reshape(9, 9)
    best = np.sort(np.where(allowed, every, -np.inf), axis=1)[:, ::-1][:, :3]
    assert np.allclose(scores, best, atol=1e-5)
    assert (studies[found] != studies[:, None]).all()


def test_slices_of_the_papers_figure_4() -> None:
    """Years are binned as begun ones, and a finding appears only from the earlier image to the later one."""
    rows = pd.DataFrame(
        {
            "age": [50.0, 50, 51, 52, 62, 63],
            "date": pd.Series([pd.NaT] * 6),
            "view": ["PA", "AP", "PA", "AP", "PA", "PA"],
        }
    )
    found = pd.DataFrame({"Hernia": [0, 1, 1, 0, 1, np.nan], "Mass": [0.0] * 6})
    pairs = PairSet(np.array([0, 0, 0, 0, 0, 3]), np.array([1, 2, 3, 4, 5, 2]))
    told = published_slices(rows, pairs, found)
    assert list(told["years between"]) == ["1 or less", *map(str, range(2, 13))]
    assert told["years between"]["1 or less"].tolist() == [True, True, False, False, False, True]
    assert told["years between"]["2"].tolist() == [False, False, True, False, False, False]
    assert told["years between"]["12"].tolist() == [False, False, False, True, False, False]
    assert told["finding appears"]["Hernia"].tolist() == [True, True, False, True, False, False]
    assert not told["finding appears"]["Mass"].any()
    assert told["view"]["PA and AP"].tolist() == [True, False, True, False, False, True]


def test_slices_are_told_at_both_thresholds(cohort: Cohort, stand_in) -> None:
    cohort.table["age"] = np.where(np.arange(len(cohort)) % VISITS == 2, 54.0, 50.0)
    own = pd.DataFrame({"Hernia": np.arange(len(cohort)) % VISITS == 1}, index=cohort.table["image_id"]).astype(float)
    finding = run_verification(cohort, judge=StandInJudge(stand_in), seed=3, findings=own).finding
    slices = table(finding, "Pairs recognised by what changed")
    rows = {(row[0], row[1]): row for row in slices.rows}
    assert rows["years between", "1 or less"][3] == PEOPLE
    assert rows["years between", "4"][3] == 2 * PEOPLE
    assert rows["finding appears", "Hernia"][3] == PEOPLE
    hits, pairs, share = rows["years between", "4"][2:5]
    assert str(share).startswith(f"{hits / pairs:.4f} (")
    figure = next(each for each in finding.figures if each.title == "Pairs recognised by what changed")
    assert [series.name for series in figure.series] == ["at 0.5", "at 0.01 false matches"]


def test_subsets_by_lists_of_ones_own(cohort: Cohort, stand_in, tmp_path: Path) -> None:
    half = cohort.table["patient_id"] < "patient-012"
    (tmp_path / "with.txt").write_text("\n".join(cohort.table["image_id"][half]))
    (tmp_path / "few.txt").write_text("\ufeff" + "\r\n".join(cohort.table["path"][:6]))
    subsets = [Subset.told(f"{name}={tmp_path}/{name}.txt") for name in ("with", "few")]
    assert subsets[0].of(cohort.table).sum() == half.sum()
    finding = run_verification(cohort, judge=StandInJudge(stand_in), seed=3, subsets=subsets).finding
    enough, few = table(finding, "Verification by subset").rows
    assert (enough[0], enough[-1]) == ("with", 2 * 12 * 3)
    assert few == ("few", *["–"] * 6, 0), "two patients are not told about"
    finding = run_identity(cohort, None, embedder=stand_in, seed=3, subsets=subsets).finding
    enough, few = table(finding, "Retrieval by subset").rows
    assert (enough[0], enough[-2:], few[1:4]) == ("with", (36, 12), ("–",) * 3)


def test_bad_lists_are_one_sentence(cohort: Cohort, tmp_path: Path) -> None:
    (tmp_path / "others.txt").write_text("somebody-else\n")
    (tmp_path / "empty.txt").write_text("\n \n")
    with pytest.raises(InputError, match="no image of the subset"):
        check_subsets([Subset.told(f"mine={tmp_path}/others.txt")], cohort.table)
    for text, error in (("mine", SettingsError), (f"mine={tmp_path}/empty.txt", InputError), ("a=nowhere", InputError)):
        with pytest.raises(error):
            Subset.told(text)
