"""What the tagger starts from: a pretrained encoder's word pieces, names and words among them, phantom reports.

A part of recipe.py.
"""

from __future__ import annotations

import gzip
import json
import pydoc_data.topics
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from medveil.defenses.reports.tagger.model_file import load_model
from recipes.tagger.corpus.generator import Document
from recipes.tagger.corpus.lists import by_origin, lines
from recipes.tagger.corpus.people import Lexicon

EMBEDDING = 160
TABLE, LEXICON, PHANTOM, UNSEEN = "pieces.safetensors", "lexicon.json", "phantom.json.gz", "unseen.json.gz"
FIRST_HOSPITAL = 2000  # of those to learn from
CHECK_SEEDS = (1000, 1020)  # hospitals to look at while training
ORDINARY = ("radiology", "clinical", "diagnoses", "findings")


def prepare(source: Path, out: Path, *, hospitals: int) -> None:
    """`source` is the folder of all-MiniLM-L6-v2, or a model that began with its word pieces."""
    from recipes.tagger.phantom_reports import HELD_OUT_STYLE, phantom_reports

    out.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        pieces = tuple((source / "vocab.txt").read_text("utf-8").splitlines())
        table = load_file(source / "model.safetensors")["embeddings.word_embeddings.weight"].numpy()
        reduced = _reduced(table)
    else:
        model = load_model(source)
        pieces = model.vocabulary.pieces
        table = reduced = model.networks[0].words.pieces.weight.numpy()
    scale = np.abs(reduced).max(1, keepdims=True) / 127
    whole = np.round(reduced / scale).astype(np.int8)
    save_file(
        {"table": torch.from_numpy(whole), "scale": torch.from_numpy(scale[:, 0]).half()},
        out / TABLE,
        {"pieces": json.dumps(pieces, ensure_ascii=False)},
    )
    (out / LEXICON).write_text(json.dumps(vars(_mined(pieces, table)), ensure_ascii=False), "utf-8")
    styles = ("structured", "prose", "telegram")
    _write(out / PHANTOM, phantom_reports(FIRST_HOSPITAL, FIRST_HOSPITAL + hospitals, styles))
    _write(out / UNSEEN, phantom_reports(*CHECK_SEEDS, (HELD_OUT_STYLE,)))


def _reduced(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """The first principal components, scaled to length one on average."""
    centred = table - table.mean(0)
    _, _, axes = np.linalg.svd(centred[1000:], full_matrices=False)
    reduced = centred @ axes[:EMBEDDING].T
    return np.asarray(reduced / np.linalg.norm(reduced, axis=1).mean(), np.float32)


def _mined(pieces: Sequence[str], table: NDArray[np.float32]) -> Lexicon:
    """Names, towns and ordinary words among the vocabulary, told apart by their vectors."""
    from sklearn.linear_model import LogisticRegression

    given = {word.lower() for words in by_origin("given_names").values() for word in words}
    family = {word.lower() for words in by_origin("surnames").values() for word in words}
    towns = {word.lower() for word in lines("towns")}
    said = " ".join([*(" ".join(lines(name)) for name in ORDINARY), *pydoc_data.topics.topics.values()])
    ordinary = set(re.findall(r"\b[a-z]{3,}\b", said)) - given - family - towns
    words = [place for place, word in enumerate(pieces) if re.fullmatch("[a-z]{3,}", word)]
    vectors = table[words] / np.linalg.norm(table[words], axis=1, keepdims=True)
    kinds = [_kind(pieces[place], given, family, towns, ordinary) for place in words]
    known = [place for place, kind in enumerate(kinds) if kind >= 0]
    model = LogisticRegression(C=30, max_iter=400, class_weight="balanced")
    model.fit(vectors[known], [kinds[place] for place in known])
    shares = model.predict_proba(vectors)
    lists: list[list[str]] = [[], [], [], []]
    for place, share in zip(words, shares, strict=True):
        best = int(share.argmax())
        if share[best] > (0.95 if best == 3 else 0.75):
            lists[best].append(pieces[place] if best == 3 else pieces[place].capitalize())
    return Lexicon(*lists)


def _kind(word: str, given: set[str], family: set[str], towns: set[str], ordinary: set[str]) -> int:
    for kind, known in enumerate((given, family, towns, ordinary)):
        if word in known:
            return kind
    return -1


def _write(path: Path, reports: Iterator[dict[str, object]]) -> None:
    path.write_bytes(gzip.compress(json.dumps(list(reports), ensure_ascii=False).encode(), mtime=0))


def read_reports(path: Path) -> list[Document]:
    from medveil.person.identifiers import Category
    from medveil.person.span import Span

    rows = json.loads(gzip.decompress(path.read_bytes()))
    return [
        Document(row["text"], tuple(Span(start, end, Category(kind)) for start, end, kind in row["found"]))
        for row in rows
    ]


def read_lexicon(path: Path) -> Lexicon:
    return Lexicon(**json.loads(path.read_text("utf-8")))
