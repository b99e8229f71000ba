from __future__ import annotations

from collections.abc import Callable

import pytest
from pydicom.dataset import Dataset, FileDataset
from pydicom.sequence import Sequence

from medveil.defenses.headers.cleaner import HeaderCleaner
from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.defenses.headers.table import read_csv
from medveil.person.person import Person

SAFE = frozenset({Option.SAFE_PRIVATE, Option.MODIFIED_DATES})


@pytest.fixture
def scanner(x_ray: Callable[[], FileDataset]) -> FileDataset:
    """A creator the standard lists, one it does not, and one in a block of another number."""
    dataset = x_ray()
    siemens = dataset.private_block(0x0019, "SIEMENS MR HEADER", create=True)
    siemens.add_new(0x0C, "IS", "1000")
    siemens.add_new(0x0F, "LO", "not listed")
    acme = dataset.private_block(0x0019, "ACME 1.1", create=True)
    acme.add_new(0x01, "LO", "Smith")
    acme.add_new(0x02, "DA", "20200131")
    acme.add_new(0x03, "OB", b"Smith")
    acme.add_new(0x04, "UI", "1.2.3.4")
    acme.add_new(0x05, "PN", "Smith^John")
    acme.add_new(0x06, "UN", b"Smith")
    acme.add_new(0x07, "FD", 1.5)
    item = Dataset()
    item.PatientName = "Smith^John"
    item.private_block(0x0019, "ACME 1.1", create=True).add_new(0x01, "LO", "Smith")
    item.private_block(0x0019, "HIDDEN", create=True).add_new(0x01, "LO", "Smith")
    acme.add_new(0x08, "SQ", Sequence([item]))
    return dataset


def clean(dataset: FileDataset, person: Person, profile: Profile) -> None:
    HeaderCleaner(profile, clean_text=lambda text, person: "cleaned").clean(dataset, person, pixels_cleaned=False)


def tags(dataset: Dataset) -> set[int]:
    return {int(tag) for tag in dataset.keys() if tag.is_private}  # noqa: SIM118


def test_without_the_option_none_stays(scanner: FileDataset, person: Person) -> None:
    clean(scanner, person, Profile.default())
    assert not tags(scanner)


def test_the_standards_list_stays_with_its_creator(scanner: FileDataset, person: Person) -> None:
    clean(scanner, person, Profile(SAFE))
    assert tags(scanner) == {0x00190010, 0x0019100C}
    assert scanner[0x0019100C].value == 1000


def test_a_creator_named_safe_is_cleaned_by_kind(scanner: FileDataset, person: Person) -> None:
    clean(scanner, person, Profile(SAFE, {}, frozenset({("ACME 1.1", 0, 0)})))
    assert tags(scanner) == {
        0x00190010,
        0x0019100C,
        0x00190011,
        0x00191101,
        0x00191102,
        0x00191104,
        0x00191107,
        0x00191108,
    }
    assert scanner[0x00191101].value == "cleaned"
    assert scanner[0x00191102].value < "20200131"
    assert scanner[0x00191104].value.startswith("2.25.")
    item = scanner[0x00191108].value[0]
    assert "Smith" not in str(item) and 0x00191001 in item and "HIDDEN" not in str(item)


def test_bytes_stay_only_where_the_very_element_is_named(scanner: FileDataset, person: Person) -> None:
    clean(scanner, person, Profile(SAFE, {}, frozenset({("ACME 1.1", 0x0019, 0x03)})))
    assert tags(scanner) == {0x00190010, 0x0019100C, 0x00190011, 0x00191103}


def test_an_element_without_its_creator_goes(x_ray: Callable[[], FileDataset], person: Person) -> None:
    dataset = x_ray()
    dataset.add_new(0x0019100C, "IS", "1000")
    clean(dataset, person, Profile(SAFE))
    assert not tags(dataset)


def test_the_standards_list_is_whole() -> None:
    rows = read_csv("safe_private.csv")
    assert len(rows) == 479 and len({row["creator"] for row in rows}) == 20
    assert len({(row["creator"], row["tag"]) for row in rows}) == 479
