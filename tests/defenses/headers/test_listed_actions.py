"""The documented list of actions is the one the program tells."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydicom.dataset import FileDataset

from medveil.defenses.headers.cleaner import HeaderCleaner
from medveil.defenses.headers.profile import Profile
from medveil.defenses.headers.table import EDITION, table
from medveil.person.person import Person

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "dicom-actions.md"


def test_the_page_lists_what_what_if_tells_of_every_attribute(every_attribute: FileDataset, person: Person) -> None:
    cleaner = HeaderCleaner(Profile.default(), clean_text=lambda text, person: text)
    told = [str(one) for one in cleaner.what_if(every_attribute, person, pixels_cleaned=True)]
    listed = PAGE.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0].splitlines()
    assert listed == told


def test_the_page_names_the_edition() -> None:
    assert EDITION in PAGE.read_text(encoding="utf-8")


def test_kitwares_table_says_the_same() -> None:
    fields = pytest.importorskip("dicomanonymizer.dicom_anonymization_databases.dicomfields_2026c")
    for name in ("D", "Z", "X", "U", "Z_D", "X_Z", "X_D", "X_Z_D", "X_Z_U_STAR"):
        for tag in getattr(fields, f"{name}_TAGS"):
            row = table().find(int(f"{tag[0]:04x}{tag[1]:04x}", 16))
            assert row is not None and row.basic == name.replace("_STAR", "*").replace("_", "/"), tag
