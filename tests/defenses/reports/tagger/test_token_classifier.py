"""A tiny token classifier, made here and taught five words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.defenses.reports.defense import CleanReports
from medveil.defenses.reports.tagger.token_classifier import TokenClassifier
from medveil.encoders.published.libraries import library
from medveil.errors import InputError, SettingsError
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Person

LABELS = ("O", "B-STAFF", "I-STAFF", "B-AGE", "B-HOSP")
TAUGHT = {"zbrozek": "B-STAFF", "quill": "I-STAFF", "94": "B-AGE", "56": "B-AGE", "wexholm": "B-HOSP"}
PLAIN = "the heart is normal and zebras went to see dr . , at years old".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    transformers = library("transformers")
    words = ["[PAD]", "[UNK]", *TAUGHT, *PLAIN]
    inner = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="[UNK]"))
    inner.normalizer = normalizers.Lowercase()
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="[PAD]", unk_token="[UNK]", model_max_length=16
    )
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        num_labels=len(LABELS),
        id2label=dict(enumerate(name.replace("HOSP", "HOSPITAL") for name in LABELS)),
    )
    model = transformers.BertForTokenClassification(config)
    steps = torch.optim.Adam(model.parameters(), 3e-2)
    draws = torch.Generator().manual_seed(0)
    for _ in range(80):
        rows = torch.randint(1, len(words), (16, 12), generator=draws)
        wanted = torch.tensor([[LABELS.index(TAUGHT.get(words[at], "O")) for at in row] for row in rows.tolist()])
        loss = model(input_ids=rows, attention_mask=torch.ones_like(rows), labels=wanted).loss
        steps.zero_grad()
        loss.backward()
        steps.step()
    made = tmp_path_factory.mktemp("classifier")
    model.save_pretrained(made)
    tokenizer.save_pretrained(made)
    return made


def test_its_labels_are_read_as_kinds_of_identifiers(folder: Path) -> None:
    text = "The zebras went to see dr. Zbrozek Quill, 94 years old, at Wexholm. And the heart is normal, 56 years."
    (tagged,) = TokenClassifier(folder).tag([text])
    said = [(text[one.start : one.end], one.category) for one in tagged.found]
    assert said == [
        ("Zbrozek Quill", Category.DOCTOR),
        ("94", Category.AGE_OVER_89),
        ("Wexholm", Category.HOSPITAL),
    ]  # of ages only those of 90 and more; and the text is longer than the model reads at once
    assert len(tagged.p_none) == len(tagged.tokens)
    assert (
        tagged.p_none[tagged.tokens.words.index("heart")] > 0.9 > 0.1 > tagged.p_none[tagged.tokens.words.index("94")]
    )


def test_it_takes_the_place_of_the_bundled_tagger(folder: Path) -> None:
    text = "The zebras went to Wexholm and the heart is normal."
    person = Person(Keys.for_demonstration(1), "1")
    cleaner = ReportCleaner(tagger=TokenClassifier(folder))
    assert any(text[one.start : one.end] == "Wexholm" for one in TokenClassifier(folder).find([text])[0])
    assert cleaner.clean("", person).text == ""
    defense = CleanReports(Keys.for_demonstration(1), CleanReports.Settings(tagger=str(folder)))
    defense.check_models()
    assert isinstance(defense.cleaner._tagger, TokenClassifier)


def test_labels_that_nobody_knows_are_told(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config["id2label"] = {number: f"LABEL_{number}" for number in config["id2label"]}
    config["label2id"] = {name: int(number) for number, name in config["id2label"].items()}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(SettingsError, match=r"LABEL_0.*config\.json"):
        TokenClassifier(tmp_path).tag(["seen"])


def test_a_folder_without_safetensors_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickled")
    with pytest.raises(InputError, match="safetensors"):
        TokenClassifier(tmp_path).tag(["seen"])
    with pytest.raises(InputError, match="no folder"):
        TokenClassifier(tmp_path / "elsewhere")
