"""The generator that comes with medveil."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from medveil.cohort.schema import LABELS
from medveil.defenses.anatomy.coded.method import KNOWN, Coded
from medveil.defenses.anatomy.coded.semantics import FIELDS, with_table
from medveil.defenses.anatomy.method import Film, load_method
from medveil.encoders.findings.classifier import load_classifier
from medveil.encoders.identity.preparing import prepare
from medveil.weights.bundled import bundled, read_card
from tests.defenses.anatomy.conftest import Luck


def test_it_was_audited_and_is_small() -> None:
    card = read_card(bundled("coded"))
    assert card["memorisation"]["memorised"] is False
    for space in card["memorisation"]["spaces"].values():
        assert space["drawn"] <= space["held_out"]
    assert sum(bundled(name).stat().st_size for name in ("coded", "autoencoder")) < 9.5e6


@pytest.mark.slow
def test_it_draws_what_the_code_says(luck: Luck) -> None:
    """With an effusion and without."""
    coded = load_method("coded")
    assert isinstance(coded, Coded)
    ill = dict.fromkeys(LABELS, 0.0) | {"Pleural Effusion": 1.0}
    well = dict.fromkeys(LABELS, 0.0) | {"No Finding": 1.0}
    nothing = np.zeros(len(FIELDS), np.float32)
    codes = [coded._workshop.codebook.code(with_table(nothing, row), False, 8) for row in (ill, well)]
    films = [coded._workshop.generator.draw([code] * 4, 8, luck(4)) for code in codes]
    classifier = load_classifier()
    effusion = classifier.findings.index("Effusion")
    shown = [float(classifier.probabilities(some)[:, effusion].mean()) for some in films]
    assert shown[0] > 10 * shown[1]
    assert all(40 < np.mean(film) < 220 and np.std(film) > 20 for some in films for film in some)


@pytest.mark.real_data
def test_training_films_are_refused_and_others_are_not(real_data: Path) -> None:
    coded = Coded()
    listed = [line.split(",") for line in (real_data / "nih14" / "split.csv").read_text().splitlines()]
    place = {name: listed[0].index(name) for name in ("file", "split")}
    for split, known in (("train", True), ("val", False)):
        names = [row[place["file"]] for row in listed[1:] if row[place["split"]] == split]
        for name in names[::25]:
            with Image.open(real_data / "nih14" / "images" / name) as film:
                assert (coded.refusal(Film(prepare(np.asarray(film.convert("L"))))) == KNOWN) is known
