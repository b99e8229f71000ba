"""The audit of untrained, phantom-trained and Indiana-trained models on real reports, as a page; a part of
linkage_indiana.py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import nn

import recipes_path  # noqa: F401
from linkage_heads import Heads, new_head
from linkage_indiana import HEADS, LARGE, MODELS, SENTENCE_HEADS, LargeModel, sentence_vectors
from medveil.attacks.linkage.run import run_linkage
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.cohort.preprocess import equalised_224
from medveil.encoders.encoder import Encoder, unit_length
from medveil.encoders.extraction import encode_cohort
from medveil.encoders.medveil_small.model import load_model
from medveil.encoders.medveil_small.small_encoder import MedveilSmall
from medveil.runtime.storage import write_bytes
from medveil.weights.bundled import bundled
from recipes.linkage.training import new_model, see

SEED = 7
METRICS = ("Recall@1", "Recall@5", "Recall@10", "MRR")
MEDIAN = "median rank"
PARTS = (("random", "100", "Random pools of 100"), ("random", "all", "All candidates"),
         ("matched", "100", "Pathology-matched pools of 100"))  # fmt: skip
INTRODUCTION = """# Linkage on real reports

How well small models link real chest X-rays to their reports: not trained on pairs at all, trained on phantom patients
(the bundled `medveil-small`), and trained on 1,925 X-rays of Indiana University with their reports. Made by
`benchmarks/linkage_indiana.py`; the Indiana-trained weights may not be passed on and are not part of medveil.

- **untrained**: the image network as ImageNet left it, heads and report network random.
- **phantom-trained**: the bundled encoder, which has never seen a real X-ray with its report.
- **Indiana-trained heads**: the bundled encoder whose two attention pools were trained on Indiana's pairs, the
  networks before them frozen.
- **Indiana-trained heads, with MiniLM**: the same image network and pool beside a frozen general sentence model.
- **Indiana-trained, from phantoms**: the whole of the bundled encoder, trained on from where it is.
- **Indiana-trained, from ImageNet**: the same networks, of which only the image network knew anything before.
- **Indiana-trained, lite0 and MiniLM**: the whole of EfficientNet-lite0 beside the frozen sentence model.

Heads take ten minutes on a CPU; the three whole networks, 40 epochs each, took two minutes on one H200.

Image to report, exact expectation over all pools, ties shared. Candidates with the very same text do not compete.
In brackets: 95 % intervals by patient. *Labels only* is an attacker who knows the findings (of Indiana, from the
curators' MeSH terms; of COVID-19, pneumonia or none) and nothing else. Training stopped where patients set aside from
the train part were linked best; the patients below chose nothing.
"""
SOURCES = """## Sources

- D. Demner-Fushman and others. Preparing a collection of radiology examinations for distribution and retrieval. Journal
  of the American Medical Informatics Association 23 (2016). Open-i, CC BY-NC-ND 4.0; a downsized copy of the frontal
  images was used.
- J. P. Cohen and others. COVID-19 Image Data Collection: Prospective Predictions Are the Future. MELBA (2020). Rows
  with a Creative Commons licence that allows changes.
"""
COHORTS = {
    "iu_xray": ("Indiana, val part", "Reports in full, as published."),
    "covid19": (
        "COVID-19 image collection, clinical notes",
        "Another source altogether, which no model was trained on. The notes tell the history as much as the image.",
    ),
}


class SentenceEncoder:
    """An image network, and a head over the frozen sentence model, as an encoder."""

    name, dim, license, fingerprint = "with MiniLM", 128, "not to be passed on", "experiment"

    def __init__(self, image: nn.Module, head: nn.Module, minilm: Path) -> None:
        self._image, self._head, self._minilm = image.eval(), head.eval(), minilm

    def encode_images(self, images: Iterable[NDArray[Any]]) -> NDArray[np.float32]:
        parts = [see(self._image, np.stack(batch), "cpu") for batch in _grouped(map(equalised_224, images))]
        return unit_length(np.concatenate(parts))

    def encode_reports(self, texts: Iterable[str]) -> NDArray[np.float32]:
        with torch.inference_mode():
            vectors = self._head(torch.from_numpy(sentence_vectors(self._minilm, list(texts))))
        return unit_length(vectors.numpy())


def _grouped(items: Iterable[Any], size: int = 16) -> Iterator[list[Any]]:
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def evaluate(data: Path, minilm: Path, start: Path, out: Path, page: Path) -> None:
    encoders = models(minilm, start, out)
    tables = []
    for name in COHORTS:
        cohort = read_cohort(data / name)
        if name == "iu_xray":
            cohort = cohort.where(cohort.table["split"] == "val")
        tables.append(audit(cohort, encoders).assign(cohort=name))
    table = pd.concat(tables)
    table.to_csv(out / "linkage-results.csv", index=False)
    write_page(table, page)


def write_page(table: pd.DataFrame, page: Path) -> None:
    sections = [section(*about, table[table["cohort"] == name]) for name, about in COHORTS.items()]
    write_bytes(page, "\n".join([INTRODUCTION, *sections, SOURCES]).encode())


def models(minilm: Path, start: Path, out: Path) -> dict[str, Encoder]:
    """All there are: whole networks only where they were trained."""
    untrained = new_model(list(load_model(bundled("medveil-small")).tokenizer.vocabulary), start=start, seed=0)
    found: dict[str, Encoder] = {
        "untrained": MedveilSmall(untrained.requires_grad_(False), fingerprint="untrained"),
        "phantom-trained": MedveilSmall.load(),
        "Indiana-trained heads": MedveilSmall.open(out / HEADS),
        "Indiana-trained heads, with MiniLM": _with_sentences(out / SENTENCE_HEADS, minilm),
    }
    for name in MODELS[:2]:
        if (out / name.replace(" ", "-")).is_dir():
            found[f"Indiana-trained, {name}"] = MedveilSmall.open(out / name.replace(" ", "-"))
    if (out / LARGE).is_file():
        large = LargeModel()
        large.load_state_dict({name: value.float() for name, value in load_file(out / LARGE).items()})
        found[f"Indiana-trained, {MODELS[2]}"] = SentenceEncoder(large.image, large.head, minilm)
    return found


def _with_sentences(weights: Path, minilm: Path) -> SentenceEncoder:
    image = load_model(bundled("medveil-small")).image
    heads = Heads(image.pool, new_head())
    heads.load_state_dict(load_file(weights))
    return SentenceEncoder(image, heads.report, minilm)


def audit(cohort: Cohort, encoders: dict[str, Encoder]) -> pd.DataFrame:
    embeddings = {name: encode_cohort(cohort, encoder) for name, encoder in encoders.items()}
    settings = LinkageSettings(pools=(100, "all"), match="text")
    table = run_linkage(cohort, embeddings, seed=SEED, settings=settings, fit=False).tables["linkage"]
    return table[(table["unit"] == "patient") & (table["direction"] == "image to report")]


def section(title: str, about: str, table: pd.DataFrame) -> str:
    pairs, patients = table["n"].max(), table["units"].max()
    lines = [f"## {title}", "", f"{about} {pairs:,} images of {patients:,} patients.", "", _summary(table), ""]
    for protocol, pool, heading in PARTS:
        part = table[(table["protocol"] == protocol) & (table["pool"] == pool)]
        if len(part):
            lines += [f"**{heading}**", "", *_rows(part), ""]
    return "\n".join(lines)


def _summary(table: pd.DataFrame) -> str:
    """The bundled model and the best one in a sentence."""
    first = table[(table["protocol"] == "random") & (table["pool"] == "100") & (table["metric"] == METRICS[0])]
    found = first.set_index("encoder")
    best = found["value"].idxmax()
    told = [f"{name} {_cell(found.loc[name], 100)} %" for name in ("untrained", "phantom-trained", best)]
    return (
        f"At the first try among 100: {', '.join(told)}; labels only {100 * found.loc[best, 'control']:.1f} %, "
        f"chance {100 * found.loc[best, 'chance']:.1f} %."
    )


def _rows(part: pd.DataFrame) -> Iterator[str]:
    yield "| model | " + " | ".join(f"{metric}, %" for metric in METRICS) + f" | {MEDIAN} |"
    yield "|---|" + "---|" * (len(METRICS) + 1)
    for encoder in part["encoder"].unique():
        found = part[part["encoder"] == encoder].set_index("metric")
        cells = [_cell(found.loc[metric], 100) for metric in METRICS]
        yield f"| {encoder} | " + " | ".join([*cells, _cell(found.loc[MEDIAN], 1)]) + " |"
    for label, side in (("labels only", "control"), ("chance", "chance")):
        cells = [f"{100 * found.loc[metric, side]:.1f}" for metric in METRICS]
        yield f"| *{label}* | " + " | ".join([*cells, f"{found.loc[MEDIAN, side]:.1f}"]) + " |"


def _cell(found: pd.Series, factor: int) -> str:
    return f"{factor * found['value']:.1f} ({factor * found['low']:.1f} to {factor * found['high']:.1f})"
