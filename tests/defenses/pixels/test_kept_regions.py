"""What a person lets stay is read, whichever way up it stands; what is known of the patient is found in it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from medveil.defenses.pixels.choices import Choices
from medveil.defenses.pixels.kept_regions import IDENTIFIES, refuse_what_identifies, says_what_is_known
from medveil.errors import Quarantined
from medveil.parts import Subject
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from medveil.person.search.known import KnownSearch

KNOWN = (Known(Category.NAME, "Pemberton^John"), Known(Category.MRN, "MR-0012345"), Known(Category.DATE, "19500314"))
REGION = (40, 150, 360, 190)


def film(text: str) -> NDArray[np.uint8]:
    rng = np.random.default_rng(3)
    image = cv2.GaussianBlur(rng.normal(90, 30, (400, 400)), (0, 0), 9).clip(0, 255).astype(np.uint8)
    cv2.putText(image, text, (50, 180), cv2.FONT_HERSHEY_SIMPLEX, 0.8, 250, 2, cv2.LINE_AA)
    return image


def turned(image: NDArray[np.uint8], quarters: int) -> tuple[NDArray[np.uint8], tuple[int, int, int, int]]:
    """The film and the region in it, turned counter-clockwise."""
    left, top, right, bottom = REGION
    mark = np.zeros(image.shape, np.uint8)
    mark[top:bottom, left:right] = 1
    x, y, width, height = cv2.boundingRect(np.ascontiguousarray(np.rot90(mark, quarters)))
    return np.ascontiguousarray(np.rot90(image, quarters)), (x, y, x + width, y + height)


@pytest.mark.parametrize(("text", "quarters"), [("PEMBERTON JOHN", 0), ("MR-0012345", 1), ("14.03.1950", 2)])
def test_what_is_known_is_found(text: str, quarters: int) -> None:
    image, region = turned(film(text), quarters)
    assert says_what_is_known([image], [region], KnownSearch(KNOWN))


def test_what_is_not_known_or_stands_elsewhere_may_stay() -> None:
    search = KnownSearch(KNOWN)
    assert not says_what_is_known([film("FRAGILE GLASS")], [REGION], search)
    assert not says_what_is_known([film("PEMBERTON JOHN")], [(40, 300, 360, 340)], search)


def test_a_film_is_refused_for_what_a_person_let_stay_alone() -> None:
    person = Person(Keys(b"\x07" * 32), "MR-0012345", KNOWN)
    subject = Subject(person, picture=film("PEMBERTON JOHN"), doubtful=[()])
    refuse_what_identifies(subject)  # nobody chose anything
    subject.choices = {0: Choices(remove=(REGION,))}
    refuse_what_identifies(subject)
    for subject.choices, subject.doubtful in (
        ({0: Choices(keep=(REGION,))}, [()]),
        ({0: Choices(accept=True)}, [(REGION,)]),
    ):
        with pytest.raises(Quarantined, match=IDENTIFIES):
            refuse_what_identifies(subject)
