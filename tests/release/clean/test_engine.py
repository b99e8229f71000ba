"""The engine in memory: a text, an image, a dataset, alone and from many threads at once."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pydicom
import pytest

from medveil.cohort import Cohort
from medveil.cohort.dicom.encode import encoded
from medveil.errors import InputError, Quarantined, SettingsError
from medveil.parts import Subject, choose
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known
from medveil.release.clean import Engine

from .conftest import Write  # type: ignore[import-not-found]

KEYS = Keys.for_demonstration(8)
BLACK = ["default", "pixels:fill=black"]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(KEYS, choose("defenses", BLACK))


def test_a_text_a_dataset_and_an_image_of_one_person_have_one_identity(
    engine: Engine, tmp_path: Path, write_dicom: Write
) -> None:
    dataset = pydicom.dcmread(write_dicom(tmp_path / "a.dcm", StudyDescription="Chest of John Pemberton"))
    before = copy.deepcopy(dataset)
    cleaned = engine.clean_dataset(dataset)
    assert dataset == before, "the caller's dataset stays as it is"
    person = engine.person("MR-0012345", [Known(Category.NAME, "Pemberton^John")], "M")
    assert cleaned.PatientID == person.pseudonym
    assert b"Pemberton" not in encoded(cleaned)
    text = engine.clean_text("John Pemberton, MRN MR-0012345. No effusion.", person)
    assert "Pemberton" not in text and person.pseudonym in text and text.endswith("No effusion.")
    image = np.full((64, 64), 900, np.uint16)
    assert np.array_equal(engine.clean_image(image, person), image)


def test_what_each_defense_did_is_told(engine: Engine) -> None:
    subject = engine.clean(Subject(engine.person("MR-0012345"), text="Seen by Dr. Hartwell."))
    assert subject.done["reports"] == {"names of staff replaced in reports": 1, "reports cleaned": 1}
    assert list(subject.done) == ["pixels", "reports", "table", "headers"]
    assert subject.places == ("pixels", "reports", "table", "headers")


def test_what_cannot_be_made_safe_is_withheld_and_the_others_are_not(engine: Engine) -> None:
    person = engine.person("MR-0012345")
    long, short = engine.clean_many([Subject(person, text="No effusion. " * 100_000), Subject(person, text="Clear.")])
    assert isinstance(long, Quarantined)
    assert isinstance(short, Subject) and short.text == "Clear."


def test_only_what_ran_is_claimed(tmp_path: Path, write_dicom: Write) -> None:
    """Without the defenses of pixels and reports, no header says that those were cleaned, and no free text stays."""
    dataset = pydicom.dcmread(write_dicom(tmp_path / "a.dcm", StudyDescription="CHEST PA"))
    cleaned = Engine(KEYS, choose("defenses", ["headers"])).clean_dataset(dataset)
    codes = {item.CodeValue for item in cleaned.DeidentificationMethodCodeSequence}
    assert not codes & {"113101", "113105"}
    assert not cleaned.get("StudyDescription")
    assert cleaned.get("BurnedInAnnotation") != "NO"
    with pytest.raises(SettingsError, match="add the defense headers"):
        Engine(KEYS, choose("defenses", ["pixels"])).clean_dataset(dataset)


def test_it_travels_as_its_recipe_and_not_under_another_profile(tmp_path: Path) -> None:
    profile = tmp_path / "profile.toml"
    profile.write_text('options = ["Clean Descriptors"]')
    sent = pickle.dumps(Engine(KEYS, choose("defenses", [f"headers:profile={profile}"])))
    assert len(sent) < 5000
    assert pickle.loads(sent) is pickle.loads(sent), "networks are loaded once a process"
    profile.write_text('options = ["Retain UIDs"]')
    changed = pickle.dumps(Engine(KEYS, choose("defenses", [f"headers:profile={profile}"])))
    profile.write_text("options = []")
    with pytest.raises(InputError, match="changed while the run"):
        pickle.loads(changed)


def test_it_is_made_again_of_what_a_run_noted_though_the_profile_is_gone(tmp_path: Path) -> None:
    profile = tmp_path / "profile.toml"
    profile.write_text('options = ["Clean Descriptors"]\nattributes = { StationName = "K" }')
    chosen = choose("defenses", [f"headers:profile={profile}", "pixels:fill=black", "table:keep_columns=a b"])
    told = json.loads(json.dumps(Engine(KEYS, chosen).told()))
    profile.unlink()
    for engine in (again := Engine.as_told(KEYS, told), pickle.loads(pickle.dumps(again))):
        assert engine.told() == told
        assert engine.headers is not None and engine.headers.profile.told() == told["headers"]["profile"]
    told["pixels"]["fill"] = "sky"
    with pytest.raises(InputError, match="another version"):
        Engine.as_told(KEYS, told)


def test_where_headers_keep_their_dates_reports_do_too(tmp_path: Path) -> None:
    profile = tmp_path / "profile.toml"
    profile.write_text('options = ["Retain Longitudinal Temporal Information Full Dates"]')
    engine = Engine(KEYS, choose("defenses", [f"headers:profile={profile}", "reports", "table"]))
    assert "03/14/2021" in engine.clean_text("Compared with 03/14/2021.", engine.person("MR-0012345"))


def test_threads_give_what_one_after_the_other_gives(engine: Engine, hospital: Cohort) -> None:
    """Texts, images and datasets of several people, mixed: nothing of one call may show in another."""
    table = hospital.table
    rows = [*table.drop_duplicates("patient_id").index[:5]]

    def work(row: int) -> tuple[str, bytes, bytes, dict[str, dict[str, int]]]:
        dataset = pydicom.dcmread(hospital.root / table["path"].iat[row])
        person = engine.person(str(dataset.PatientID), [Known(Category.NAME, str(dataset.PatientName))])
        subject = engine.clean(Subject(person, picture=hospital.image(row), text=str(table["report"].iat[row])))
        assert subject.picture is not None
        return str(subject.text), subject.picture.tobytes(), encoded(engine.clean_dataset(dataset)), subject.done

    alone = [work(row) for row in rows]
    with ThreadPoolExecutor(5) as pool:
        together = list(pool.map(work, rows * 2))
    assert together == alone * 2
