from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.cohort.selection import OTHER_PART, OTHER_VIEW, Selection
from medveil.cohort.splits import assign_splits
from medveil.errors import InputError, SettingsError

VIEWS = ("PA", "AP", None, "LATERAL")


def cohort(patients: int = 40) -> Cohort:
    """Four images of each patient, one of every view and one of none that is told; the first patients are train."""
    number = [patient for patient in range(patients) for _ in VIEWS]
    table = pd.DataFrame(
        {
            "image_id": [f"i{row}" for row in range(len(number))],
            "patient_id": [f"p{patient}" for patient in number],
            "study_id": [f"s{patient}" for patient in number],
            "path": [f"{row}.png" for row in range(len(number))],
            "view": list(VIEWS) * patients,
            "split": ["train" if patient < patients / 2 else "val" for patient in number],
        }
    )
    return Cohort.of(table, Path())


def test_only_ap_and_pa_are_kept_and_a_blank_view_is_out() -> None:
    found, left_out = Selection.told(["AP", "PA"]).of(cohort())
    assert set(found.table["view"]) == {"AP", "PA"}
    assert left_out == {OTHER_VIEW: 80}


def test_a_part_by_the_data_set_s_own_lists() -> None:
    found, left_out = Selection.told(["PA"], ["val"]).of(cohort())
    assert list(found.table["patient_id"]) == [f"p{number}" for number in range(20, 40)]
    assert left_out == {OTHER_VIEW: 120, OTHER_PART: 20}


def test_patients_are_dealt_over_the_lists_when_asked() -> None:
    whole = cohort(400)
    found, _ = Selection.told(None, None, "75/10/15").of(whole)
    assert len(found) == len(whole)
    shares = found.table.drop_duplicates("patient_id")["split"].value_counts(normalize=True)
    assert shares["test"] == pytest.approx(0.15, abs=0.05) and shares["val"] == pytest.approx(0.1, abs=0.05)
    assert found.table.groupby("patient_id")["split"].nunique().max() == 1
    usual, _ = Selection.told(None, None, "72/8/20").of(whole)
    assert list(usual.table["split"]) == list(assign_splits(whole.table["patient_id"]))
    part, _ = Selection.told(None, ["test"], "72/8/20").of(whole)
    assert set(part.table["patient_id"]) == set(usual.table["patient_id"][usual.table["split"] == "test"])


def test_nothing_asked_nothing_changed() -> None:
    found, left_out = Selection().of(cohort())
    assert found.table.equals(cohort().table) and not left_out


@pytest.mark.parametrize("split_by", ["official", "80/20", "80/10/20", "72/8/twenty", "-2/82/20"])
def test_shares_add_up(split_by: str) -> None:
    with pytest.raises(SettingsError, match="such as 72/8/20"):
        Selection.told(split_by=split_by)


def test_what_is_not_there_is_one_sentence() -> None:
    with pytest.raises(InputError, match=r"no images of the parts test; .* --split-by"):
        Selection.told(splits=["test"]).of(cohort())
    with pytest.raises(InputError, match="no images of the views OTHER"):
        Selection.told(views=["OTHER"]).of(cohort())
    with pytest.raises(SettingsError, match="a split is one of"):
        Selection.told(splits=["valid"])
    with pytest.raises(InputError, match="by split needs a column"):
        Selection.told(splits=["test"]).within(pd.DataFrame({"image_id": ["a"]}))
