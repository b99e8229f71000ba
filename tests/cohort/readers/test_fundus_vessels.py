from __future__ import annotations

import cv2
import numpy as np
import pytest

from medveil.cohort.input import read_cohort
from medveil.cohort.readers.fundus_vessels import vessels


def test_outlines_are_no_photographs(tmp_path, picture):
    (tmp_path / "split.csv").write_text(
        "file,set,patient,eye,split\na_L.jpg,CHASEDB1,a,L,train\nb.jpg,DRIVE,b,,train\n"
    )
    for name in ("a_L.jpg", "b.jpg", "b_v1.png", "b_fov.png"):
        picture(tmp_path / name)
    outline = np.zeros((40, 30), np.uint8)
    outline[10:20, 5] = 255
    cv2.imwrite(str(tmp_path / "a_L_v1.png"), outline)
    cohort = read_cohort(tmp_path)
    assert cohort.name == "fundus_vessels"
    assert list(cohort.table["image_id"]) == ["a_L", "b"]
    assert list(cohort.table["site"]) == ["CHASEDB1", "DRIVE"]
    assert cohort.problems == ()
    assert (vessels(cohort, 0) == (outline > 0)).all()


@pytest.mark.real_data
def test_real_data(real_data):
    cohort = read_cohort(real_data / "fundus_vessels")
    assert (len(cohort), cohort.problems) == (40, ())
    assert 0.02 < vessels(cohort, 0).mean() < 0.25
