"""Reports drafted from defended films: BLEU against the true reports, on phantoms and on Indiana.

    python benchmarks/drafted_reports.py prepare phantoms --out FILMS.npz
    python benchmarks/drafted_reports.py prepare indiana --data DATA --out FILMS.npz
    python benchmarks/drafted_reports.py run --films FILMS.npz --method blur --out RESULTS.json --device cuda

A network learns from the originals and reports of training patients, and writes a report for every film of the
others: from the original, and defended. BLEU means something only beside its controls: the most typical report for
everybody, and the draft of another patient's film. DATA holds the folder iu_xray; what is learned from it is thrown
away. Phantom reports are what a first study says of its findings; Indiana's are its own, findings and impression.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import recipes_path  # noqa: F401
from medveil.errors import MedveilError
from medveil.stats.estimate import Estimate
from recipes.films import packed, unpacked

SEED = 7
PATIENTS = 1400
TRIED = 8  # every so many-th phantom patient


def prepare(what: str, data: Path | None, out: Path, films: int, people: int) -> None:
    if what == "phantoms":
        pixels, reports, patients, learn = phantoms(people)
    else:
        assert data is not None, "Indiana needs --data"
        pixels, reports, patients, learn = indiana(data / "iu_xray", films)
    content, ends = packed(pixels, quality=70)
    told = np.frombuffer(json.dumps(reports).encode(), np.uint8)
    np.savez(out, bytes=content, ends=ends, patients=patients, learn=learn, reports=told)


def phantoms(people: int) -> tuple[Any, list[str], Any, Any]:
    from recipes.organs.phantoms import visits

    pixels = [film for number in range(people) for film, _ in visits(number)]
    reports = [(number, report) for number in range(people) for report in first_readings(number)]
    patients = np.array([number for number, _ in reports])
    return pixels, [report for _, report in reports], patients, patients % TRIED != 0


def first_readings(number: int) -> list[str]:
    """What the reports of a patient's visits say of findings, each as if it were the first study."""
    from dataclasses import replace

    from medveil.cohort.phantom.chart import make_demographics
    from medveil.cohort.phantom.plan import plan_patient
    from medveil.cohort.phantom.reports import write_report
    from medveil.cohort.phantom.sites import MOST, make_site
    from recipes.lungs.phantoms import SITES
    from recipes.organs.phantoms import SEED as HOSPITAL

    patient = plan_patient(HOSPITAL, number, SITES)
    site = make_site(HOSPITAL, patient.site % MOST)
    person = make_demographics(HOSPITAL, patient, site)
    found = []
    for visit in patient.visits:
        report, _ = write_report(HOSPITAL, patient, replace(visit, number=0), person, site)
        said = (report.text[one.start : one.end].strip().rstrip(".") for one in report.statements())
        found.append(" ".join(f"{one}." for one in said).replace("\n", " "))
    return found


def indiana(folder: Path, films: int) -> tuple[Any, list[str], Any, Any]:
    from medveil.cohort.input import read_cohort
    from medveil.encoders.identity.preparing import prepare as prepared

    cohort = read_cohort(folder).frontal()
    cohort = cohort.where(cohort.table["report"].notna())
    learn = cohort.table["split"].eq("train").to_numpy()
    keep = ~learn | (np.cumsum(learn) <= films)
    cohort, learn = cohort.where(keep), learn[keep]
    _, patients = np.unique(cohort.table["patient_id"].astype(str), return_inverse=True)
    return (prepared(image) for image in cohort.images()), list(cohort.table["report"]), patients, learn


def run(chosen: argparse.Namespace) -> None:
    from medveil.defenses.anatomy.method import Film, load_method
    from medveil.utility.diagnosis.features import features_of
    from medveil.utility.drafted_reports.drafter import CELLS, learn_drafter
    from medveil.utility.drafted_reports.drafting import bleu_estimates, typical
    from medveil.utility.drafted_reports.words import words_of

    began, stored = time.monotonic(), np.load(chosen.films)
    texts = json.loads(stored["reports"].tobytes() if chosen.reports is None else chosen.reports.read_bytes())
    learn = stored["learn"] if "learn" in stored else stored["split"] == "train"
    films, patients = unpacked(stored["bytes"], stored["ends"]), stored["patients"]
    reports = [words_of(str(text)) for text in texts]
    known, tried = np.flatnonzero(learn), np.flatnonzero(~learn)
    cells = features_of(films, device=chosen.device, cells=CELLS)
    given = [reports[row] for row in known]
    how = {"steps": chosen.steps, "batch": chosen.batch, "device": chosen.device, "seed": SEED}
    drafter = learn_drafter(cells[known], given, patients[known], **how)
    print(f"{len(known)} films to learn from, {len(tried)} tried, {len(drafter.vocabulary.words)} words", flush=True)
    true, who = [reports[row] for row in tried], patients[tried]
    control = bleu_estimates([typical(given, seed=SEED)] * len(true), true, who, seed=SEED)
    results: dict[str, Any] = {}

    def told(name: str, estimates: dict[str, Estimate]) -> None:
        cells = [f"{one.value:.4f} ({one.low:.4f} to {one.high:.4f})" for one in estimates.values()]
        print(f"| {name} | {' | '.join(cells)} | <!-- {time.monotonic() - began:.0f} s -->", flush=True)
        results[name] = {key: one.to_json() for key, one in estimates.items()}
        if chosen.out:
            chosen.out.write_text(json.dumps(results, indent=1))

    plain = drafter.drafts(cells[tried])
    luck = np.random.default_rng(SEED).permutation(len(tried))
    told("the typical report for everybody", control)
    told("drafts of other films", bleu_estimates([plain[k] for k in luck], true, who, seed=SEED, control=control))
    told("originals", bleu_estimates(plain, true, who, seed=SEED, control=control))
    for name in chosen.method:
        try:
            method = load_method(name, device=chosen.device)
            for level in [one for one in method.levels if not chosen.levels or one in chosen.levels]:
                chance = [np.random.default_rng([SEED, int(row)]) for row in tried]
                shown = method.protect([Film(films[row]) for row in tried], level, chance)
                drafts = drafter.drafts(features_of(shown, device=chosen.device, cells=CELLS))
                told(f"{name} {level:g}", bleu_estimates(drafts, true, who, seed=SEED, control=control))
        except (MedveilError, ImportError) as refused:
            print(f"{name}: {refused}", flush=True)
    for draft, report in list(zip(plain, true, strict=True))[: chosen.shown]:
        print("draft:", " ".join(draft), "\n true:", " ".join(report))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("prepare")
    verb.add_argument("what", choices=("phantoms", "indiana"))
    verb.add_argument("--data", type=Path)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--patients", type=int, default=PATIENTS, help="of the phantom hospital")
    verb.add_argument("--films", type=int, default=10_000, help="of Indiana to learn from, at most")
    verb = verbs.add_parser("run")
    verb.add_argument("--films", type=Path, required=True)
    verb.add_argument("--reports", type=Path, help="a JSON list of reports, where the films' file has none")
    verb.add_argument("--method", action="append", default=[])
    verb.add_argument("--levels", nargs="*", type=float, default=[], help="of the methods; all, unless some are named")
    verb.add_argument("--steps", type=int, default=1500)
    verb.add_argument("--batch", type=int, default=128)
    verb.add_argument("--device", default="cpu")
    verb.add_argument("--shown", type=int, default=0, help="so many drafts are printed")
    verb.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    if chosen.verb == "prepare":
        prepare(chosen.what, chosen.data, chosen.out, chosen.films, chosen.patients)
    else:
        run(chosen)


if __name__ == "__main__":
    main()
