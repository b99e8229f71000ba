"""`LabelSynthesis`: a film drawn from the labels of its row alone, by the generator of `coded`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from medveil.cohort.schema import LABELS
from medveil.defenses.anatomy.coded.codebook import LEAF, Codebook, Questions
from medveil.defenses.anatomy.coded.generator import Floats
from medveil.defenses.anatomy.coded.method import Coded, Workshop
from medveil.defenses.anatomy.coded.model_file import load_coded
from medveil.defenses.anatomy.coded.semantics import FIELDS
from medveil.defenses.anatomy.latents import load_autoencoder
from medveil.defenses.anatomy.method import Film
from medveil.errors import Quarantined
from medveil.weights.bundled import bundled

ORDER = (  # what is told first: the most common
    *("No Finding", "Lung Opacity", "Pleural Effusion", "Atelectasis", "Lung Lesion", "Pneumothorax", "Cardiomegaly"),
    *("Consolidation", "Edema", "Pneumonia", "Pleural Other", "Support Devices", "Enlarged Cardiomediastinum"),
    "Fracture",
)


class LabelSynthesis(Coded):
    """One bit says whether the film is a drawn one, every further one whether the table has a label."""

    name = "labels"
    title = "label-conditioned synthesis"
    unit = "bits a film, one of them a label each"
    levels = (15.0, 9.0, 5.0, 3.0, 2.0)

    def codes(self, films: Sequence[Film], level: float) -> list[int]:
        for film in films:
            if all(_missing(film.fields.get(label)) for label in LABELS):
                raise Quarantined("without labels in the table, and it would be drawn from those alone")
        return super().codes(films, level)

    @property
    def _workshop(self) -> Workshop:
        if self._made is None:
            path = self._weights or bundled("coded")
            parts, own = load_coded(path), path.with_name("autoencoder.safetensors")
            usual = parts.sampler.shift.float().numpy()
            told = replace(parts, codebook=label_codebook(usual))
            self._made = Workshop(told, load_autoencoder(own if own.is_file() else None), self._device)
        return self._made


def label_codebook(usual: Floats) -> Codebook:
    """Asks for one label after another; what is not asked is as usual."""
    depth = len(ORDER)
    count = 2 ** (depth + 1) - 1
    nodes = np.arange(count)
    level = np.floor(np.log2(nodes + 1)).astype(int)
    mean = np.tile(np.asarray(usual, np.float32), (count, 1))
    for asked, label in enumerate(ORDER):
        below = level > asked
        steps = (level[below] - asked - 1).astype(int)
        mean[below, FIELDS.index(label)] = (((nodes[below] + 1) >> steps) & 1).astype(np.float32)
    fields = np.array([FIELDS.index(label) for label in ORDER] + [LEAF], np.int32)[level]
    inner = level < depth
    no, yes = (np.where(inner, 2 * nodes + side, nodes).astype(np.int32) for side in (1, 2))
    asking = Questions(fields, np.full(count, 0.5, np.float32), no, yes, mean)
    return Codebook(FIELDS, asking, asking)


def _missing(value: object) -> bool:
    return value is None or value != value  # not a number is not itself
