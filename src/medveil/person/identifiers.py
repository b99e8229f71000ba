"""The kinds of identifier, after HIPAA's list.

NAME is the patient or a relative, DOCTOR anyone on the staff, INITIALS those of
either. TIME is a time of day. AGE_OVER_89 is an age above 89; lower ages are not identifiers. PHONE includes
pagers. ADDRESS covers streets, towns and postal codes. HOSPITAL covers hospitals and their short names.
UID is a DICOM unique identifier of an instance. OTHER_ID is any other number of the hospital: order, room, station.
COUNTY is a county or district, VEHICLE a plate or a vehicle's own number, UDI the code on an implant's label, NETWORK
an address of a machine, BIOMETRIC the code of a finger, face or eye, PHOTO the file name of a photograph.
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
    COUNTY = "COUNTY"
    VEHICLE = "VEHICLE"
    UDI = "UDI"
    NETWORK = "NETWORK"
    BIOMETRIC = "BIOMETRIC"
    PHOTO = "PHOTO"

    @property
    def spoken(self) -> str:
        """In words, in the plural."""
        return _SPOKEN[self]


_SPOKEN = {
    Category.NAME: "names",
    Category.DOCTOR: "names of staff",
    Category.INITIALS: "initials",
    Category.DATE: "dates",
    Category.TIME: "times of day",
    Category.AGE_OVER_89: "ages over 89",
    Category.MRN: "record numbers",
    Category.ACCESSION: "accession numbers",
    Category.SSN: "social security numbers",
    Category.HEALTH_PLAN: "health plan numbers",
    Category.PHONE: "telephone numbers",
    Category.FAX: "fax numbers",
    Category.EMAIL: "e-mail addresses",
    Category.URL: "web addresses",
    Category.ADDRESS: "addresses",
    Category.HOSPITAL: "hospital names",
    Category.DEVICE_SERIAL: "serial numbers of devices",
    Category.UID: "unique identifiers",
    Category.OTHER_ID: "other numbers",
    Category.COUNTY: "counties",
    Category.VEHICLE: "plates and numbers of vehicles",
    Category.UDI: "identifiers of implants",
    Category.NETWORK: "network addresses",
    Category.BIOMETRIC: "biometric codes",
    Category.PHOTO: "names of photographs",
}

NUMBERS = frozenset(
    {
        Category.MRN,
        Category.ACCESSION,
        Category.SSN,
        Category.HEALTH_PLAN,
        Category.DEVICE_SERIAL,
        Category.OTHER_ID,
        Category.UID,
        Category.VEHICLE,
        Category.UDI,
        Category.BIOMETRIC,
    }
)
"""What is given out once, so that it may be told by its characters alone."""
