from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.errors import InputError
from medveil.utility.lungs.network import load_lungs
from medveil.utility.lungs.segmenter import load_segmenter
from medveil.weights.bundled import bundled, read_card


@pytest.mark.parametrize("number", range(4))
def test_the_lungs_of_a_phantom_are_found(number: int) -> None:
    patient = plan_patient(77, number, 3)
    drawing = draw(patient, patient.visits[0], sites_seed=77, size=320)
    lungs = load_segmenter().mask(drawing.pixels)
    assert lungs.shape == drawing.lungs.shape
    assert lungs[drawing.lungs].mean() > 0.93  # it also counts what lies behind the heart
    outside = ~(drawing.lungs | drawing.heart)
    assert lungs[outside].mean() < 0.08


def test_depth_and_size_do_not_matter() -> None:
    patient = plan_patient(77, 9, 3)
    deep = draw(patient, patient.visits[0], sites_seed=77, size=512).pixels
    flat = np.repeat(np.repeat((deep[::2, ::2] >> 4).astype(np.uint8), 2, axis=0), 2, axis=1)
    one, other = load_segmenter().masks([deep, flat])
    assert (one & other).sum() / (one | other).sum() > 0.95


def test_nothing_is_found_where_there_is_nothing() -> None:
    assert not load_segmenter().mask(np.zeros((100, 60), np.uint8)).any()


def test_other_weights_are_refused() -> None:
    with pytest.raises(InputError, match="not a lung network"):
        load_lungs(bundled("reader"))


def test_the_card_tells_of_these_weights() -> None:
    card = read_card(bundled("lungs"))
    assert card["scores"]["covid19 (external), 384 px: model"]["Dice"]["n"] == 191


@pytest.mark.real_data
def test_real_lungs_are_found(real_data: Path) -> None:
    """A few films of the card's; what it scores on all of them is in the card."""
    folder, found = real_data / "covid19", []
    with (folder / "metadata.csv").open(newline="") as file:
        stems = [Path(row["file"]) for row in csv.DictReader(file)]
    for file in [one for one in stems if (folder / "lungs" / f"{one.stem}.png").is_file()][::12]:
        film = np.asarray(Image.open(folder / "images" / file).convert("L"))
        outline = Image.open(folder / "lungs" / f"{file.stem}.png").convert("L").resize(film.shape[::-1])
        truth, lungs = np.asarray(outline) > 127, load_segmenter().mask(film)
        found.append(2 * (truth & lungs).sum() / (truth.sum() + lungs.sum()))
    assert np.mean(found) > 0.85
