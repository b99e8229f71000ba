from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.cohort.phantom.hospital import phantom_pairs
from medveil.encoders.headless import Headless, headless
from medveil.encoders.loading import load_encoder
from medveil.errors import InputError
from medveil.release.protect import preparation
from medveil.release.protect.preparation import parts_of, prepare


def told(splits: list[str | None], patients: int = 400) -> pd.DataFrame:
    """Two pairs a patient; patients have these splits in turn."""
    number = np.arange(2 * patients) // 2
    names = [f"p{n}" for n in number]
    return pd.DataFrame({"patient_id": names, "split": pd.Categorical([splits[n % len(splits)] for n in number])})


def test_a_whole_split_is_followed() -> None:
    table = told(["train", "train", "val", "test"])
    assert parts_of(table).tolist() == table["split"].tolist()


def test_without_test_patients_val_is_measured_on_and_some_of_train_validate() -> None:
    table = told(["train", "train", "train", "val"])
    part = parts_of(table)
    assert ((part == "test") == (table["split"] == "val")).all()
    assert 10 < (part == "val").sum() < 100
    assert (part.groupby(table["patient_id"]).nunique() == 1).all()


def test_without_val_patients_some_of_train_validate() -> None:
    table = told(["train", "train", "test", None])
    part = parts_of(table)
    assert ((part == "test") == (table["split"] == "test")).all()
    assert (part.isna() == table["split"].isna()).all()
    assert 10 < (part == "val").sum() < 80


@pytest.mark.parametrize("splits", [[None], ["train"], ["val", "test"]])
def test_a_data_set_without_a_split_to_train_on_is_dealt(splits: list[str | None]) -> None:
    part = parts_of(told(splits))
    assert {name: round(share, 1) for name, share in part.value_counts(normalize=True).items()} == {
        "train": 0.7,
        "test": 0.2,
        "val": 0.1,
    }


def test_too_few_patients_are_told(hospital: Cohort, tmp_path: Path) -> None:
    one = hospital.table["patient_id"] == hospital.table["patient_id"].iat[0]
    with pytest.raises(InputError, match="fewer than two pairs"):
        prepare(hospital.where(one), load_encoder("medveil-small"), work=tmp_path)


def test_phantoms_are_made_once_and_again_if_damaged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(preparation, "PHANTOMS", 4)
    bare = headless(load_encoder("medveil-small"))
    stages: list[str] = []

    def watch(stage: str, done: int, total: int) -> None:
        stages.append(stage)

    first = preparation._phantoms(bare, tmp_path, watch)
    assert (len(first), first.units, first.images.shape[1]) == (4, 4, 256)
    (path,) = tmp_path.iterdir()
    stages.clear()
    assert np.array_equal(preparation._phantoms(bare, tmp_path, watch).images, first.images)
    assert not stages
    path.write_bytes(path.read_bytes()[:100])
    assert np.array_equal(preparation._phantoms(bare, tmp_path, watch).reports, first.reports)
    assert stages
    assert preparation._kept(path) is not None


def test_phantom_pairs_are_the_same_for_the_same_seed() -> None:
    first, again, other = (list(phantom_pairs(2, seed=seed, size=64, workers=1)) for seed in (3, 3, 4))
    assert all(np.array_equal(a[0], b[0]) and a[1] == b[1] for a, b in zip(first, again, strict=True))
    assert first[0][1] != other[0][1]
    assert first[0][0].shape == (64, 64)


def test_what_a_model_releases_is_encoded_too_where_its_heads_do_not_say_it(
    hospital: Cohort, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(preparation, "PHANTOMS", 4)
    encoder = load_encoder("medveil-small")

    class Whole:
        """The same model, which says that its heads are not all of it."""

        def headless(self) -> Headless:
            return replace(headless(encoder), released=encoder)

    found = prepare(hospital, Whole(), work=tmp_path, transfer={"elsewhere": hospital})  # type: ignore[arg-type]
    assert prepare(hospital, encoder, work=tmp_path).data.released is None
    data, released = found.data, found.data.released
    assert released is not None and released.public is None
    for name, part in released.parts().items():
        theirs = data.parts()[name]
        assert np.array_equal(part.patients, theirs.patients) and np.array_equal(part.targets, theirs.targets)
        assert np.allclose(part.images, found.heads.embed_images(theirs.images), atol=1e-5)
        assert np.allclose(part.reports, found.heads.embed_reports(theirs.reports), atol=1e-5)
    assert set(released.parts()) == set(data.parts()) - {"public"}
