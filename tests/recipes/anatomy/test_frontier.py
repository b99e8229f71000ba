from __future__ import annotations

from pathlib import Path

import numpy as np

from recipes.anatomy.frontier import sides
from recipes.films import packed
from recipes.findings.labels import to_choose_by


def test_patients_set_aside_are_measured_on_only_if_asked(tmp_path: Path) -> None:
    patients = np.repeat([f"p{number:02d}" for number in range(24)], 2)
    split = np.where(np.arange(48) < 40, "train", "val")
    content, ends = packed(np.zeros((48, 16, 16), np.uint8))
    told = {name: np.array(["PA"] * 48) for name in ("view", "sex")} | {"age": np.ones(48)}
    names = np.array(["Edema"])
    np.savez(
        tmp_path / "nih.npz",
        bytes=content,
        ends=ends,
        patients=patients,
        split=split,
        labels=np.zeros((48, 1)),
        label_names=names,
        findings=np.zeros((48, 1)),
        finding_names=names,
        **told,
    )
    for wide in (False, True):
        fit, target, _ = sides(tmp_path, "nih", wide=wide)
        aside = patients[:40][to_choose_by(patients[:40])]
        measured = {"p20", "p21", "p22", "p23", *(aside if wide else ())}
        found = np.unique(patients)[np.unique(target.patients)]
        assert set(found) == measured and len(aside)
        assert len(fit.pixels) + len(target.pixels) == 48
        assert not set(fit.patients) & set(target.patients)
