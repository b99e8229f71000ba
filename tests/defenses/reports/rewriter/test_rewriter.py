"""The bundled rewriter: what it makes of texts, and what it cannot do whatever its weights say."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import torch
from safetensors.torch import save

from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.defenses.reports.rewriter.faithfulness import is_faithful
from medveil.defenses.reports.rewriter.model_file import RewriterModel, load_model, save_model
from medveil.defenses.reports.rewriter.network import RewriterNetwork, Sizes
from medveil.defenses.reports.rewriter.rewriter import BundledRewriter
from medveil.defenses.reports.rewriter.tokens import PLACEHOLDER, read
from medveil.defenses.reports.rewriting import says_something
from medveil.errors import InputError
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from medveil.weights.bundled import bundled, read_card

BLANKED = (
    "[HOSPITAL]\nPatient: [NAME]   MRN: [MRN]\nDOB: 07/29/1971   Exam date: 06/12/2018 [TIME]\n\n"
    "[NAME] is a 54-year-old woman with no left effusion; a 1.5 x 2 cm nodule, EF 40-45%, HR <60.\n"
    "Findings were discussed with Dr. [DOCTOR], M.D. at [TIME] on 06/12/2018.\nSigned by: [DOCTOR], MD"
)


@pytest.fixture(scope="module")
def model() -> RewriterModel:
    return load_model(bundled("rewriter"))


def test_a_report_reads_without_its_placeholders(model: RewriterModel) -> None:
    made = BundledRewriter(model).rewrite(BLANKED)
    assert made is not None
    assert "The patient is a 54-year-old woman with no left effusion; a 1.5 x 2 cm nodule, EF 40-45%, HR <60." in made
    assert re.search(r"Findings were discussed with \w+ \w+ on 06/12/2018\.", made)
    assert not re.search(r"\[|MRN|Dr\.|M\.D\.", made)
    assert "DOB: 07/29/1971" in made and "Exam date: 06/12/2018" in made


def test_the_oldest_are_told_alike_and_other_languages_left_alone(model: RewriterModel) -> None:
    rewriter = BundledRewriter(model)
    made = rewriter.rewrite("[NAME] is a [AGE OVER 89]-year-old man.")
    assert made == "The patient is a 90+-year-old man."
    german = (
        "Der Patient wurde von Dr. [DOCTOR] mit der Diagnose und ohne Befund nicht in die Klinik verlegt, die Herzgröße"
    )
    assert rewriter.rewrite(german) is None


def test_its_words_say_nothing_of_a_patient(model: RewriterModel) -> None:
    plain = model.plain
    for word in (*plain.leaves, *plain.titles, *plain.written):
        assert not says_something(word) and not re.search(r"\d", word)
    assert not {"no", "not", "or", "without", "pa", "ap"} & (plain.leaves | plain.titles | set(plain.written))


@pytest.mark.parametrize("seed", range(4))
def test_even_random_weights_falsify_nothing(model: RewriterModel, seed: int) -> None:
    torch.manual_seed(seed)
    network = RewriterNetwork(len(model.plain.written), model.network.sizes).eval()
    made = BundledRewriter(replace(model, network=network)).rewrite(BLANKED)
    if made is not None:  # too bold, and refused
        assert is_faithful(BLANKED, made, model.plain) and not PLACEHOLDER.search(made)
        numbers = [token.text for token in read(BLANKED) if token.is_number]
        assert [token.text for token in read(made) if token.is_number] == numbers


def test_it_is_what_rewrites_unless_another_is_named() -> None:
    owner = Person(Keys.for_demonstration(1), "7700123", (Known(Category.NAME, "Quimbeck^Orrin"),), "M")
    text = "Mr. Quimbeck is a 54-year-old man with no left effusion. Discussed with Dr. Hartwell on 03/14/2021."
    cleaned = ReportCleaner(style="rewritten").clean(text, owner)
    assert not cleaned.not_rewritten
    assert cleaned.text.startswith("The patient is a 54-year-old man with no left effusion.")
    assert "Hartwell" not in cleaned.text and "03/14/2021" not in cleaned.text


def test_an_age_of_ninety_and_more_is_no_leak() -> None:
    """What stands for it is a number that the search would take for one."""
    stranger = Person(Keys.for_demonstration(1), "8")
    cleaned = ReportCleaner(style="rewritten").clean("Mr. Quimbeck is a 96-year-old man with a nodule.", stranger)
    assert not cleaned.not_rewritten and cleaned.text == "The patient is a 90+-year-old man with a nodule."


def test_a_phrase_keeps_its_placeholder() -> None:
    owner = Person(Keys.for_demonstration(1), "7700123", (Known(Category.NAME, "Quimbeck^Orrin"),), "M")
    cleaned = ReportCleaner(style="rewritten").clean_phrase("Chest of Quimbeck", owner)
    assert "[PATIENT" in cleaned.text and not cleaned.not_rewritten


def test_what_is_saved_is_nearly_what_is_loaded(model: RewriterModel, tmp_path) -> None:
    path = tmp_path / "rewriter.safetensors"
    small = RewriterModel(RewriterNetwork(len(model.plain.written), Sizes(64, 64, 8, 16, 16, 8)), model.plain)
    save_model(path, small)
    loaded = load_model(path)
    assert loaded.plain == model.plain and loaded.network.sizes == small.network.sizes
    for name, value in small.network.state_dict().items():
        assert torch.allclose(loaded.network.state_dict()[name], value, atol=0.02 * float(value.abs().max()))


@pytest.mark.parametrize("damage", [b"", b"no weights", save({"a": torch.zeros(1)})])
def test_a_damaged_file_is_told(tmp_path, damage: bytes) -> None:
    path = tmp_path / "rewriter.safetensors"
    path.write_bytes(damage)
    with pytest.raises(InputError, match="rewriter"):
        load_model(path)


def test_the_card_is_of_these_weights() -> None:
    assert read_card(bundled("rewriter"))["name"] == "medveil-rewriter"
