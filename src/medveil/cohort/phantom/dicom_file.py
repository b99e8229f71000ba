"""The DICOM file of a visit: full headers with the identifiers hospitals leave in them, and the pixels."""

from __future__ import annotations

import datetime as dt
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.filewriter import dcmwrite
from pydicom.uid import ExplicitVRLittleEndian, ImplicitVRLittleEndian, JPEG2000Lossless, RLELossless

from medveil.cohort.phantom.chart import Chart
from medveil.cohort.phantom.gold import HeaderIdentifier
from medveil.cohort.phantom.marked_dataset import MarkedDataset
from medveil.cohort.phantom.marked_text import MarkedText, fill, vary
from medveil.cohort.phantom.private_tags import add_private_tags
from medveil.cohort.phantom.radiograph.pose import FIELD_CM
from medveil.cohort.phantom.sites import Staff
from medveil.person.identifiers import Category

DIGITAL_X_RAY = "1.2.840.10008.5.1.4.1.1.1.1.1"
COMPUTED_RADIOGRAPHY = "1.2.840.10008.5.1.4.1.1.1"
STUDY_COMPONENT = "1.2.840.10008.3.1.2.3.3"
STUDY_MANAGEMENT = "1.2.840.10008.3.1.2.3.1"
WHITE = 4095
_SYNTAXES = {
    "explicit": ExplicitVRLittleEndian,
    "implicit": ImplicitVRLittleEndian,
    "rle": RLELossless,
    "j2k": JPEG2000Lossless,
}


def make_dicom(chart: Chart, pixels: NDArray[np.uint16]) -> tuple[bytes, list[HeaderIdentifier]]:
    """The file's bytes, and every identifier in it. `pixels` are 12 bit, bright is dense."""
    rng = np.random.default_rng([chart.patient.person_key, 4, chart.visit.number])
    header = MarkedDataset(chart.site.habits.charset)
    if chart.site.habits.charset:
        header.put("SpecificCharacterSet", chart.site.habits.charset)
    _patient(header, chart, rng)
    _study(header, chart, rng)
    _series(header, chart, rng)
    _equipment(header, chart)
    _image(header, chart, rng)
    add_private_tags(header, chart.person, chart.encounter, chart.site)
    _pixels(header.dataset, chart, pixels)
    return _encode(header, chart, pixels), header.found


def pn(family: str, given: str, suffix: str = "", *, upper: bool = False) -> str:
    """A person name in DICOM's order."""
    text = f"{family}^{given}" + (f"^^^{suffix}" if suffix else "")
    return text.upper() if upper else text


def _patient(header: MarkedDataset, chart: Chart, rng: np.random.Generator) -> None:
    person = chart.person
    upper = chart.site.number % 2 == 0
    name = pn(person.family, person.given, upper=upper) + (f"^{person.middle[0]}" if person.middle else "")
    header.put("PatientName", name, Category.NAME, person.full)
    header.put("PatientID", person.mrn, Category.MRN)
    header.put("IssuerOfPatientID", chart.site.short, Category.HOSPITAL, chart.site.hospital)
    _date(header, "PatientBirthDate", person.birth)
    header.put("PatientSex", person.sex)
    age = chart.visit.age
    header.put("PatientAge", f"{age:03d}Y", Category.AGE_OVER_89 if age > 89 else None, str(age))
    header.put("PatientWeight", f"{62 + 24 * (chart.patient.build + 0.3):.0f}")
    header.put("PatientAddress", _address(person.street, person.town, person.state, person.postal), Category.ADDRESS)
    header.put("PatientTelephoneNumbers", person.phone, Category.PHONE)
    other = header.item("OtherPatientIDsSequence")
    other.put("PatientID", person.old_mrn, Category.MRN)
    other.put("TypeOfPatientID", "TEXT")
    other.put("IssuerOfPatientID", chart.site.hospital, Category.HOSPITAL)
    if rng.random() < 0.4:
        other = header.item("OtherPatientIDsSequence")
        other.put("PatientID", person.ssn, Category.SSN)
        other.put("TypeOfPatientID", "TEXT")
    if rng.random() < 0.3:
        header.put("OtherPatientIDs", person.plan_number, Category.HEALTH_PLAN)
    if rng.random() < 0.25:
        relative = pn(person.family, person.relative, upper=upper)
        header.put("ResponsiblePerson", relative, Category.NAME, f"{person.relative} {person.family}")
    if rng.random() < 0.5:
        header.write("PatientComments", _patient_comment(chart, rng))
    if rng.random() < 0.3:
        text = "{title} {name} seen by Dr {doctor}, [r/o PNA|s/p fall|SOB|follow-up]"
        header.write("AdditionalPatientHistory", _told(chart, rng, text))


def _patient_comment(chart: Chart, rng: np.random.Generator) -> MarkedText:
    return _told(
        chart,
        rng,
        "[Call {phone} before transport|Interpreter needed, family of {title} {name}|Isolation room {room}|"
        "Insurance {plan}|Mail {email}|Portal https login for {mrn}]",
    )


def _told(chart: Chart, rng: np.random.Generator, pattern: str) -> MarkedText:
    """A free-text remark."""
    return fill(vary(rng, pattern), **chart.slots)


def _study(header: MarkedDataset, chart: Chart, rng: np.random.Generator) -> None:
    encounter, site = chart.encounter, chart.site
    header.put("StudyInstanceUID", chart.uid("study"), Category.UID)
    _moment(header, "Study", encounter.taken - dt.timedelta(minutes=4))
    header.put("AccessionNumber", encounter.accession, Category.ACCESSION)
    header.put("StudyID", encounter.order, Category.OTHER_ID)
    header.put("AdmissionID", f"V{encounter.job}", Category.OTHER_ID)
    header.put("CurrentPatientLocation", encounter.room, Category.OTHER_ID)
    _doctor(header, "ReferringPhysicianName", encounter.referrer)
    header.put("ReferringPhysicianTelephoneNumbers", site.phone, Category.PHONE)
    _doctor(header, "NameOfPhysiciansReadingStudy", encounter.reader)
    _doctor(header, "RequestingPhysician", encounter.referrer)
    header.put("RequestingService", "EMERGENCY" if chart.visit.view == "AP" else "OUTPATIENT")
    description = (
        "[CHEST {view}|CHEST {view}|XR CHEST {view}|CHEST {view} {upper}|CXR {view} FOR DR {doctor}|CHEST {date}]"
    )
    header.write("StudyDescription", _told(chart, rng, description))
    if chart.visit.number:
        earlier = header.item("ReferencedStudySequence")
        earlier.put("ReferencedSOPClassUID", STUDY_MANAGEMENT)
        earlier.put("ReferencedSOPInstanceUID", chart.uid("study", chart.visit.number - 1), Category.UID)
    _code(header.item("ProcedureCodeSequence"), "36554-4", "LN", "XR Chest Single view")


def _series(header: MarkedDataset, chart: Chart, rng: np.random.Generator) -> None:
    encounter = chart.encounter
    header.put("SeriesInstanceUID", chart.uid("series"), Category.UID)
    header.put("Modality", chart.site.habits.modality)
    header.put("SeriesNumber", 1)
    _moment(header, "Series", encounter.taken)
    header.write(
        "SeriesDescription", _told(chart, rng, "[Chest {view}|Thorax {view}|Chest {view} {tech}|Chest {full}]")
    )
    header.write("ProtocolName", _told(chart, rng, "[CHEST {view}|CHEST {view}|CHEST {view} {mrn}|CHEST DR {doctor}]"))
    _doctor(header, "OperatorsName", encounter.technologist)
    _doctor(header, "PerformingPhysicianName", encounter.reader)
    header.put("BodyPartExamined", "CHEST")
    header.put("ViewPosition", chart.visit.view)
    request = header.item("RequestAttributesSequence")
    request.put("RequestedProcedureID", encounter.order, Category.OTHER_ID)
    request.put("ScheduledProcedureStepID", f"S{encounter.job}", Category.OTHER_ID)
    request.put("RequestedProcedureDescription", f"Chest {chart.visit.view}")
    step = "[Chest {view}|Chest {view} for {title} {name}|{upper} chest]"
    request.write("ScheduledProcedureStepDescription", _told(chart, rng, step))
    request.put("AccessionNumber", encounter.accession, Category.ACCESSION)
    _code(request.item("ScheduledProtocolCodeSequence"), "CHEST1", "99LOCAL", "Chest routine")
    performed = header.item("ReferencedPerformedProcedureStepSequence")
    performed.put("ReferencedSOPClassUID", STUDY_COMPONENT)
    performed.put("ReferencedSOPInstanceUID", chart.uid("step"), Category.UID)
    _code(header.item("PerformedProtocolCodeSequence"), "CHEST1", "99LOCAL", "Chest routine")
    header.put("PerformedProcedureStepID", f"P{encounter.job}", Category.OTHER_ID)
    _moment(header, "PerformedProcedureStepStart", encounter.taken)


def _equipment(header: MarkedDataset, chart: Chart) -> None:
    site, encounter = chart.site, chart.encounter
    header.put("Manufacturer", site.habits.maker)
    header.put("ManufacturerModelName", site.habits.model)
    header.put("SoftwareVersions", f"V{site.number + 2}.1")
    header.put("DeviceSerialNumber", encounter.serial, Category.DEVICE_SERIAL)
    header.put("StationName", encounter.station, Category.OTHER_ID)
    header.put("InstitutionName", site.hospital, Category.HOSPITAL)
    header.put("InstitutionAddress", _address(site.street, site.town, site.state, site.postal), Category.ADDRESS)
    header.put("InstitutionalDepartmentName", site.department)
    header.put("DetectorID", f"D{encounter.serial}", Category.DEVICE_SERIAL)
    _date(header, "DateOfLastCalibration", (encounter.taken - dt.timedelta(days=encounter.taken.day)).date())


def _image(header: MarkedDataset, chart: Chart, rng: np.random.Generator) -> None:
    encounter, habits = chart.encounter, chart.site.habits
    digital = habits.modality == "DX"
    header.put("SOPClassUID", DIGITAL_X_RAY if digital else COMPUTED_RADIOGRAPHY)
    header.put("SOPInstanceUID", chart.image_uid, Category.UID)
    header.put("ImageType", ["ORIGINAL", "PRIMARY", ""] if digital else ["DERIVED", "PRIMARY"])
    header.put("InstanceNumber", 1)
    header.put("PatientOrientation", ["L", "F"])
    _moment(header, "Acquisition", encounter.taken)
    _moment(header, "Content", encounter.taken + dt.timedelta(seconds=9))
    if rng.random() < 0.5:
        remark = "[Portable in {room}|{full} unable to stand|Repeat, {tech}|Was {accession}|Rotated|{upper} {date}]"
        header.write("ImageComments", _told(chart, rng, remark))
    header.put("KVP", "110" if chart.visit.view == "PA" else "85")
    header.put("DistanceSourceToDetector", "1800" if chart.visit.view == "PA" else "1000")
    header.put("ExposureInuAs", round(2200 * chart.visit.exposure))
    if digital:
        header.put("PresentationIntentType", "FOR PRESENTATION")
        header.put("ImageLaterality", "U")
        header.put("PixelIntensityRelationship", "LOG")
        header.put("PixelIntensityRelationshipSign", -1 if habits.photometric == "MONOCHROME1" else 1)
        header.put("AcquisitionContextSequence", [])
        header.put("PresentationLUTShape", "INVERSE" if habits.photometric == "MONOCHROME1" else "IDENTITY")
        _code(header.item("AnatomicRegionSequence"), "51185008", "SCT", "Chest")
    if chart.site.number != 1:  # one site leaves it out; the others say NO, which is not always so
        header.put("BurnedInAnnotation", "NO" if chart.site.number % 2 == 0 else "YES")


def _pixels(dataset: Dataset, chart: Chart, pixels: NDArray[np.uint16]) -> None:
    habits = chart.site.habits
    spacing = 10 * FIELD_CM / pixels.shape[0]
    detector, patient = f"{spacing:.6f}", f"{spacing / chart.visit.zoom:.6f}"
    attributes = {
        "SamplesPerPixel": 1,
        "PhotometricInterpretation": habits.photometric,
        "Rows": pixels.shape[0],
        "Columns": pixels.shape[1],
        "BitsAllocated": 16,
        "BitsStored": 12,
        "HighBit": 11,
        "PixelRepresentation": 0,
        "ImagerPixelSpacing": [detector, detector],
        "PixelSpacing": [patient, patient],
        "WindowCenter": "2048",
        "WindowWidth": "4096",
        "RescaleIntercept": "0",
        "RescaleSlope": "1",
        "RescaleType": "US",
        "LossyImageCompression": "00",
    }
    for keyword, value in attributes.items():
        setattr(dataset, keyword, value)


def _encode(header: MarkedDataset, chart: Chart, pixels: NDArray[np.uint16]) -> bytes:
    dataset, habits = header.dataset, chart.site.habits
    syntax = _SYNTAXES[habits.syntax]
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = dataset.SOPClassUID
    meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID
    meta.TransferSyntaxUID = ExplicitVRLittleEndian if syntax.is_compressed else syntax
    meta.ImplementationClassUID = "2.25.1374928615309847215309"
    meta.ImplementationVersionName = "MEDVEIL PHANTOM"
    uid = chart.image_uid
    header.found.append(HeaderIdentifier(0, len(uid), uid, Category.UID, uid, path="(0002,0003)"))
    dataset.file_meta = meta
    stored = WHITE - pixels if habits.photometric == "MONOCHROME1" else pixels
    if syntax.is_compressed:
        dataset.compress(syntax, np.ascontiguousarray(stored), generate_instance_uid=False)
    else:
        dataset.PixelData = stored.astype("<u2", copy=False).tobytes()
    out = BytesIO()
    dcmwrite(out, dataset, enforce_file_format=True)
    return out.getvalue()


def _date(header: MarkedDataset, keyword: str, day: dt.date) -> None:
    header.put(keyword, f"{day:%Y%m%d}", Category.DATE, f"{day:%Y-%m-%d}")


def _moment(header: MarkedDataset, event: str, moment: dt.datetime) -> None:
    _date(header, f"{event}Date", moment.date())
    header.put(f"{event}Time", f"{moment:%H%M%S}", Category.TIME, f"{moment:%H:%M:%S}")


def _doctor(header: MarkedDataset, keyword: str, staff: Staff) -> None:
    header.put(keyword, pn(staff.family, staff.given, staff.degree), Category.DOCTOR, staff.full)


def _address(street: str, town: str, state: str, postal: str) -> str:
    return f"{street}, {town}, {state} {postal}"


def _code(item: Any, value: str, scheme: str, meaning: str) -> None:
    item.put("CodeValue", value)
    item.put("CodingSchemeDesignator", scheme)
    item.put("CodeMeaning", meaning)
