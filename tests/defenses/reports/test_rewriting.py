"""A tiny text-to-text model, made here: untrained it loses everything, and one taught one sentence keeps it."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest

from medveil.defenses.reports.cleaner import CleanedText, ReportCleaner
from medveil.defenses.reports.rewriting import PROMPT, Rewriter
from medveil.encoders.published.libraries import library
from medveil.errors import InputError, SettingsError
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person

PERSON = Person(Keys.for_demonstration(1), "77")
TEXT = "Dr. Hartwell reports no left effusion.\nThe heart is normal."
CENSORED = "Dr. [DOCTOR] reports no left effusion."
FLUENT = "The physician reports no left effusion."


def save_model(folder: Path, *, taught: bool) -> Path:
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers

    transformers = library("transformers")

    words = sorted({*PROMPT.format(text=CENSORED).split(), *FLUENT.split()})
    vocabulary = {word: place for place, word in enumerate(["<pad>", "</s>", "<unk>", *words])}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    torch.manual_seed(0)
    config = transformers.T5Config(
        vocab_size=len(vocabulary),
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=1,
        num_heads=2,
        dropout_rate=0.0,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
    )
    model = transformers.T5ForConditionalGeneration(config)
    if taught:
        asked = tokenizer(PROMPT.format(text=CENSORED), return_tensors="pt")
        wanted = tokenizer(FLUENT + " </s>", return_tensors="pt").input_ids
        steps = torch.optim.Adam(model.parameters(), 1e-2)
        for _ in range(60):
            loss = model(input_ids=asked.input_ids, attention_mask=asked.attention_mask, labels=wanted).loss
            steps.zero_grad()
            loss.backward()
            steps.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_a_model_that_keeps_the_content_rewrites(tmp_path: Path) -> None:
    cleaner = ReportCleaner(style="rewritten", rewriter=str(save_model(tmp_path, taught=True)), tagger=None)
    cleaned = cleaner.clean(TEXT, PERSON)
    assert cleaned.text == f"{FLUENT}\nThe heart is normal."
    assert not cleaned.not_rewritten


def test_a_model_that_loses_it_is_not_believed(tmp_path: Path) -> None:
    cleaner = ReportCleaner(style="rewritten", rewriter=str(save_model(tmp_path, taught=False)), tagger=None)
    cleaned = cleaner.clean(TEXT, PERSON)
    assert cleaned == replace(ReportCleaner(tagger=None).clean(TEXT, PERSON), not_rewritten=True)


def test_a_text_without_identifiers_never_meets_the_model() -> None:
    cleaner = ReportCleaner(style="rewritten", rewriter="/no/such/model", tagger=None)
    assert cleaner.clean("No acute process.", PERSON).text == "No acute process."


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="safetensors"):
        Rewriter(str(tmp_path)).rewrite("seen by [DOCTOR]")
    with pytest.raises(SettingsError):
        Rewriter(" ")


class Scribe:
    """Writes what it is given without the brackets of placeholders."""

    def __init__(self, *more: str) -> None:
        self.more = more

    def rewrite(self, censored: str) -> str:
        fluent = censored.replace("[DOCTOR]", "physician").replace("[PATIENT ", "patient ").replace("]", "")
        return " ".join((fluent, *self.more))


DATED = "Mr. Quimbeck (MRN 7700123) was seen by Dr. Hartwell on 03/14/2021; no left effusion since 3/2."
OWNER = Person(
    Keys.for_demonstration(1),
    "7700123",
    (Known(Category.NAME, "Quimbeck^Orrin"), Known(Category.DATE, "20210314")),
    "M",
)


def scribbled(*more: str) -> CleanedText:
    cleaner = ReportCleaner(style="rewritten", rewriter="/no/such/model", tagger=None)
    cleaner._rewriter = Scribe(*more)  # type: ignore[assignment]
    return cleaner.clean(DATED, OWNER)


def test_what_stands_for_something_is_no_leak() -> None:
    cleaned = scribbled()
    day = OWNER.moved(dt.date(2021, 3, 14))
    assert not cleaned.not_rewritten
    assert f"{day:%m/%d/%Y}" in cleaned.text and OWNER.pseudonym in cleaned.text and "physician" in cleaned.text


@pytest.mark.parametrize(
    "more", ["Quimbeck is well.", "Film of 03/14/2021.", "Film of 05/06/2020.", "Dr. Hartwell agrees."]
)
def test_anything_else_that_is_found_is_one(more: str) -> None:
    cleaned = scribbled(more)
    assert cleaned.not_rewritten and more not in cleaned.text
