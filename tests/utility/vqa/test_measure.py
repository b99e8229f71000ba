"""The measure of a release: answers on originals and released images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.errors import NotMeasurable, SettingsError
from medveil.testing import check_measure
from medveil.utility.vqa import released_images
from medveil.utility.vqa.measure import Answers, VqaSettings
from medveil.utility.vqa.model import Query, one_by_one
from medveil.utility.vqa.question import Image


class ByTexture:
    """Says yes or no by the image and the question: it sees every change, and is right by luck alone."""

    name, license, fingerprint = "by texture", "none", "1"

    def answer(self, image: Image | None, question: str, note: str | None = None) -> str:
        seen = 0 if image is None else int(image.astype(np.int64).sum())
        return "yes" if (seen + len(question)) % 2 else "no"

    def answer_many(self, queries: Sequence[Query]) -> list[str]:
        return one_by_one(self, queries)


@pytest.fixture
def by_texture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(released_images, "load_answers", lambda name, **more: ByTexture())


@pytest.fixture(scope="module")
def blacked_out(hospital: Cohort, tmp_path_factory: pytest.TempPathFactory) -> Cohort:
    """The same cohort, its films all alike."""
    folder = tmp_path_factory.mktemp("black")
    cv2.imwrite(str(folder / "black.png"), np.full((64, 64), 9, np.uint8))
    table = hospital.table.assign(path="black.png", frame=0)
    return replace(hospital, table=table, root=folder)


@pytest.mark.usefixtures("by_texture")
def test_it_conforms(hospital: Cohort) -> None:
    finding = check_measure(Answers(VqaSettings(most_questions=60)), hospital)
    assert finding.headline == "relaxed, cleaned" and finding.verdict is None
    assert finding.estimates["cleaned minus raw"].value == 0
    assert "there is no verdict" in finding.answer, "it is right by luck alone"
    assert finding.tables == () and finding.figures == (), "the same images twice"


@pytest.mark.usefixtures("by_texture")
def test_released_images_are_what_is_asked_about(hospital: Cohort, blacked_out: Cohort) -> None:
    finding = Answers(VqaSettings(most_questions=60)).run(blacked_out, hospital, seed=1)
    before = Answers(VqaSettings(most_questions=60)).run(hospital, hospital, seed=1)
    assert finding.estimates["relaxed, raw"].value == before.estimates["relaxed, cleaned"].value
    assert finding.estimate.minus(before.estimate).n == before.estimate.n, "they are paired"
    hidden = next(table for table in finding.tables if "hidden" in table.title)
    assert hidden.rows[0][2] == "100.0 %"


def test_without_questions_it_says_so(hospital: Cohort, tmp_path: Path) -> None:
    real = replace(hospital, root=tmp_path)
    with pytest.raises(NotMeasurable, match="there are no questions on these images"):
        Answers().run(real, real, seed=1)


@pytest.mark.parametrize("wrong", [{"margin": 0.0}, {"most_questions": 1}, {"score": "judge"}, {"model": " "}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        VqaSettings(**wrong)  # type: ignore[arg-type]
