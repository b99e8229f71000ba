"""What a header tells of a person: to be searched for in that study's pixels, reports and file names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from pydicom.dataelem import DataElement
from pydicom.dataset import Dataset
from pydicom.tag import Tag

from medveil.cohort.dicom.opening import quarantining
from medveil.defenses.headers.attribute import CLASS_UIDS, attribute
from medveil.defenses.headers.text_values import check_charset, check_decoded, texts_of
from medveil.errors import Quarantined
from medveil.person.identifiers import Category
from medveil.person.person import Known

_BY_KEYWORD = {
    Category.NAME: (
        "PatientName OtherPatientNames PatientBirthName PatientMotherBirthName ResponsiblePerson NameToUse PersonName"
    ),
    Category.MRN: "PatientID OtherPatientIDs MedicalRecordLocator",
    Category.ACCESSION: "AccessionNumber SpecimenAccessionNumber",
    Category.HEALTH_PLAN: "InsurancePlanIdentification",
    Category.PHONE: (
        "PatientTelephoneNumbers ReferringPhysicianTelephoneNumbers PersonTelephoneNumbers OrderCallbackPhoneNumber "
        "PatientTelecomInformation PersonTelecomInformation OrderCallbackTelecomInformation"
    ),
    Category.ADDRESS: "PatientAddress InstitutionAddress ReferringPhysicianAddress PersonAddress RegionOfResidence",
    Category.HOSPITAL: (
        "InstitutionName IssuerOfPatientID ResponsibleOrganization PatientInstitutionResidence "
        "ClinicalTrialSiteName ClinicalTrialCoordinatingCenterName HumanPerformerOrganization"
    ),
    Category.DEVICE_SERIAL: (
        "DeviceSerialNumber DetectorID PlateID CassetteID GantryID GeneratorID LensSerialNumber SourceSerialNumber "
        "UniqueDeviceIdentifier"
    ),
    Category.OTHER_ID: (
        "StudyID AdmissionID ServiceEpisodeID RequestedProcedureID ScheduledProcedureStepID PerformedProcedureStepID "
        "StationName PerformedStationName ScheduledStationName CurrentPatientLocation InterpretationID ResultsID "
        "PlacerOrderNumberImagingServiceRequest FillerOrderNumberImagingServiceRequest StationAETitle "
        "ClinicalTrialSubjectID ClinicalTrialSubjectReadingID BarcodeValue"
    ),
}
_CATEGORIES = {keyword: category for category, words in _BY_KEYWORD.items() for keyword in words.split()}
_STANDARD_UIDS = "1.2.840.10008."
_TELLING = frozenset({"PN", "DA", "DT", "UI", "SQ"})
_CHARSET = Tag("SpecificCharacterSet")
_OWN = ("PatientName", "PatientID")
_SHORTEST = 2  # characters; a single one is found everywhere and tells nothing
_LONGEST = 1024  # characters; no name, number or address is, and a damaged length or kind makes such of the pixels
_MOST_NAMES = 500


def known_in(dataset: Dataset) -> tuple[Known, ...]:
    """Every identifying value of a header with its category, at any depth, each once; the patient's own come first."""
    with quarantining("unreadable attribute"):
        found = {known for element in _elements(dataset) for known in _known(element)}
        own = {known for keyword in _OWN if keyword in dataset for known in _known(dataset[keyword])}
    names = sum(known.category in (Category.NAME, Category.DOCTOR) for known in found)
    if names > _MOST_NAMES or any(len(known.value) > _LONGEST for known in found):
        raise Quarantined("identifiers too long or too many to be searched for")
    return (*sorted(own), *sorted(found - own))


def readable_in(dataset: Dataset) -> tuple[Known, ...]:
    """As `known_in` of each attribute by itself: one that is damaged does not keep the others from telling."""
    found: dict[Known, None] = {}
    for tag in list(dataset.keys()):
        with suppress(Quarantined), quarantining("unreadable attribute"):
            alone = Dataset()
            alone.update({one: dataset[one] for one in (_CHARSET, tag) if one in dataset})
            found.update(dict.fromkeys(known_in(alone)))
    return tuple(found)


def _elements(dataset: Dataset) -> Iterator[DataElement]:
    """All standard elements that may tell something, those of items too; without recursion."""
    waiting = [(dataset, check_charset(dataset, ()))]
    while waiting:
        current, charset = waiting.pop()
        for tag in list(current.keys()):
            known = attribute(int(tag))
            if known.vr not in _TELLING and known.keyword not in _CATEGORIES:
                continue
            element = current[tag]
            if element.VR == "SQ":
                waiting += ((item, check_charset(item, charset)) for item in element.value)
            else:
                check_decoded(texts_of(element.value), charset)
                yield element


def _known(element: DataElement) -> Iterator[Known]:
    category = _category(element)
    if category is None:
        return
    for text in texts_of(element.value):
        value = text.strip("\0 ^=")
        if len(value) >= _SHORTEST and not (category is Category.UID and value.startswith(_STANDARD_UIDS)):
            yield Known(category, value)


def _category(element: DataElement) -> Category | None:
    category = _CATEGORIES.get(element.keyword)
    if category is not None:
        return category
    if element.VR == "PN":
        return Category.DOCTOR
    if element.VR in ("DA", "DT"):
        return Category.DATE
    return Category.UID if element.VR == "UI" and element.keyword not in CLASS_UIDS else None
