"""Questions on a cohort's images, and a sample of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from medveil.cohort import Cohort
from medveil.errors import InputError, NotMeasurable
from medveil.utility.vqa.cohort_questions import cohort_questions, sampled


def written(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["image_id,question,answer,kind", *rows]) + "\n")
    return path


def test_a_table_asks_about_the_images_that_are_there(hospital: Cohort, tmp_path: Path) -> None:
    first, second = hospital.table["image_id"].iloc[:2]
    rows = [f"{first},Is it?,yes,presence", f"{second},Where?,left lung,", "gone,Is it?,no,presence"]
    table = cohort_questions(hospital, written(tmp_path / "q.csv", *rows))
    assert [(each.text, each.answer, each.closed, each.kind) for each in table.questions] == [
        ("Is it?", "yes", True, "presence"),
        ("Where?", "left lung", False, "other"),
    ]
    assert table.image(first).dtype == "uint8"
    assert len(table.remarks) == 1 and table.remarks[0].startswith("1 of 3 questions in the table were not asked")


def test_columns_of_the_cohorts_own_table_ask(hospital: Cohort, tmp_path: Path) -> None:
    first, second = hospital.table["image_id"].iloc[:2]
    folder = replace(hospital, root=tmp_path)
    (tmp_path / "other.csv").write_text("image_id,question\n1,Is it?\n")
    written(tmp_path / "table.csv", f"{first},Is it?,yes,", f"{second},,,")
    assert [each.image_id for each in cohort_questions(folder).questions] == [first]
    written(tmp_path / "another.csv", f"{first},Is it?,yes,")
    with pytest.raises(InputError, match="2 tables with questions"):
        cohort_questions(folder)


def test_what_is_missing_in_a_table_is_named_by_its_row(hospital: Cohort, tmp_path: Path) -> None:
    first = hospital.table["image_id"].iat[0]
    with pytest.raises(InputError, match="row 3"):
        cohort_questions(hospital, written(tmp_path / "q.csv", f"{first},Is it?,yes,", f"{first},Is it?,,"))
    with pytest.raises(NotMeasurable, match="none of the images"):
        cohort_questions(hospital, written(tmp_path / "r.csv", "gone,Is it?,yes,"))
    (tmp_path / "s.csv").write_text("image,question\n1,2\n")
    with pytest.raises(InputError, match="image_id"):
        cohort_questions(hospital, tmp_path / "s.csv")


def test_a_phantom_hospital_asks_itself_and_others_do_not(hospital: Cohort, tmp_path: Path) -> None:
    table = cohort_questions(hospital)
    assert len(table) > 100 and set(table.image_ids) <= set(hospital.table["image_id"])
    with pytest.raises(NotMeasurable, match="questions=FILE"):
        cohort_questions(replace(hospital, root=tmp_path))


def test_a_sample_is_of_whole_images_and_the_same_every_time(hospital: Cohort) -> None:
    table = cohort_questions(hospital)
    some = sampled(table, 40, seed=1)
    groups = table.by_image()
    assert 40 <= len(some) < 40 + max(map(len, groups.values()))
    assert all(some.by_image()[image] == groups[image] for image in some.image_ids)
    assert some.questions == sampled(table, 40, seed=1).questions != sampled(table, 40, seed=2).questions
    assert sampled(table, len(table), seed=1) is table
