"""The hospitals of a phantom hospital group: their habits, formats, scanners and staff."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from medveil.cohort.phantom import invented_names as names

MOST = 10


@dataclass(frozen=True)
class Habits:
    """How one hospital writes: fixed by its place in the list, so that three sites always differ.

    Formats use `n` for the running number, `y` for the two-digit year.
    """

    style: str  # the report's house style
    mrn: str
    accession: str
    date: str  # strftime pattern of dates in headers of reports
    phone: str
    layout: str  # how files and folders are named
    modality: str
    photometric: str
    syntax: str
    charset: str
    maker: str
    model: str


HABITS = (
    Habits(
        *("structured", "{n:08d}", "A{y}{n:07d}", "%m/%d/%Y", "({0}) 555-{1}", "by mrn"),
        *("DX", "MONOCHROME2", "explicit", "ISO_IR 100", "Radiant Imaging", "Lumen DR 400"),
    ),
    Habits(
        *("prose", "MR-{n:07d}", "CXR-{y}-{n:08d}", "%d %b %Y", "{0}-555-{1}", "by uid"),
        *("DX", "MONOCHROME1", "explicit", "ISO_IR 192", "Veritek Medical", "Axion Duo"),
    ),
    Habits(
        *("telegram", "{n:07d}", "{y}{n:08d}", "%m/%d/%y", "{0}.555.{1}", "by name"),
        *("CR", "MONOCHROME2", "implicit", "", "Radiant Imaging", "PlateOne"),
    ),
    Habits(
        *("letter", "H{n:08d}", "{y}-{n:08d}-X", "%Y-%m-%d", "+1 {0} 555 {1}", "by accession"),
        *("DX", "MONOCHROME2", "rle", "ISO_IR 100", "Veritek Medical", "Axion Solo"),
    ),
    Habits(
        *("structured", "{n:09d}", "RAD{n:08d}", "%d.%m.%Y", "({0}) 555-{1}", "by date"),
        *("CR", "MONOCHROME1", "explicit", "ISO_IR 192", "Radiant Imaging", "PlateTwo"),
    ),
    Habits(
        *("prose", "P{n:07d}", "E{n:09d}", "%B %d, %Y", "{0}-555-{1}", "by mrn"),
        *("DX", "MONOCHROME2", "j2k", "ISO_IR 192", "Veritek Medical", "Axion Duo"),
    ),
    Habits(
        *("telegram", "{n:06d}-Z", "Z{y}{n:08d}", "%Y%m%d", "{0} 555 {1}", "by uid"),
        *("CR", "MONOCHROME2", "explicit", "ISO_IR 100", "Radiant Imaging", "PlateOne"),
    ),
    Habits(
        *("letter", "V-{n:07d}", "VA{y}{n:07d}", "%m-%d-%Y", "({0}) 555-{1}", "by accession"),
        *("DX", "MONOCHROME2", "explicit", "", "Radiant Imaging", "Lumen DR 400"),
    ),
    Habits(
        *("structured", "N{n:07d}", "NC{n:08d}", "%d-%b-%Y", "{0}.555.{1}", "by date"),
        *("DX", "MONOCHROME1", "implicit", "ISO_IR 100", "Veritek Medical", "Axion Solo"),
    ),
    Habits(
        *("prose", "{n:07d}S", "SB{y}{n:08d}", "%A %d %B %Y", "+1 {0} 555 {1}", "by name"),
        *("CR", "MONOCHROME2", "explicit", "ISO_IR 192", "Veritek Medical", "Axion Duo"),
    ),
)


@dataclass(frozen=True)
class Staff:
    """A doctor or technologist of the hospital."""

    given: str
    family: str
    degree: str
    pager: str
    number: str  # the hospital's own id of this person

    @property
    def full(self) -> str:
        return f"{self.given} {self.family}"

    @property
    def initials(self) -> str:
        return self.given[0] + next(letter for letter in self.family if letter.isupper())


@dataclass(frozen=True)
class Site:
    number: int
    code: str
    hospital: str
    short: str
    department: str
    street: str
    town: str
    state: str
    postal: str
    area: str
    phone: str
    fax: str
    domain: str
    stations: tuple[str, ...]
    serials: tuple[str, ...]
    readers: tuple[Staff, ...]
    referrers: tuple[Staff, ...]
    technologists: tuple[Staff, ...]
    typists: tuple[Staff, ...]
    habits: Habits

    def phone_number(self, rng: np.random.Generator) -> str:
        """555-0100 to 555-0199 ring nowhere."""
        return self.habits.phone.format(self.area, f"{int(rng.integers(100, 200)):04d}")


@lru_cache(maxsize=64)
def make_site(seed: int, number: int) -> Site:
    """Hospital `number` (from 0) of the group with this seed."""
    rng = np.random.default_rng([seed, 101, number])
    town = names.TOWNS[int(np.random.default_rng([seed, 102]).permutation(len(names.TOWNS))[number])]
    hospital = names.HOSPITALS[number].format(town=town)
    habits = HABITS[number]
    area = str(rng.integers(201, 990))
    short = "".join(word[0] for word in hospital.replace(".", "").split() if word[0].isupper())
    bare = "".join(letter for letter in hospital.casefold() if letter.isascii() and letter.isalpha())
    digits = [f"{int(line):04d}" for line in rng.choice(np.arange(100, 200), 2, replace=False)]
    return Site(
        number=number,
        code=f"site-{number + 1}",
        hospital=hospital,
        short=short,
        department=("Department of Radiology", "Diagnostic Imaging", "Radiology and Imaging")[number % 3],
        street=f"{int(rng.integers(1, 990))} {names.STREETS[int(rng.integers(len(names.STREETS)))]}",
        town=town,
        state=names.STATES[int(rng.integers(len(names.STATES)))],
        postal=f"{int(rng.integers(10, 99990)):05d}",
        area=area,
        phone=habits.phone.format(area, digits[0]),
        fax=habits.phone.format(area, digits[1]),
        domain=f"{bare}.example.org",
        stations=tuple(f"{short}-XR{room}" for room in range(1, 4)),
        serials=tuple(f"{habits.maker[:2].upper()}{int(rng.integers(10**6, 10**7))}" for _ in range(3)),
        readers=_staff(rng, 5, ("MD", "M.D.", "DO", "MBBS FRCR")),
        referrers=_staff(rng, 8, ("MD", "M.D.", "DO", "MBBS")),
        technologists=_staff(rng, 4, ("RT(R)",)),
        typists=_staff(rng, 3, ("",)),
        habits=habits,
    )


def draw_name(rng: np.random.Generator, sex: str) -> tuple[str, str]:
    """A given name and a surname, usually of one origin."""
    origins = list(names.SURNAMES)
    weights = np.array([7.0 if origin == "english" else 1.0 for origin in origins])
    origin = origins[int(rng.choice(len(origins), p=weights / weights.sum()))]
    given_origin = origin if rng.random() < 0.85 else "english"
    given, family = names.given_names(given_origin, sex), names.surnames(origin)
    return given[int(rng.integers(len(given)))], family[int(rng.integers(len(family)))]


def _staff(rng: np.random.Generator, count: int, degrees: tuple[str, ...]) -> tuple[Staff, ...]:
    people = []
    for _ in range(count):
        given, family = draw_name(rng, "FM"[int(rng.integers(2))])
        degree = degrees[int(rng.integers(len(degrees)))]
        pager, number = f"{int(rng.integers(10000, 99999))}", f"E{int(rng.integers(10**5, 10**6))}"
        people.append(Staff(given, family, degree, pager, number))
    return tuple(people)
