"""The kinds of identifier, after HIPAA's list.

NAME is the patient or a relative, DOCTOR anyone on the staff, INITIALS those of
either. TIME is a time of day. AGE_OVER_89 is an age above 89; lower ages are not identifiers. PHONE includes
pagers. ADDRESS covers streets, towns and postal codes. HOSPITAL covers hospitals and their short names.
UID is a DICOM unique identifier of an instance. OTHER_ID is any other number of the hospital: order, room, station.
"""

from __future__ import annotations

from enum import StrEnum


class Category(StrEnum):
    NAME = "NAME"
    DOCTOR = "DOCTOR"
    INITIALS = "INITIALS"
    DATE = "DATE"
    TIME = "TIME"
    AGE_OVER_89 = "AGE_OVER_89"
    MRN = "MRN"
    ACCESSION = "ACCESSION"
    SSN = "SSN"
    HEALTH_PLAN = "HEALTH_PLAN"
    PHONE = "PHONE"
    FAX = "FAX"
    EMAIL = "EMAIL"
    URL = "URL"
    ADDRESS = "ADDRESS"
    HOSPITAL = "HOSPITAL"
    DEVICE_SERIAL = "DEVICE_SERIAL"
    UID = "UID"
    OTHER_ID = "OTHER_ID"


NUMBERS = frozenset(
    {
        Category.MRN,
        Category.ACCESSION,
        Category.SSN,
        Category.HEALTH_PLAN,
        Category.DEVICE_SERIAL,
        Category.OTHER_ID,
        Category.UID,
    }
)
"""What is given out once, so that it may be told by its characters alone."""
