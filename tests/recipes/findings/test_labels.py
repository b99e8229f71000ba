from __future__ import annotations

from pathlib import Path

import numpy as np

from recipes.findings.labels import CHOOSING, FINDINGS, labelled, to_choose_by


def test_labels_follow_the_films_of_a_split(tmp_path: Path) -> None:
    (tmp_path / "Data_Entry_2017_v2020.csv").write_text(
        "Image Index,Finding Labels\nb.png,Edema|Mass\na.png,No Finding\nc.png,Hernia\n"
    )
    (tmp_path / "split.csv").write_text(
        "image,file,patient,split\nb.png,b.jpg,p2,train\na.png,a.jpg,p1,train\nc.png,c.jpg,p3,val\n"
    )
    found = labelled(tmp_path, "train")
    assert found.files == ["a.jpg", "b.jpg"] and found.patients.tolist() == ["p1", "p2"]
    assert [FINDINGS[k] for k in np.flatnonzero(found.shows[1])] == ["Edema", "Mass"]
    assert not labelled(tmp_path, "val").shows.any()  # Hernia is not among them


def test_patients_are_set_aside_whole() -> None:
    patients = np.array([f"p{number // 3:03d}" for number in range(3 * 4 * CHOOSING)])
    aside = to_choose_by(patients)
    assert aside.mean() == 1 / CHOOSING
    assert not set(patients[aside]) & set(patients[~aside])
