"""The anatomy, the one entrance: every film is made anew or changed so that its body no longer says whose it is."""

from __future__ import annotations

import hmac
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medveil.errors import Quarantined, SettingsError
from medveil.parts import Guarantee, Subject, register_defense
from medveil.person.keys import Keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydicom.dataelem import DataElement
    from pydicom.dataset import Dataset, FileDataset

    from medveil.defenses.anatomy.ledger import BitLedger
    from medveil.defenses.anatomy.method import Film, Method

CODED = "coded"
USUAL_BITS = 6.0  # a film
MOST_DRAWS = 64  # of a code
_FRONTAL = (None, "", "AP", "PA", "FRONTAL")
_SPENT = "its bits would exceed the budget of the person"
_SEVERAL, _NO_FILM, _LATERAL = (
    "several frames, of which the anatomy cannot be hidden",
    "no frontal chest film, so its anatomy cannot be hidden",
    "no frontal view, so its anatomy cannot be hidden",
)


@register_defense
class HiddenAnatomy:
    """Makes a film anew from a short code, or hides its anatomy in another way, by a dial."""

    name = "anatomy"
    title = "The anatomy itself"
    place = "anatomy"
    order = 20  # once burned-in text is gone
    default = False
    limits = (
        "A film made anew is no film of the patient: it shows what the code says and nothing else, so it serves "
        "training and teaching, never the care of the person.",
        "Films come out at 256 × 256 pixels and 8 bits.",
        "What the table and the reports tell is not covered here.",
    )

    @dataclass(frozen=True)
    class Settings:
        """`method` is the way; `level` sets its dial, in the method's own unit, or `bits` where the film is coded.
        `weights` are networks of one's own. The bits that films tell of a person are added up in the file `ledger`,
        over all runs that name it, and no film is made that would exceed the `budget` of a person. `draws` is how many
        films are drawn from each code, at no more bits: the code is taken once."""

        method: str = CODED
        bits: int | None = None
        level: float | None = None
        draws: int = 1
        weights: Path | None = None
        ledger: Path | None = None
        budget: float | None = None

        def __post_init__(self) -> None:
            if self.budget is not None and (self.ledger is None or self.method != CODED):
                raise SettingsError("a budget of bits needs a ledger, and films that are coded; name ledger=FILE")
            if self.bits is not None and (self.level is not None or self.method != CODED):
                raise SettingsError("bits are for the method coded alone; give a level to the others, and not both")
            if self.bits is not None and not 1 <= self.bits <= 16:
                raise SettingsError("a film is coded in 1 to 16 bits")
            if self.level is not None and not 0 < self.level < math.inf:
                raise SettingsError("a level is a number above 0; how high it may be depends on the method")
            if not 1 <= self.draws <= MOST_DRAWS:
                raise SettingsError(f"1 to {MOST_DRAWS} films can be drawn from a code")
            if self.draws > 1 and self.method != CODED:
                raise SettingsError("several films are drawn from one code; only the method coded has codes")

    def __init__(self, keys: Keys, settings: Settings | None = None) -> None:
        self.settings = settings or self.Settings()
        self._keys = keys

    @property
    def guarantee(self) -> Guarantee:
        return self._method.guarantee(self.level)

    @property
    def bits(self) -> float | None:
        """How much of the original a film can carry, where that is bounded."""
        return self._method.bits(self.level)

    @property
    def draws(self) -> int:
        return self.settings.draws

    @cached_property
    def level(self) -> float:
        if self.settings.bits is not None:
            return float(self.settings.bits)
        if self.settings.level is not None:
            return self.settings.level
        return USUAL_BITS if self.settings.method == CODED else self._method.levels[-1]

    @cached_property
    def _method(self) -> Method:
        from medveil.defenses.anatomy.method import load_method  # loads torch

        return load_method(self.settings.method, weights=self.settings.weights)

    def check_models(self) -> None:
        """A method that lacks its networks says so before anything is written."""
        self._method.guarantee(self.level)

    def apply(self, subject: Subject) -> Subject:
        (done,) = self.apply_many([subject])
        if isinstance(done, Quarantined):
            raise done
        return done

    def apply_many(self, subjects: Sequence[Subject]) -> list[Subject | Quarantined]:
        results: list[Subject | Quarantined] = list(subjects)
        films: dict[int, Film] = {}
        for at, subject in enumerate(subjects):
            try:
                film = self._film(subject)
            except Quarantined as withheld:
                results[at] = withheld
            else:
                if film is not None:
                    films[at] = film
        for at in [at for at, film in films.items() if not self._booked(subjects[at], film)]:
            results[at] = Quarantined(_SPENT)
            del films[at]
        chance = [self._chance(film, subjects[at]) for at, film in films.items()]
        for at, made in zip(films, self._method.protect(list(films.values()), self.level, chance), strict=True):
            subject = subjects[at]
            _put(subject, made)
            subject.note("films changed" if self.bits is None else "films made anew")
        return results

    def _film(self, subject: Subject) -> Film | None:
        from medveil.defenses.anatomy.method import Refuses

        film = _shown(subject)
        if film is not None and isinstance(self._method, Refuses) and (reason := self._method.refusal(film)):
            raise Quarantined(reason)
        return film

    def _booked(self, subject: Subject, film: Film) -> bool:
        """Whether the film may be made: its bits are on disk before it is."""
        if self._ledger is None or self.bits is None:
            return True
        from medveil.defenses.anatomy.ledger import BitsSpent, Entry

        one = Entry(subject.person.pseudonym, self._keys.pseudonym("film", self._what_is_coded(film)), self.bits)
        try:
            self._ledger.book([one])
        except BitsSpent:
            return False
        return True

    @cached_property
    def _ledger(self) -> BitLedger | None:
        """Read once; what other processes add is followed."""
        from medveil.defenses.anatomy.ledger import BitLedger

        return None if self.settings.ledger is None else BitLedger(self.settings.ledger, self.settings.budget)

    def _what_is_coded(self, film: Film) -> str:
        """The same for the same code: of its pixels, what the table tells that goes into it, and who codes it."""
        from medveil.cohort import LABELS

        told = [*self._coder, *(str(film.fields.get(name)) for name in (*LABELS, "view"))]
        return sha256(film.pixels.tobytes() + "\x1f".join(told).encode()).hexdigest()

    @cached_property
    def _coder(self) -> tuple[str, ...]:
        """Another way to code, or other networks, make another code of the same film, which tells more of it."""
        from medveil.runtime.storage import sha256_of
        from medveil.weights.bundled import bundled

        networks = (self.settings.weights or bundled("coded"), bundled("findings"))
        return self.settings.method, *(sha256_of(path) for path in networks)

    def _chance(self, film: Film, subject: Subject) -> np.random.Generator:
        """Of film, image, person and the site's key: whoever lacks the key cannot draw it again, and a second run can.
        A film that is there twice comes out as two, so that nobody sees that it was one."""
        import numpy as np

        whose = (subject.person.pseudonym, _image_of(subject), str(subject.draw))
        name = "\x1f".join(("medveil", "anatomy", *whose, "")).encode()
        digest = hmac.new(self._keys.secret, name + film.pixels.tobytes(), sha256).digest()
        return np.random.default_rng(np.frombuffer(digest, np.uint32))


def _image_of(subject: Subject) -> str:
    """What the image is called, where it has a name."""
    if subject.dataset is not None:
        return str(subject.dataset.get("SOPInstanceUID", ""))
    return str((subject.row or {}).get("image_id", ""))


def _shown(subject: Subject) -> Film | None:
    """What a method sees of a subject; None of one without an image."""
    from medveil.defenses.anatomy.method import Film
    from medveil.encoders.identity.preparing import prepare

    told: dict[str, Any] = {}
    if subject.dataset is not None:
        if "PixelData" not in subject.dataset:
            return None
        picture = _only_frame(subject.dataset)
        told = {"view": subject.dataset.get("ViewPosition"), "sex": subject.dataset.get("PatientSex")}
    elif subject.picture is not None:
        picture = subject.picture
        told = dict(subject.row or {})
    else:
        return None
    if told.get("view") not in _FRONTAL and isinstance(told.get("view"), str):
        raise Quarantined(_LATERAL)
    gray = _without_colour(picture)
    _refuse_others(gray)
    return Film(prepare(gray), told)


def _without_colour(picture: NDArray[Any]) -> NDArray[Any]:
    """A film that was stored in red, green and blue is a film all the same."""
    if picture.ndim == 2:
        return picture
    import cv2

    return cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)


def _refuse_others(picture: NDArray[Any]) -> None:
    """A photograph, a hand or a head would come out as somebody's chest."""
    from medveil.encoders.identity.chest_check import bundled_check, chest_features

    if float(bundled_check().score(chest_features(picture))[0]) < 0:
        raise Quarantined(_NO_FILM)


def _only_frame(dataset: FileDataset) -> NDArray[Any]:
    from medveil.cohort.dicom.read import frame_count
    from medveil.cohort.dicom.stored_pixels import StoredPixels

    if frame_count(dataset) > 1:
        raise Quarantined(_SEVERAL)
    stored = StoredPixels.of(dataset)
    assert stored is not None
    return stored.displayed(0)


def _put(subject: Subject, made: NDArray[np.uint8]) -> None:
    if subject.dataset is None:
        subject.picture = made
    else:
        _put_into(subject.dataset, made)


def _put_into(dataset: FileDataset, made: NDArray[np.uint8]) -> None:
    """The film in place of the old one, with nothing that described the old one."""
    from pydicom.uid import ExplicitVRLittleEndian

    dataset.walk(_forget_old)
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.Rows, dataset.Columns = made.shape[:2]
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.ImageType = ["DERIVED", *list(dataset.get("ImageType") or ["", "PRIMARY"])[1:]]
    if "PresentationLUTShape" in dataset:
        dataset.PresentationLUTShape = "IDENTITY"
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 8, 8, 7, 0
    dataset.PixelData = made.tobytes()
    dataset["PixelData"].VR = "OB"
    dataset["PixelData"].is_undefined_length = False


def _forget_old(dataset: Dataset, element: DataElement) -> None:
    if is_of_the_old_film(element):
        del dataset[element.tag]


def is_of_the_old_film(element: DataElement) -> bool:
    """What tells how the old film was taken, how its pixels were stored, and how large the body on it was: to whoever
    has the original's header, such numbers are as good as its name."""
    if element.tag.group in _ABOUT_TAKING_AND_STORING:
        return element.keyword not in _OF_ANY_FILM
    return element.keyword in _OF_THE_OLD_FILM


WRITTEN_ANEW = ("ImageType", "PresentationLUTShape")
_ABOUT_TAKING_AND_STORING = (0x0018, 0x0028)
_OF_ANY_FILM = (
    *("BodyPartExamined", "ViewPosition", "Rows", "Columns", "SamplesPerPixel", "PhotometricInterpretation"),
    *("BitsAllocated", "BitsStored", "HighBit", "PixelRepresentation", "QualityControlImage", "BurnedInAnnotation"),
    *("RecognizableVisualFeatures", "LongitudinalTemporalInformationModified"),
)
_OF_THE_OLD_FILM = (
    *("IconImageSequence", "ExtendedOffsetTable", "ExtendedOffsetTableLengths", "OriginalAttributesSequence"),
    *("PresentationLUTSequence", "RealWorldValueMappingSequence", "AcquisitionContextSequence"),
    *("EntranceDose", "EntranceDoseInmGy", "ExposedArea", "DistanceSourceToEntrance", "CommentsOnRadiationDose"),
    *("XRayOutput", "HalfValueLayer", "OrganDose", "OrganExposed", "ExposureDoseSequence", "FilmConsumptionSequence"),
    *("PatientSize", "PatientSizeCodeSequence", "PatientWeight", "PatientBodyMassIndex"),
    *("MeasuredAPDimension", "MeasuredLateralDimension"),
)
