"""Cleaning a DICOM header: every attribute at any depth, by the table, the profile and what the object requires."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydicom.datadict import dictionary_VR, tag_for_keyword
from pydicom.dataelem import DataElement
from pydicom.dataset import Dataset, FileDataset
from pydicom.sequence import Sequence
from pydicom.tag import BaseTag
from pydicom.uid import MediaStorageDirectoryStorage

import medveil
from medveil.cohort.dicom.opening import quarantining
from medveil.defenses.headers.attribute import attribute
from medveil.defenses.headers.dates import age_between, day_of
from medveil.defenses.headers.file_meta import actions_on_file_meta, clean_file_meta
from medveil.defenses.headers.known_in_header import known_in
from medveil.defenses.headers.new_values import CleanText, NewValues, new_values_for
from medveil.defenses.headers.options import BASIC_CODE, BASIC_MEANING, Option
from medveil.defenses.headers.outcome import Judge, Outcome, Place
from medveil.defenses.headers.profile import Profile
from medveil.defenses.headers.table import EDITION
from medveil.defenses.headers.text_values import UTF8, fits, texts_of
from medveil.errors import Quarantined
from medveil.person.person import Person
from medveil.person.surrogates.surrogates import Surrogates

DEEPEST = 128  # sequences within sequences; past it no writer can follow
_CHARSET = 0x00080005
_AGE = 0x00101010
_ELSEWHERE = frozenset({Option.CLEAN_PIXEL_DATA, Option.CLEAN_RECOGNIZABLE})  # done by other parts, if at all
_PIXELS = ("PixelData", "FloatPixelData", "DoubleFloatPixelData")


@dataclass(frozen=True)
class Done:
    """One action: where, on what, which (D, Z, X, K, C, U), and by which profile or option. Never a value."""

    path: str
    keyword: str
    action: str
    code: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.path, self.keyword, self.action, self.code)))


@dataclass
class Plan:
    """What to change, worked out before anything is changed."""

    done: list[Done] = field(default_factory=list)
    edits: list[tuple[Place, BaseTag, DataElement | None]] = field(default_factory=list)

    def note(self, place: Place, tag: BaseTag, outcome: Outcome) -> None:
        if outcome.action:
            path = f"{place.path}{BaseTag(tag)}"
            self.done.append(Done(path, attribute(int(tag)).keyword, outcome.action, outcome.code))

    def apply(self, dataset: Dataset) -> None:
        if not all(fits(text, place.charset) for place, _, element in self.edits for text in _words(element)):
            _write_as_utf8(dataset)
        for place, tag, element in self.edits:
            if element is None:
                del place.dataset[tag]
            else:
                place.dataset[tag] = element


class HeaderCleaner:
    """Cleans headers by one profile.

    `clean_text` takes a free text and the person it may speak of, and returns it without identifiers.
    `realistic` gives the patient a surrogate name instead of the pseudonym.
    """

    def __init__(self, profile: Profile, *, clean_text: CleanText, realistic: bool = True) -> None:
        self.profile = profile
        self._clean_text = clean_text
        self._realistic = realistic

    def clean(
        self, dataset: FileDataset, person: Person, *, pixels_cleaned: bool, recognizable_cleaned: bool = False
    ) -> list[Done]:
        """Clean in place, preamble and file meta too. The stamps say what ran, so tell what else did."""
        surrogates = Surrogates(person, realistic=self._realistic)
        with quarantining("unreadable attribute"):
            plan = self._plan(dataset, person, surrogates, pixels_cleaned)
            plan.apply(dataset)
            for element in self._stamps(dataset, pixels_cleaned, recognizable_cleaned):
                dataset[element.tag] = element
            clean_file_meta(dataset, self.profile, surrogates)
        return plan.done

    def what_if(self, dataset: FileDataset, person: Person, *, pixels_cleaned: bool) -> list[Done]:
        """What `clean` would do, with nothing changed."""
        with quarantining("unreadable attribute"):
            return self._plan(dataset, person, Surrogates(person, realistic=self._realistic), pixels_cleaned).done

    def _plan(self, dataset: FileDataset, person: Person, surrogates: Surrogates, pixels_cleaned: bool) -> Plan:
        _refuse_what_is_no_object(dataset)
        known = {*person.known, *known_in(dataset)}
        values = new_values_for(surrogates, known, self.profile, self._clean_text)
        sop_class = str(dataset.get("SOPClassUID") or "")
        judge = Judge(self.profile, values, sop_class, keep_graphics=pixels_cleaned)
        plan = Plan()
        for number, action in sorted(actions_on_file_meta(dataset, self.profile).items()):
            code = Option.UIDS.code if action == "K" else BASIC_CODE
            plan.done.append(Done(str(BaseTag(number)), attribute(number).keyword, action, code))
        top = Place.top(dataset, self.profile)
        self._walk(top, judge, plan)
        self._complete(plan, top, values)
        return plan

    def _walk(self, top: Place, judge: Judge, plan: Plan) -> None:
        """Every attribute, depth first, on a stack of our own: hostile files nest deeper than Python may call."""
        stack = [_tags(top)]
        while stack:
            visited = next(stack[-1], None)
            if visited is None:
                stack.pop()
                continue
            place, tag = visited
            outcome = judge.judge(place, tag)
            plan.note(place, tag, outcome)
            if outcome.mode is not None:
                if place.depth == DEEPEST:
                    raise Quarantined("nested too deep")
                stack += (_tags(item) for item in reversed(place.items(tag, outcome.mode, self.profile)))
            if outcome.element is not None or outcome.removes:
                plan.edits.append((place, tag, outcome.element))

    def _complete(self, plan: Plan, top: Place, values: NewValues) -> None:
        """The pseudonym even where a file has no id; the age where it is kept and only the birth date tells it."""
        if "StudyInstanceUID" not in top.dataset:
            return  # an object of no patient, such as a colour palette
        own = {"PatientName": values.surrogates.patient_name(), "PatientID": values.surrogates.patient_id()}
        added = {keyword: value for keyword, value in own.items() if keyword not in top.dataset}
        keeps_age = Option.PATIENT_CHARACTERISTICS in self.profile.options and _AGE not in self.profile.attributes
        if keeps_age and not top.dataset.get("PatientAge") and (age := _age(top.dataset)):
            added["PatientAge"] = age
        for keyword, value in added.items():
            tag = BaseTag(tag_for_keyword(keyword))
            plan.edits.append((top, tag, DataElement(tag, dictionary_VR(tag), value)))

    def _stamps(self, dataset: Dataset, pixels_cleaned: bool, recognizable_cleaned: bool) -> list[DataElement]:
        return stamps(
            self.profile,
            has_pixels=any(keyword in dataset for keyword in _PIXELS),
            pixels_cleaned=pixels_cleaned,
            recognizable_cleaned=recognizable_cleaned,
        )


def _refuse_what_is_no_object(dataset: FileDataset) -> None:
    if dataset.get("SOPClassUID") == MediaStorageDirectoryStorage or "DirectoryRecordSequence" in dataset:
        raise Quarantined("a directory of files")
    meta = getattr(dataset, "file_meta", None) or Dataset()
    if not all(dataset.get(uid) or meta.get(f"MediaStorage{uid}") for uid in ("SOPClassUID", "SOPInstanceUID")):
        raise Quarantined("no SOP class or instance")


def _tags(place: Place) -> Iterator[tuple[Place, BaseTag]]:
    return ((place, tag) for tag in sorted(place.dataset.keys(), key=int))


def _age(dataset: Dataset) -> str | None:
    born = day_of(str(dataset.get("PatientBirthDate") or ""))
    taken = day_of(str(dataset.get("StudyDate") or dataset.get("ContentDate") or ""))
    return age_between(born, taken) if born and taken else None


def _words(element: DataElement | None) -> list[str]:
    if element is None or element.VR == "SQ" or isinstance(element.value, bytes):
        return []
    return texts_of(element.value)


def _write_as_utf8(dataset: Dataset) -> None:
    """Every text is read while the old character set is still known, then all are written in the new one."""
    waiting: list[Dataset] = [dataset]
    found: list[Dataset] = []
    while waiting:
        current = waiting.pop()
        found.append(current)
        for tag in list(current.keys()):
            element: Any = current[tag]
            if element.VR == "SQ":
                waiting += element.value
    for current in found[1:]:
        current.pop(_CHARSET, None)
    dataset.SpecificCharacterSet = UTF8


def stamps(
    profile: Profile, *, has_pixels: bool, pixels_cleaned: bool, recognizable_cleaned: bool
) -> list[DataElement]:
    """What a de-identified object says of itself, in order of tag: only what ran."""
    ran = set(profile.options) - _ELSEWHERE
    ran |= {Option.CLEAN_PIXEL_DATA} if pixels_cleaned else set()
    ran |= {Option.CLEAN_RECOGNIZABLE} if recognizable_cleaned else set()
    codes = [] if profile.weakened else [(BASIC_CODE, BASIC_MEANING)]
    codes += sorted((option.code, option.meaning) for option in ran)
    values = {
        "PatientIdentityRemoved": "NO" if profile.weakened else "YES",
        "DeidentificationMethod": [f"medveil {medveil.__version__}", f"DICOM PS3.15 {EDITION} Annex E"],
        "DeidentificationMethodCodeSequence": Sequence([_code_item(*code) for code in codes]),
        "LongitudinalTemporalInformationModified": _dates_are(profile),
    }
    if has_pixels and pixels_cleaned:
        values["BurnedInAnnotation"] = "NO"
    if has_pixels and recognizable_cleaned:
        values["RecognizableVisualFeatures"] = "NO"
    elements = [_element(keyword, value) for keyword, value in values.items()]
    return sorted(elements, key=lambda element: element.tag)


def _dates_are(profile: Profile) -> str:
    if Option.MODIFIED_DATES in profile.options:
        return "MODIFIED"
    return "UNMODIFIED" if Option.FULL_DATES in profile.options else "REMOVED"


def _code_item(code: str, meaning: str) -> Dataset:
    item = Dataset()
    item.CodeValue = code
    item.CodingSchemeDesignator = "DCM"
    item.CodeMeaning = meaning
    return item


def _element(keyword: str, value: object) -> DataElement:
    tag = tag_for_keyword(keyword)
    return DataElement(tag, dictionary_VR(tag), value)
