"""`medveil train anatomy`, from a cohort to the file that a method loads."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from medveil.cli import app
from medveil.cohort import Cohort
from medveil.defenses.anatomy.baselines import training
from medveil.defenses.anatomy.baselines.film_unet import FilmUNetPlan, load_unet
from medveil.defenses.anatomy.baselines.k_same import load_gallery
from medveil.defenses.anatomy.method import Film
from medveil.defenses.anatomy.train import train_method, training_part
from medveil.errors import InputError, SettingsError


@pytest.fixture
def cohort(hospital: Cohort) -> Cohort:
    """Eight films, those of the last patient not to be trained on."""
    table = hospital.table.head(8).copy()
    last = table["patient_id"] == table["patient_id"].iloc[-1]
    table["split"] = last.map({True: "val", False: "train"})
    return replace(hospital, table=table)


def test_a_gallery_has_one_film_of_each_training_patient(cohort: Cohort, tmp_path: Path) -> None:
    path, told = train_method("k-same", cohort, tmp_path)
    assert told["films"] == cohort.table["patient_id"].nunique() - 1 == len(load_gallery(path)) > 1


def test_the_command_makes_a_gallery(three: list[Film], tmp_path: Path) -> None:
    rows = ["image_id,patient_id,study_id,path,split"]
    for number, film in enumerate(three):
        Image.fromarray(film.pixels).save(tmp_path / f"{number}.png")
        rows.append(f"i{number},p{number},s{number},{number}.png,{'val' if number == 2 else 'train'}")
    (tmp_path / "films.csv").write_text("\n".join(rows))
    arguments = ["train", "anatomy", str(tmp_path / "films.csv"), "--method", "k-same", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    assert len(load_gallery(Path(json.loads(done.output)["model"]))) == json.loads(done.output)["films"] == 2
    for odd in (
        arguments[:3] + arguments[5:],
        [*arguments, "--epochs", "3"],
    ):  # without its method; with another's flag
        assert CliRunner().invoke(app, odd).exit_code != 0


def test_a_finished_training_is_not_begun_again(
    cohort: Cohort, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "PATIENTS", 1)
    monkeypatch.setattr(training, "FilmUNetPlan", partial(FilmUNetPlan, widths=(8, 16)))
    path, told = train_method("deformation", cohort, tmp_path, minutes=1e-4)
    assert told["step"] == 1 and load_unet(path, "deformation").last.out_channels == 2
    assert train_method("deformation", cohort, tmp_path, minutes=1e-4)[1] == told


def test_what_makes_no_sense_is_refused(cohort: Cohort, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="needs time"):
        train_method("deformation", cohort, tmp_path, minutes=0)
    with pytest.raises(SettingsError, match="tells no sizes"):
        train_method("deformation", cohort, tmp_path, published=True)
    table = cohort.table.copy()
    table["split"] = "val"
    with pytest.raises(InputError, match="in the split 'train'"):
        training_part(replace(cohort, table=table))
