"""Defenses of the alignment on real pairs: what each does to linkage, to the refit attack and to the diagnosis.

    python benchmarks/alignment_indiana.py features --data DATA --run RUN --out OUT
    python benchmarks/alignment_indiana.py sweep --out OUT
    python benchmarks/alignment_indiana.py page --out OUT --page docs/explanation/alignment-results.md

DATA holds iu_xray, nih14 and covid19; RUN is the folder of linkage_indiana.py, whose models (`--model`, and `--minilm`
where one reads with it) were trained on iu_xray's train part without one patient in ten. `features` keeps what stands
before the last layer of either side, `sweep` tries every defense on that layer and measures it on iu_xray's val part,
which chose nothing, `page` writes the results. Some fifteen minutes on two quiet cores. Weights and features may not
be passed on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import nn

from alignment_page import write_page
from linkage_indiana import FACTS, LARGE, LargeModel, sentence_vectors
from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.cohort.phantom import chart
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.reports import write_report
from medveil.cohort.phantom.sites import make_site
from medveil.cohort.preprocess import equalised_224
from medveil.defenses.alignment.heads import Heads, HeadShape
from medveil.encoders.medveil_small.model import load_model
from medveil.release.protect.candidates import candidates
from medveil.release.protect.frontier import FrontierResult, protect_alignment
from medveil.release.protect.measurement import MeasurementSettings
from medveil.release.protect.paired_features import PairedFeatures, ProtectionData
from medveil.weights.bundled import SMALL

SEED = 7
PUBLIC = 500  # X-rays of nih14, and phantom reports: negatives that need no protection
EPSILONS = (0.34, 1.0, 8.0)
HEADS = "start.safetensors"
OWNERS = {"aside": "pairs the encoder had not seen", "train": "pairs the encoder was trained on"}

Features = NDArray[np.float32]
Tower = Callable[[Iterable[object]], Features]


def towers(run: Path, model: str, minilm: Path | None) -> tuple[Tower, Tower, Heads]:
    """The frozen part of either side, and the last layers as heads."""
    if model == Path(LARGE).stem:
        large = LargeModel().eval()
        large.load_state_dict({name: value.float() for name, value in load_file(run / LARGE).items()}, strict=False)
        heads = _heads(_cut(large.image), _cut(large.head))
        assert minilm is not None, "this model reads reports with MiniLM; name its folder"
        return _seeing(large.image), lambda texts: _through(large.head, sentence_vectors(minilm, list(texts))), heads
    small = load_model(run / model / SMALL)
    heads = _heads(_cut(small.image.pool.out), _cut(small.report.pool.out))
    return _seeing(small.image), _batched(lambda texts: small.report(small.tokenizer(texts))), heads


def _cut(layers: nn.Sequential) -> nn.Linear:
    """Take the last linear layer off, and the normalisation behind it, which is a part of it once training is over."""
    scale, shift = torch.tensor(1.0), torch.tensor(0.0)
    if isinstance(layers[-1], nn.BatchNorm1d):
        norm = layers.pop(len(layers) - 1)
        scale, shift = (norm.running_var + norm.eps).rsqrt(), norm.running_mean
    last = layers.pop(len(layers) - 1)
    folded = nn.Linear(last.in_features, last.out_features)
    with torch.no_grad():
        folded.weight.copy_(last.weight * scale.unsqueeze(-1))
        folded.bias.copy_((last.bias - shift) * scale)
    return folded


def _heads(image: nn.Linear, report: nn.Linear) -> Heads:
    heads = Heads(*(HeadShape(side.in_features, side.out_features, bias=True) for side in (image, report)))
    layers = {"image.0": image, "report.0": report}
    heads.load_state_dict(
        {f"{name}.{key}": value for name, side in layers.items() for key, value in side.state_dict().items()}
    )
    return heads


def _seeing(network: nn.Module) -> Tower:
    return _batched(
        lambda images: network(torch.from_numpy(np.stack([equalised_224(image) for image in images]))[:, None] / 255)
    )


def _batched(encode: Callable[[list[object]], torch.Tensor]) -> Tower:
    def tower(items: Iterable[object]) -> Features:
        source, parts = iter(items), []
        with torch.inference_mode():
            while batch := list(islice(source, 16)):
                parts.append(encode(batch).float().numpy())
        return np.concatenate(parts)

    return tower


def _through(network: nn.Module, vectors: Features) -> Features:
    with torch.inference_mode():
        return network(torch.from_numpy(vectors)).numpy()


def features(data: Path, run: Path, model: str, minilm: Path | None, out: Path) -> None:
    see, read, heads = towers(run, model, minilm)
    heads.save(out / HEADS)
    _say("public")
    public = read_cohort(data / "nih14")
    public = public.where((public.table["split"] == "train").to_numpy()).frontal()
    public = public.where(np.arange(len(public)) < PUBLIC)
    np.savez(out / "public.npz", images=see(public.images()), reports=read(phantom_reports(len(public))))
    for name in ("covid19", "iu_xray"):
        _say(name)
        cohort = _with_reports(read_cohort(data / name))
        np.savez(out / f"{name}.npz", images=see(cohort.images()), reports=read(cohort.table["report"]))
        cohort.table.assign(aside=_aside(cohort, run)).to_parquet(out / f"{name}.parquet")


def _with_reports(cohort: Cohort) -> Cohort:
    cohort = cohort.frontal()
    return cohort.where((cohort.table["report"].fillna("").str.strip() != "").to_numpy())


def _aside(cohort: Cohort, run: Path) -> NDArray[np.bool_]:
    """Train patients that took no part in the encoders' training; in the order of linkage_indiana.py."""
    aside = np.zeros(len(cohort), bool)
    train = (cohort.table["split"] == "train").to_numpy()
    if train.any():
        known = np.load(run / FACTS)["aside"]
        assert len(known) == train.sum(), "the encoders were trained on other data"
        aside[train] = known
    return aside


def phantom_reports(count: int) -> list[str]:
    """One report a phantom patient."""
    texts = []
    for number in range(count):
        patient = plan_patient(SEED, number, 10)
        site = make_site(SEED, patient.site)
        report, _ = write_report(SEED, patient, patient.visits[0], chart.make_demographics(SEED, patient, site), site)
        texts.append(report.text)
    return texts


def sweep(out: Path) -> dict[str, FrontierResult]:
    """Once for each adversary, who differ in the pairs of their own."""
    heads = Heads.load(out / HEADS)
    pairs, table = _read(out, "iu_xray")
    elsewhere, _ = _read(out, "covid19")
    stored = np.load(out / "public.npz")
    blank = pd.DataFrame(index=range(len(stored["images"])), columns=table.columns.drop("aside"))
    blank = blank.assign(patient_id=blank.index.astype(str), report=blank.index.astype(str)).fillna({"split": "train"})
    public = PairedFeatures.of(stored["images"], stored["reports"], blank)
    aside = table["aside"].to_numpy()
    parts = {
        "train": pairs.take(((table["split"] == "train") & ~table["aside"]).to_numpy()),
        "aside": pairs.take(aside),
        "val": pairs.take((table["split"] == "val").to_numpy()),
    }
    results = {}
    for owner in OWNERS:
        first = owner == "aside"
        data = ProtectionData(
            train=parts["train"],
            validation=parts["aside"],
            test=parts["val"],
            own=parts[owner],
            public=public,
            elsewhere={"COVID-19 notes": elsewhere} if first else {},
        )
        results[owner] = protect_alignment(
            data,
            heads,
            out=out / f"sweep-{owner}",
            sweep=candidates(epsilons=EPSILONS, seed=SEED),
            measuring=MeasurementSettings(seed=SEED, own=(0, 100, 200, 500, 1900)),
            canaries=1000 if first else 0,
            trials=1000 if first else 0,
            progress=lambda name, done, total: _say(f"{name} ({done} of {total})"),
        )
    return results


def _read(out: Path, name: str) -> tuple[PairedFeatures, pd.DataFrame]:
    stored, table = np.load(out / f"{name}.npz"), pd.read_parquet(out / f"{name}.parquet")
    return PairedFeatures.of(stored["images"], stored["reports"], table), table


def _say(line: str) -> None:
    print(line, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("features", "sweep", "page"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--run", type=Path, help="the folder of linkage_indiana.py")
    parser.add_argument("--model", default="heads")
    parser.add_argument("--minilm", type=Path)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    match options.step:
        case "features":
            features(options.data, options.run, options.model, options.minilm, options.out)
        case "sweep":
            sweep(options.out)
        case "page":
            aside = int(_read(options.out, "iu_xray")[1]["aside"].sum())
            results = sweep(options.out)
            write_page(results, OWNERS, options.page, model=options.model, public=PUBLIC, aside=aside)


if __name__ == "__main__":
    main()
