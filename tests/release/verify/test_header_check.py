from __future__ import annotations

import copy
import datetime as dt
from dataclasses import replace

import pytest
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence

from medveil.defenses.headers.profile import Profile
from medveil.person.identifiers import Category
from medveil.person.person import Known
from medveil.person.search.known import KnownSearch
from medveil.release.verify.header_check import HeaderCheck, attributes

SHIFT = dt.timedelta(days=10)
CHECK = HeaderCheck(
    Profile.default(),
    SHIFT,
    KnownSearch([Known(Category.NAME, "Vandermeer^Anneke")]),
    {"1.2.3.4": "2.25.77", "1.2.3.5": "2.25.78", "2.25.5": "2.25.79"}.__getitem__,
)


def original() -> Dataset:
    dataset = Dataset()
    dataset.PatientName = "Vandermeer^Anneke"
    dataset.PatientID = "MR-1"
    dataset.StudyDate = "20200520"
    dataset.Modality = "DX"
    dataset.KVP = "110"
    dataset.PatientAge = "093Y"
    dataset.SOPInstanceUID = "1.2.3.4"
    dataset.FrameOfReferenceUID = "2.25.5"  # a root that others use too
    dataset.StationName = "ROOM7"
    item = Dataset()
    item.RequestedProcedureDescription = "CHEST"
    item.StudyInstanceUID = "1.2.3.5"
    dataset.RequestAttributesSequence = Sequence([item])
    return dataset


def released() -> Dataset:
    """The same, cleaned as it should be."""
    dataset = original()
    dataset.PatientName = "ab12"
    dataset.PatientID = "ab12"
    dataset.StudyDate = "20200510"
    dataset.PatientAge = "090Y"
    dataset.SOPInstanceUID = "2.25.77"
    dataset.FrameOfReferenceUID = "2.25.79"
    del dataset.StationName
    del dataset.RequestAttributesSequence
    return dataset


def discrepancies(dataset: Dataset) -> set[tuple[str, str]]:
    return {(wrong.place, wrong.found) for wrong in CHECK.discrepancies("f", dataset, original())}


def test_a_clean_header_has_nothing_wrong() -> None:
    assert discrepancies(released()) == set()


@pytest.mark.parametrize(
    ("keyword", "value", "place", "found"),
    [
        ("PatientName", "VANDERMEER, A", "(0010,0010)", "a known identifier"),
        ("PatientID", "MR-1", "(0010,0020)", "as in the source"),
        ("StudyDate", "20200511", "(0008,0020)", "another date"),
        ("StudyDate", "20200520", "(0008,0020)", "another date"),
        ("KVP", "111", "(0018,0060)", "changed"),
        ("KVP", None, "(0018,0060)", "missing"),
        ("SOPInstanceUID", "1.2.3.4", "(0008,0018)", "a UID of the source"),
        ("SOPInstanceUID", "2.25.78", "(0008,0018)", "another UID"),
        ("FrameOfReferenceUID", "2.25.5", "(0020,0052)", "a UID of the source"),
        ("StationName", "ROOM7", "(0008,1010)", "as in the source"),
        ("ImageComments", "for Anneke Vandermeer", "(0020,4000)", "a known identifier"),
    ],
)
def test_each_kind_of_mistake_is_told(keyword: str, value: str | None, place: str, found: str) -> None:
    dataset = released()
    if value is None:
        delattr(dataset, keyword)
    else:
        setattr(dataset, keyword, value)
    assert discrepancies(dataset) == {(place, found)}


def test_mistakes_inside_sequences_are_told_by_their_path() -> None:
    dataset = released()
    item = Dataset()
    item.StudyInstanceUID = "1.2.3.5"
    dataset.RequestAttributesSequence = Sequence([item])
    assert ("(0040,0275)[0].(0020,000D)", "a UID of the source") in discrepancies(dataset)


def test_private_attributes_must_be_gone() -> None:
    dataset = released()
    dataset.private_block(0x0019, "ACME", create=True).add_new(1, "LO", "x")
    assert ("(0019,1001)", "a private attribute") in discrepancies(dataset)


@pytest.mark.parametrize("tag", [0x60000022, 0x50000022, 0x00087777])
def test_overlays_curves_and_unknown_attributes_must_be_gone(tag: int) -> None:
    before = original()
    before.add_new(tag, "LO", "a remark")
    assert CHECK.discrepancies("f", released(), before) == []
    after = released()
    after.add_new(tag, "LO", "a remark")
    (discrepancy,) = CHECK.discrepancies("f", after, before)
    assert discrepancy.leak and discrepancy.found == "an attribute that is always removed"


def test_nothing_told_quotes_a_value() -> None:
    dataset = released()
    dataset.PatientName = "VANDERMEER, A"
    told = str([discrepancy.to_json() for discrepancy in CHECK.discrepancies("f", dataset, original())])
    assert "VANDERMEER" not in told and "Anneke" not in told


def test_a_hundred_sequences_deep() -> None:
    deepest = Dataset()
    deepest.PatientID = "MR-1"
    for _ in range(100):
        outer = Dataset()
        outer.RequestAttributesSequence = Sequence([deepest])
        deepest = outer
    assert len(list(attributes(deepest, None))) == 101


def test_a_film_made_anew_has_lost_nothing_with_the_description_of_the_old_one() -> None:
    old, anew = original(), replace(CHECK, made_anew=True)
    old.ImagerPixelSpacing = [0.2, 0.2]
    old.PresentationLUTShape = "INVERSE"
    new = released()
    del new.KVP
    missing = [wrong.found for wrong in CHECK.discrepancies("f", new, old)]
    assert missing == ["missing"] * 3 and not anew.discrepancies("f", new, old)
    for name, value in (("ImagerPixelSpacing", [0.2, 0.2]), ("KVP", "110"), ("PatientWeight", "81.5")):
        kept = copy.deepcopy(new)
        setattr(kept, name, value)
        assert [wrong.found for wrong in anew.discrepancies("f", kept, old)] == ["a description of the old film"]
