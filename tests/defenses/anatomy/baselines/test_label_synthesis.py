from __future__ import annotations

import numpy as np
import pytest

from medveil.defenses.anatomy.baselines.label_synthesis import ORDER, LabelSynthesis, label_codebook
from medveil.defenses.anatomy.coded.semantics import FIELDS
from medveil.defenses.anatomy.method import Film
from medveil.errors import Quarantined


def test_a_code_tells_the_labels_and_nothing_else() -> None:
    usual = np.linspace(-1, 1, len(FIELDS)).astype(np.float32)
    book = label_codebook(usual)
    shown = usual.copy()
    for label in ORDER:
        shown[FIELDS.index(label)] = label in ("Lung Opacity", "Atelectasis", "Fracture")
    for bits in (2, 5, 15):
        mean, drawn = book.meaning(book.code(shown, True, bits), bits)
        assert drawn
        told = [FIELDS.index(label) for label in ORDER[: bits - 1]]
        assert np.array_equal(mean[told], shown[told])
        rest = [number for number in range(len(FIELDS)) if number not in told]
        assert np.array_equal(mean[rest], usual[rest])
    codes = {book.code(np.full(len(FIELDS), value, np.float32), drawn, 2) for value in (0, 1) for drawn in (0, 1)}
    assert codes == {0, 1, 2, 3}


def test_a_film_without_labels_is_set_aside() -> None:
    nothing = Film(np.zeros((256, 256), np.uint8), {"Edema": float("nan"), "view": "PA"})
    with pytest.raises(Quarantined, match="without labels"):
        LabelSynthesis().codes([nothing], 3)
