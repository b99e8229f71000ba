"""A user's own token classifier of the hub's kind (BioBERT, ClinicalBERT and the like) in place of the bundled tagger.

It is read from a folder, with weights in safetensors only; nothing is fetched, and no code of the model's own is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.reports.tagger.tagged_text import TaggedText
from medveil.defenses.reports.tagger.tokens import Tokens, tokenise
from medveil.encoders.published.libraries import library
from medveil.errors import InputError, SettingsError
from medveil.person.identifiers import Category
from medveil.person.span import Span

_SURE = 0.5  # a word goes free if the model is at least so sure that it identifies nobody
_LONGEST = 512  # pieces of words read at once, unless the model says fewer
_OVERLAP = 64
_BATCH = 8  # windows

# What published models call their kinds. Ages count from 90; professions, states and countries identify nobody alone.
_KINDS: dict[Category | None, str] = {
    Category.NAME: "name names patient patientname per pers person username",
    Category.DOCTOR: "doctor doctorname hcw staff staffname physician provider",
    Category.INITIALS: "initials",
    Category.DATE: "date dates dob birthdate",
    Category.TIME: "time",
    Category.AGE_OVER_89: "age ageover89",
    Category.MRN: "mrn id idnum medicalrecord patientid",
    Category.ACCESSION: "accession",
    Category.SSN: "ssn",
    Category.HEALTH_PLAN: "healthplan healthplannumber insurance",
    Category.PHONE: "phone telephone contact pager",
    Category.FAX: "fax",
    Category.EMAIL: "email",
    Category.URL: "url web",
    Category.ADDRESS: "address location loc gpe city street zip postcode locationother village",
    Category.COUNTY: "county",
    Category.HOSPITAL: "hospital org organization organisation vendor facility fac institution",
    Category.DEVICE_SERIAL: "device deviceserial serial",
    Category.UID: "uid",
    Category.VEHICLE: "vehicle license plate",
    Category.NETWORK: "ip ipaddress network",
    Category.BIOMETRIC: "bioid biometric",
    Category.OTHER_ID: "otherid account other otherphi phi",
    None: "o none misc profession state country",
}
_CATEGORIES = {name: category for category, names in _KINDS.items() for name in names.split()}
_POSITION = re.compile(r"^(?P<place>[BILUES])[-_](?=\w)|[-_](?P<after>[BILUES])$", re.IGNORECASE)


class _Label(NamedTuple):
    category: Category | None
    begins: bool  # the first word of a piece


class TokenClassifier:
    """`folder` holds config.json, model.safetensors and the tokenizer's files."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InputError(f"there is no folder {folder}; a tagger is read from a folder on this machine")
        self.folder = folder
        self._one_at_a_time = Lock()

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        return [tagged.found for tagged in self.tag(texts)]

    def tag(self, texts: Sequence[str]) -> list[TaggedText]:
        return [self._tagged(text) for text in texts]

    def _tagged(self, text: str) -> TaggedText:
        tokens = tokenise(text)
        chances = self._chances(text, tokens)
        p_none = chances[:, self._free].sum(1) if len(tokens) else np.ones(0, np.float32)
        identifying = np.where(self._free, 0, chances)
        best = identifying.argmax(1) if len(tokens) else np.zeros(0, np.int64)
        found: list[Span] = []
        last: tuple[int, Category] | None = None
        for place in np.flatnonzero(p_none < _SURE).tolist():
            category, begins = self._labels[best[place]]
            if category is None or (category is Category.AGE_OVER_89 and not _is_old(tokens.words[place])):
                continue
            start, end = int(tokens.starts[place]), int(tokens.ends[place])
            if last == (place - 1, category) and not begins:
                found[-1] = Span(found[-1].start, end, category)
            else:
                found.append(Span(start, end, category))
            last = (place, category)
        return TaggedText(found, tokens, p_none.astype(np.float32))

    def _chances(self, text: str, tokens: Tokens) -> NDArray[np.float32]:
        """Tokens × labels. Of the pieces of a word, and of the windows it is read in, the surest that it identifies."""
        chances = np.zeros((len(tokens), len(self._labels)), np.float32)
        least = np.full(len(tokens), np.inf, np.float32)
        for places, said in self._windows(text) if len(tokens) else ():
            first = np.searchsorted(tokens.ends, places[:, 0], "right")
            last = np.searchsorted(tokens.starts, places[:, 1], "left")
            free = said[:, self._free].sum(1)
            for at in np.flatnonzero(places[:, 1] > places[:, 0]).tolist():
                own = slice(first[at], last[at])
                surer = free[at] < least[own]
                chances[own][surer] = said[at]
                least[own][surer] = free[at]
        unread = ~np.isfinite(least)  # signs the model has no piece for
        chances[unread] = self._free / self._free.sum()
        return chances

    def _windows(self, text: str) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        """Where each piece of a word stands, and the chances of its labels."""
        import torch

        tokenizer, model = self._loaded
        longest = min(_LONGEST, int(tokenizer.model_max_length), int(model.config.max_position_embeddings))
        with self._one_at_a_time:  # a tokenizer keeps the length it cuts to
            read = tokenizer(
                text,
                return_offsets_mapping=True,
                return_overflowing_tokens=True,
                truncation=True,
                max_length=longest,
                stride=min(_OVERLAP, longest // 4),
                padding=True,
                return_tensors="pt",
            )
        for start in range(0, len(read["input_ids"]), _BATCH):
            some = slice(start, start + _BATCH)
            with torch.inference_mode():
                said = model(input_ids=read["input_ids"][some], attention_mask=read["attention_mask"][some]).logits
            for places, chances in zip(read["offset_mapping"][some], said.float().softmax(-1), strict=True):
                yield places.numpy(), chances.numpy()

    @cached_property
    def _labels(self) -> list[_Label]:
        names = self._loaded[1].config.id2label
        labels = {number: _label(str(name)) for number, name in names.items()}
        unknown = sorted({str(names[number]) for number, label in labels.items() if label is None})
        if unknown:
            raise SettingsError(
                f"{self.folder} has labels of unknown kinds ({', '.join(unknown[:5])}); rename them in its "
                f"config.json, as {', '.join(category for category in list(Category)[:6])} and the like, or O"
            )
        found = [label for _, label in sorted(labels.items()) if label is not None]
        if not any(label.category for label in found) or all(label.category for label in found):
            raise SettingsError(f"{self.folder} must have a label for words that identify nobody, and others")
        return found

    @cached_property
    def _free(self) -> NDArray[np.bool_]:
        """Labels of words that identify nobody."""
        return np.array([label.category is None for label in self._labels])

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        transformers = library("transformers")
        wrong = InputError(
            f"{self.folder} holds no token classifier with a fast tokenizer and safetensors weights; name another"
        )
        if not any(self.folder.glob("*.safetensors")):
            raise wrong
        kept: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(self.folder, use_fast=True, **kept)
            model = transformers.AutoModelForTokenClassification.from_pretrained(
                self.folder, use_safetensors=True, **kept
            )
        except (OSError, ValueError, KeyError):
            raise wrong from None
        if not getattr(tokenizer, "is_fast", False):
            raise wrong
        return tokenizer, model.eval()


def _label(name: str) -> _Label | None:
    """`B-PATIENT`, `I-PATIENT`, `PATIENT`, `O`; None where its kind is not known."""
    position = _POSITION.search(name)
    kind = re.sub(r"[\W_]", "", _POSITION.sub("", name, count=1)).lower()
    if kind not in _CATEGORIES:
        return None
    place = (position["place"] or position["after"]).upper() if position else ""
    return _Label(_CATEGORIES[kind], begins=place in ("B", "U", "S"))


def _is_old(word: str) -> bool:
    return (word.isdecimal() and 90 <= int(word) < 130) or word.lower().startswith(("ninet", "nonag", "centen"))
