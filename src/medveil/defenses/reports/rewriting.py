"""Rewriting by a user's own text-to-text model of the T5 kind: placeholders become fluent text, clinical content must
survive. The bundled rewriter is in `rewriter`.

The model comes from a folder on disk, or from the hub under a name the user gives; nothing else is fetched, weights
are safetensors only, and no code of the model's own is run.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Literal, get_args

from medveil.encoders.published.hub import fetch
from medveil.encoders.published.libraries import library
from medveil.errors import InputError, SettingsError

# How reports come out: the third leaves of every date the year alone, the last is made by a rewriter.
Style = Literal["surrogates", "placeholders", "safe-harbor", "rewritten"]
STYLES: tuple[Style, ...] = get_args(Style)
Dates = Literal["moved", "years"]
DATES: tuple[Dates, ...] = get_args(Dates)
# After the paper: the censored text goes in, the same text without gaps comes out.
PROMPT = "Rewrite the clinical text fluently without any private information, keeping its meaning: {text}"
_MOST_TOKENS = 512
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bSt\.)(?<!\bMrs\.)(?<!\bProf\.)(?=\s)|(?=\n)")
_PLACEHOLDER = re.compile(r"\[[A-Z0-9][A-Za-z0-9 ]*\]")
_MEASURE = re.compile(r"\d+(?:[.,]\d+)?\s*(?:mm|cm|ml|mg|%|x|french|fr|degrees?)?", re.IGNORECASE)
_CONTENT = re.compile(
    r"\b(?:no|not|without|neither|nor|never|absent|negative|denies|unlikely|cannot|left|right|bilateral(?:ly)?|upper|lower|"
    r"middle|mid|apical|basilar|base|bases|apex|lingula|pneumothorax|effusions?|edema|pneumonia|consolidation|opacit(?:y|ies)|"
    r"atelectasis|nodules?|mass|lesions?|cardiomegaly|fractures?|emphysema|fibrosis|granulomas?|scarring|thickening|"
    r"catheter|tube|line|pacemaker|wires|stent|clips|picc|ett|svc|carina|mild(?:ly)?|moderate(?:ly)?|severe(?:ly)?|small|"
    r"large|new|unchanged|stable|increased|decreased|resolved|worse|improved|normal|enlarged|acute|chronic|possible|"
    r"probable|suspected|pain|dyspnea|cough|fever|hypoxia|cancer|male|female|man|woman)\b",
    re.IGNORECASE,
)


class Rewriter:
    """`source` is a folder or a hub name."""

    def __init__(self, source: str) -> None:
        if not source.strip():
            raise SettingsError("no rewriting model is named; give a folder or a hub name")
        self._source = source
        self._one_at_a_time = Lock()

    def rewrite(self, censored: str) -> str | None:
        """Each sentence with a placeholder rewritten; None where clinical content would be lost or a gap remains."""
        pieces = []
        for sentence in _SENTENCE.split(censored):
            if not _PLACEHOLDER.search(sentence):
                pieces.append(sentence)
                continue
            new = self._generate(sentence.strip())
            if not new or _PLACEHOLDER.search(new) or _content(new) != _content(sentence):
                return None
            before = sentence[: len(sentence) - len(sentence.lstrip())]
            pieces.append(before + new + sentence[len(sentence.rstrip()) :])
        return "".join(pieces)

    def _generate(self, sentence: str) -> str:
        import torch

        with self._one_at_a_time:  # a tokenizer keeps the length it cuts to, and must not be shared while it is set
            tokenizer, model = self._loaded
            question = PROMPT.format(text=sentence)
            asked = tokenizer(question, return_tensors="pt", truncation=True, max_length=_MOST_TOKENS)
        with torch.inference_mode():
            most = 2 * asked["input_ids"].shape[1]  # a rewriting is not much longer than what it rewrites
            made = model.generate(**asked, max_new_tokens=most, num_beams=1, do_sample=False)
        return str(tokenizer.decode(made[0], skip_special_tokens=True)).strip()

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        transformers = library("transformers")
        folder = Path(self._source) if Path(self._source).is_dir() else fetch(self._source)
        kept: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **kept)
            model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, use_safetensors=True, **kept)
        except (OSError, ValueError, KeyError):
            raise InputError(
                f"{self._source} holds no text-to-text model with safetensors weights; name another folder or model"
            ) from None
        return tokenizer, model.eval()


def says_something(word: str) -> bool:
    """Whether a word on its own is a finding, a side, a negation or the like."""
    return bool(_CONTENT.fullmatch(word))


def _content(text: str) -> Counter[str]:
    """Measurements, negations, sides and findings; what stands in a placeholder does not count."""
    bare = _PLACEHOLDER.sub(" ", text)
    measures = (re.sub(r"\s", "", measure).lower() for measure in _MEASURE.findall(bare))
    return Counter([*measures, *(word.lower() for word in _CONTENT.findall(bare))])
