from __future__ import annotations

from pathlib import Path

import numpy as np

from medveil.cohort import LABELS
from recipes.anatomy.material import SEEN, read_material
from recipes.films import packed


def write(path: Path, patients: np.ndarray, split: np.ndarray, gray: np.ndarray, **more: np.ndarray) -> None:
    films = np.broadcast_to(gray[:, None, None].astype(np.uint8), (len(gray), 64, 64))
    content, ends = packed(films, quality=90)
    labels = np.zeros((len(gray), len(LABELS)), np.float32)
    view = np.array(["AP", "PA"] * len(gray))[: len(gray)]
    np.savez(path, bytes=content, ends=ends, patients=patients, split=split, labels=labels, view=view, **more)


def test_only_the_asked_split_is_read_and_patients_are_set_aside_whole(tmp_path: Path) -> None:
    people = np.repeat([f"p{number:02d}" for number in range(40)], 2)
    split = np.where(np.arange(80) % 8 < 6, "train", "val")
    findings = np.zeros((80, 2), bool)
    findings[:, 1] = np.arange(80) % 3 == 0
    write(tmp_path / "nih.npz", people, split, np.arange(80) * 3, findings=findings, finding_names=np.array(SEEN))
    write(tmp_path / "phantoms.npz", np.repeat(np.arange(32), 2), np.repeat("train", 64), np.arange(64) * 3)
    material = read_material(tmp_path)
    real = material.of(~material.drawn)
    rows = np.flatnonzero(split == "train")
    assert len(real.films) == len(rows) and material.drawn.sum() == 64
    assert np.abs(real.films.mean((1, 2)) - rows * 3).max() < 3  # each film beside its own row
    assert (real.labels[:, -1] == findings[rows, 1]).all() and np.isnan(material.labels[material.drawn, -2:]).all()
    for person in np.unique(material.patients):
        assert len(np.unique(material.aside[material.patients == person])) == 1
    assert 0 < real.aside.mean() < 0.3 and 0 < material.aside[material.drawn].mean() < 0.2
    assert len(read_material(tmp_path, most=5).films) == 10
