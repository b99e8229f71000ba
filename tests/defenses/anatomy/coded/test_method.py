from __future__ import annotations

import inspect
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from medveil.cohort.schema import LABELS
from medveil.defenses.anatomy.coded.codebook import Codebook
from medveil.defenses.anatomy.coded.generator import Generator
from medveil.defenses.anatomy.coded.method import COLOUR, KNOWN, Coded
from medveil.defenses.anatomy.coded.semantics import FIELDS, VIEW, with_table
from medveil.defenses.anatomy.method import Film
from medveil.errors import InputError, Quarantined, SettingsError
from tests.defenses.anatomy.conftest import Luck


def test_the_generator_is_given_integers_and_luck_and_nothing_else() -> None:
    parameters = inspect.signature(Generator.draw).parameters
    kinds = {name: one.annotation for name, one in parameters.items() if name != "self"}
    assert kinds.pop("steps") == "int | None"  # one setting for all films
    assert kinds == {"codes": "Sequence[int]", "bits": "int", "chance": "Sequence[np.random.Generator]"}


def test_films_of_one_code_become_the_same_film_with_the_same_luck(coded: Coded, three: list[Film], luck: Luck) -> None:
    """Whatever else differs between them."""
    first, second = coded.codes(three[:2], 1)
    assert first == second
    made = [coded.protect([film], 1, luck(1))[0].tobytes() for film in (three[0], three[1])]
    assert made[0] == made[1]


def test_another_code_or_other_luck_makes_another_film(generator: Generator, luck: Luck) -> None:
    one, same, other = (generator.draw([code], 8, luck(1))[0] for code in (3, 3, 200))
    assert (one == same).all() and (one != other).any()
    assert (one != generator.draw([3], 8, luck(1, seed=1))[0]).any()


def test_company_changes_nothing(coded: Coded, three: list[Film], luck: Luck) -> None:
    together = coded.protect(three[:2], 8, luck(2))
    alone = [coded.protect([film], 8, [one])[0] for film, one in zip(three[:2], luck(2), strict=True)]
    assert [one.tobytes() for one in together] == [one.tobytes() for one in alone]
    assert together[0].shape == (256, 256) and together[0].dtype == np.uint8


def test_codes_keep_below_the_level_and_the_dial_is_told(coded: Coded, three: list[Film]) -> None:
    for level in coded.levels:
        assert all(0 <= code < 2**level for code in coded.codes(three, level))
        assert coded.bits(level) == level and coded.guarantee(level).kind == "formal"
    assert list(coded.levels) == sorted(coded.levels, reverse=True)
    for wrong in (0, 17, 2.5):
        with pytest.raises(SettingsError):
            coded.bits(wrong)


def test_what_the_table_tells_goes_into_the_code(coded: Coded, codebook: Codebook, three: list[Film]) -> None:
    ill = replace(three[0], fields=dict.fromkeys(LABELS, 1.0) | {"view": "AP"})
    well = replace(three[0], fields=dict.fromkeys(LABELS, 0.0) | {"view": "PA"})
    assert coded.codes([ill], 16) != coded.codes([well], 16)


def test_the_labels_are_those_of_the_cohort() -> None:
    assert FIELDS[: len(LABELS)] == LABELS


def test_the_table_is_believed_and_what_it_does_not_mention_is_absent() -> None:
    seen = np.full(len(FIELDS), 0.25, np.float32)
    told = with_table(seen, {"Edema": 1, "Pneumonia": -1, "Fracture": float("nan"), "view": "AP"})
    assert told[LABELS.index("Edema")] == 1 and told[LABELS.index("Pneumonia")] == 0.5
    assert told[LABELS.index("Fracture")] == told[LABELS.index("Cardiomegaly")] == 0
    assert told[FIELDS.index(VIEW)] == 1
    assert (told[len(LABELS) : FIELDS.index(VIEW)] == 0.25).all()
    for missing in (None, float("nan"), pd.NA, ""):
        assert (with_table(seen, {"Edema": missing, "view": missing}) == seen).all()


def test_a_film_in_colour_is_set_aside_with_the_reason(coded: Coded, three: list[Film], luck: Luck) -> None:
    film = Film(np.repeat(three[0].pixels[..., None], 3, axis=2))
    assert coded.refusal(film) == COLOUR
    with pytest.raises(Quarantined, match=COLOUR):
        coded.protect([three[0], film], 4, luck(2))
    assert coded.refusal(three[0]) is None


def test_a_film_that_is_not_prepared_is_told(coded: Coded) -> None:
    with pytest.raises(SettingsError, match="prepared"):
        coded.refusal(Film(np.zeros((512, 512), np.uint8)))


def test_a_film_that_the_generator_has_learned_from_is_refused(
    coded: Coded, weights: Path, three: list[Film], luck: Luck
) -> None:
    known = three[2]
    stored_anew = np.clip(known.pixels.astype(int) + 3, 0, 255).astype(np.uint8)
    for pixels in (known.pixels, stored_anew):
        assert coded.refusal(replace(known, pixels=pixels)) == KNOWN
    with pytest.raises(Quarantined, match="learned from"):
        coded.protect([known], 4, luck(1))
    assert Coded(weights=weights, measuring=True).refusal(known) is None


@pytest.mark.parametrize(
    ("card", "reason"),
    [
        ({}, "never audited"),
        ({"memorisation": {"spaces": {}}}, "never audited"),
        ({"memorisation": {"memorised": True}}, "nearer to its training films"),
        ({"memorisation": {"memorised": "no"}}, "nearer to its training films"),
    ],
)
def test_a_generator_that_was_not_audited_or_failed_is_not_loaded(
    weights: Path, tmp_path: Path, three: list[Film], card: dict[str, object], reason: str
) -> None:
    path = Path(shutil.copy(weights, tmp_path))
    path.with_suffix(".json").write_text(json.dumps(card))
    with pytest.raises(InputError, match=reason):
        Coded(weights=path).codes(three, 3)


def test_another_file_is_told(weights: Path, tmp_path: Path, three: list[Film]) -> None:
    path = tmp_path / "coded.safetensors"
    path.write_bytes(weights.with_name("autoencoder.safetensors").read_bytes())
    shutil.copy(weights.with_suffix(".json"), path.with_suffix(".json"))
    with pytest.raises(InputError, match="not a coded generator"):
        Coded(weights=path).codes(three, 3)


def test_every_film_has_luck_of_its_own(coded: Coded, three: list[Film], luck: Luck) -> None:
    with pytest.raises(SettingsError, match="of its own"):
        coded.protect(three[:2], 4, luck(1))
