from __future__ import annotations

import json

import pytest

from medveil.cohort.input import read_cohort
from medveil.errors import InputError


def test_iu_xray_layout(tmp_path, picture, reasons):
    parts = {
        "train": [
            {
                "id": "CXR2384_IM-0942",
                "report": "The heart size is normal. \n",
                "image_path": ["CXR2384_IM-0942/0.png", "CXR2384_IM-0942/1.png"],
                "split": "train",
            }
        ],
        "val": [{"id": "CXR2926_IM-1328", "report": "Clear.", "image_path": ["CXR2926_IM-1328/0.png"], "split": "val"}],
        "test": [{"id": "CXR1_IM-1", "report": "Gone.", "image_path": ["CXR1_IM-1/0.png"]}, {"id": "x"}],
    }
    (tmp_path / "annotation.json").write_text(json.dumps(parts))
    for image in ("CXR2384_IM-0942/0.png", "CXR2384_IM-0942/1.png", "CXR2926_IM-1328/0.png"):
        picture(tmp_path / "images" / image)
    cohort = read_cohort(tmp_path)
    assert list(cohort.table["patient_id"]) == ["CXR2384", "CXR2384", "CXR2926"]
    assert list(cohort.table["split"]) == ["train", "train", "val"]
    assert cohort.table["report"][0] == "The heart size is normal. \n"
    assert reasons(cohort) == {"missing file": 1, "record without id, report or images": 1}
    assert cohort.image(1).shape == (8, 8)


def test_mimic_layout(tmp_path, picture):
    image = "p10/p10000032/s50414267/a.jpg"
    record = {"id": "a", "study_id": 50414267, "subject_id": 10000032, "report": "r", "image_path": [image]}
    (tmp_path / "annotation.json").write_text(json.dumps({"test": [record]}))
    picture(tmp_path / "images" / image)
    row = read_cohort(tmp_path).table.iloc[0]
    assert (row["patient_id"], row["study_id"], row["split"]) == ("10000032", "50414267", "test")


@pytest.mark.parametrize("text", ["[1, 2]", '{"train": 5}', "{", "[" * 100_000])
def test_other_json_is_one_sentence(tmp_path, text):
    (tmp_path / "annotation.json").write_text(text)
    with pytest.raises(InputError, match="download it again"):
        read_cohort(tmp_path)
