from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from medveil.attacks.identity.copies import AGREEMENT, agreement, find_copies
from medveil.attacks.identity.embedded_images import pixel_digest
from medveil.cohort.features import thumbnail
from medveil.cohort.input import read_cohort

Change = Callable[[np.ndarray], np.ndarray]
CHANGES: dict[str, Change] = {
    "JPEG": lambda i: cv2.imdecode(cv2.imencode(".jpg", i, [cv2.IMWRITE_JPEG_QUALITY, 85])[1], 0),
    "smaller": lambda i: cv2.resize(i, (180, 180), interpolation=cv2.INTER_AREA),
    "cropped": lambda i: i[5:-5, 5:-5],
    "brighter": lambda i: np.clip(i * 0.7 + 40, 0, 255).astype(np.uint8),
    "other curve": lambda i: (255 * (i / 255) ** 0.7).astype(np.uint8),
    "16 bits": lambda i: i.astype(np.uint16) * 257,
    "corner covered": lambda i: np.where(np.indices(i.shape).max(axis=0) < 50, 0, i).astype(np.uint8),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_picture_agrees_with_itself_saved_anew(change: Change, clinic: Any) -> None:
    picture = clinic.chest(3, 0)
    assert agreement(picture, change(picture)) >= AGREEMENT


def test_another_visit_is_no_copy(clinic: Any) -> None:
    assert all(agreement(clinic.chest(k, 0), clinic.chest(k, 1)) < AGREEMENT for k in range(6))


def test_flat_images_agree_with_nothing() -> None:
    assert agreement(np.zeros((50, 50), np.uint8), np.zeros((50, 50), np.uint8)) < 0


def test_groups_of_copies(clinic: Any, tmp_path: Path) -> None:
    """Two pictures: one three times (as it is, again, and brighter), one alone."""
    first = clinic.chest(0, 0)
    pictures = [first, clinic.chest(1, 0), first.copy(), CHANGES["brighter"](first)]
    for number, picture in enumerate(pictures):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture)
    thumbs = np.stack([thumbnail(picture).astype(np.float16) for picture in pictures])
    vectors = np.eye(4, 8, dtype=np.float32)  # the thumbnails alone must bring them together
    digests = np.array([pixel_digest(picture) for picture in pictures], dtype="V32")
    copies = find_copies(digests, thumbs, vectors, [(tmp_path, f"{k}.png", 0) for k in range(4)])
    assert (copies.exact, copies.near) == (1, 1)
    assert copies.pictures[0] == copies.pictures[2] == copies.pictures[3] != copies.pictures[1]
    assert copies.first.tolist() == [True, True, False, False]


def test_a_digest_is_of_pixels_size_and_depth() -> None:
    image = np.zeros((4, 6), np.uint8)
    others = [image.T, image.astype(np.uint16)[:, :3], image + 1]
    assert len({pixel_digest(each) for each in (image, image.copy(), np.asfortranarray(image), *others)}) == 4


@pytest.mark.real_data
def test_real_visits_that_look_most_alike_are_no_copies(real_data: Path) -> None:
    cohort = read_cohort(real_data / "nih14")
    keep = cohort.where(cohort.table["split"] == "val")
    images = list(keep.images())
    thumbs = np.stack([thumbnail(image) for image in images])
    patients = keep.table["patient_id"].to_numpy()
    scores = np.where(patients[:, None] == patients[None, :], np.triu(thumbs @ thumbs.T, 1), -1)
    order = np.argsort(scores, axis=None)[::-1][:100]
    pairs = zip(*np.unravel_index(order, scores.shape), strict=True)
    assert max(agreement(images[a], images[b]) for a, b in pairs) < AGREEMENT
