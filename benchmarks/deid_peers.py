"""medveil beside Presidio, philter-lite, dicognito and Kitware's dicom-anonymizer: what is left, what is lost, speed.

    python -m venv PEERS
    PEERS/bin/pip install presidio-analyzer presidio-anonymizer presidio-image-redactor philter-lite dicognito \\
        dicom-anonymizer
    PEERS/bin/python -m spacy download en_core_web_sm
    PEERS/bin/python -m nltk.downloader averaged_perceptron_tagger_eng
    apt-get install tesseract-ocr dicom3tools
    pip install --target FAKER faker
    PYTHONPATH=FAKER python benchmarks/deid_peers.py --python-of-peers PEERS/bin/python --data DATA \\
        --out RESULTS.json --doc docs/reference/peers.md

One run, the same files for all. Headers and pixels: a phantom hospital of 1,024 px images. Reports: those of a second,
larger one with small images. With DATA (nih14_512 and iu_xray): real radiographs with text burned in, Indiana's
reports as published and, with Faker, refilled. Every tool works in processes of its own, with its defaults, one core a
process; loading is not timed, except for `medveil deid`. A peer that is not installed is skipped and named. How things
are judged stands in deid_peers_scoring.py.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import deid_peers_scoring as scoring
import deid_peers_table as tables
from deid_peers_images import real_images
from deid_peers_scoring import Figures, Seen, Text
from deid_peers_tools import MISSING
from medveil.cohort.phantom.gold import Gold, ImageGold, load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.runtime.workers import ordered_map

SCRIPT = Path(__file__).with_name("deid_peers_tools.py")
TEXT_TOOLS = ("medveil_text", "presidio_text", "philter")
HEADER_TOOLS = ("medveil_headers", "dicognito", "dicom_anonymizer")
IMAGE_TOOLS = ("medveil_image", "presidio_image")
CLINICAL = """
Kerley B lines at both bases. | Swan-Ganz catheter tip in the right pulmonary artery. | A Foley catheter is seen.
Hickman catheter ends in the right atrium. | Follow-up by the Fleischner criteria for a 6 mm nodule.
Port-A-Cath in the left chest wall. | Dobhoff tube below the diaphragm. | Hampton hump in the right lower lobe.
Westermark sign is absent. | A calcified Ghon focus of 4 mm. | Pancoast tumor of the left apex, 3.2 x 2.8 cm.
Small Bochdalek hernia. | Morgagni hernia on the right. | Chilaiditi sign, no free air. | Groshong line unchanged.
Heimlich valve on the left tube. | A 28 French chest tube. | The heart measures 17.5 cm across. | Effusion of 200 ml.
Nodule 8 x 6 mm, was 7 x 6 mm. | The endotracheal tube ends 4.5 cm above the carina. | Cobb angle of 12 degrees.
Broviac catheter removed. | Quinton catheter in the right jugular vein. | Cardiothoracic ratio of 55 %.
""".replace("\n", "|").split("|")


@dataclass
class Bench:
    """Where things are, and what was found out so far."""

    folder: Path
    peers: str | None
    workers: int
    results: dict[str, Any]
    seen: dict[str | None, Seen] = field(default_factory=dict)

    def run(
        self,
        tool: str,
        items: Sequence[dict[str, Any]],
        *,
        workers: int | None = None,
        warm: int = 1,
        threads: str = "1",
    ) -> tuple[list[Any], Figures] | None:
        """What the tool made of each item, and its speed; None where it is not installed."""
        python = sys.executable if tool.startswith("medveil") else self.peers
        shares = [items[start :: workers or self.workers] for start in range(workers or self.workers)]
        shares = [own for own in shares if own]
        ran = self._processes(python, tool, shares, warm, threads) if python else None
        if ran is None:
            if tool not in self.results["skipped"]:
                self.results["skipped"].append(tool)
            return None
        self.results["versions"][tool] = ran[0]["version"]
        done: list[Any] = [None] * len(items)
        for start, one in enumerate(ran):
            done[start :: len(ran)] = one["done"]
        seconds = max(one["ended"] for one in ran) - min(one["began"] for one in ran)
        processor = sum(one["processor"] for one in ran)
        print(f"  {tool}: {len(items)} in {seconds:.1f} s", file=sys.stderr, flush=True)
        return done, {"a second": len(items) / seconds, "processor ms": 1000 * processor / len(items)}

    def _processes(
        self, python: str, tool: str, shares: list[Sequence[dict[str, Any]]], warm: int, threads: str
    ) -> list[dict[str, Any]] | None:
        """One process for each share; all begin together once all have loaded."""
        limits = {"OMP_NUM_THREADS": threads, "OMP_THREAD_LIMIT": threads} if threads else {}
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            jobs = [Path(name) / f"{number}.json" for number in range(len(shares))]
            started = []
            for job, own in zip(jobs, shares, strict=True):
                job.write_text(json.dumps({"warm": list(own[:warm]), "items": list(own)}))
                command = [python, str(SCRIPT), tool, str(job), str(job.with_suffix(".done"))]
                started.append(subprocess.Popen(command, env={**os.environ, **limits}, stdout=subprocess.DEVNULL))
            while not all(
                job.with_suffix(".ready").exists() or one.poll() is not None
                for job, one in zip(jobs, started, strict=True)
            ):
                time.sleep(0.05)
            for job in jobs:
                job.with_suffix(".go").touch()
            codes = [one.wait() for one in started]
            if MISSING in codes:
                return None
            if any(codes):
                raise SystemExit(f"{tool} failed; its own words stand above")
            return [json.loads(job.with_suffix(".done").read_text()) for job in jobs]

    def texts(self, section: str, texts: Sequence[Text], headers: Sequence[str] | None = None) -> None:
        print(section, file=sys.stderr, flush=True)
        judge = scoring.reports if texts[0].identifiers else scoring.false_alarms
        found: dict[str, Figures] = {}
        for tool in TEXT_TOOLS:
            if ran := self.run(tool, [{"text": text.text} for text in texts], warm=4):
                found[tool] = judge(texts, ran[0]) | ran[1]
        if headers:
            items = [
                {"text": text.text, "header": header, "patient": text.unit}
                for text, header in zip(texts, headers, strict=True)
            ]
            ran = self.run("medveil_text", items, warm=4)
            assert ran is not None
            found["medveil_text_known"] = judge(texts, ran[0]) | ran[1]
        self.results[section] = found

    def files(self, tool: str, sources: Sequence[Path], **options: Any) -> tuple[list[Path | None], Figures] | None:
        """Where each file went, None where the tool withheld it or failed."""
        out = self.folder / f"{tool} {sources[0].parent.name}"
        out.mkdir(exist_ok=True)
        places = [out / f"{number:05}.dcm" for number in range(len(sources))]
        items = [{"source": str(one), "out": str(place)} for one, place in zip(sources, places, strict=True)]
        if (ran := self.run(tool, items, **options)) is None:
            return None
        kept = [place if done is None else None for place, done in zip(places, ran[0], strict=True)]
        return kept, ran[1]

    def deid(self, hospital: Path, sources: Sequence[Path]) -> tuple[list[Path | None], Figures]:
        out, crosswalk = self.folder / "deid", self.folder / "crosswalk.csv"
        item = {"source": str(hospital), "out": str(out), "crosswalk": str(crosswalk), "workers": self.workers}
        ran = self.run("medveil_deid", [item], workers=1, warm=0)
        assert ran is not None
        with crosswalk.open(newline="") as file:
            released = {row["path"]: row["released_path"] for row in csv.DictReader(file)}
        places = [out / "data" / released[source.relative_to(hospital).as_posix()] for source in sources]
        speed = {"a second": len(sources) * ran[1]["a second"], "processor ms": ran[1]["processor ms"] / len(sources)}
        return [place if place.exists() else None for place in places], speed

    def look(self, paths: Sequence[Path | None]) -> list[Seen | None]:
        """Reading is slow: an image that a tool left as it was is read once for all tools."""
        digests = [scoring.pixel_digest(path) if path else None for path in paths]
        new = {digest: path for digest, path in zip(digests, paths, strict=True) if path and digest not in self.seen}
        read = ordered_map(scoring.look, new.values(), workers=self.workers, chunk=1)
        self.seen |= dict(zip(new, read, strict=True))
        return [self.seen[digest] if digest else None for digest in digests]


def reports_of(gold: Gold) -> tuple[list[Text], list[str]]:
    texts, headers = [], []
    for key in gold.images.values():
        said = tuple((one.start, one.end) for one in key.statements)
        text = (gold.root / key.report_path).read_bytes().decode()
        texts.append(Text(text, key.patient_id, key.in_report, said))
        headers.append(str(gold.root / key.path))
    return texts, headers


def indiana(data: Path, count: int) -> dict[str, list[Text]]:
    try:
        from reports_refill import faker_locales, read_indiana, refilled
    except ImportError:
        print("Faker is not installed: Indiana's reports are left out", file=sys.stderr)
        return {}
    reports = read_indiana(data / "iu_xray" / "NLMCXR_reports.tgz")[1700 : 1700 + count]
    locales = faker_locales()
    filled = [refilled(report, 90_000 + number, locales) for number, report in enumerate(reports)]
    plain = [" ".join(one.get(part, "") for part in ("FINDINGS", "IMPRESSION")).strip() for one in reports]
    return {
        "refilled": [Text(one.text, str(number), one.identifiers()) for number, one in enumerate(filled)],
        "published": [Text(text, str(number)) for number, text in enumerate(plain) if text],
    }


def on_hospital(bench: Bench, hospital: Path) -> None:
    gold = load_gold(hospital)
    keys: list[ImageGold] = list(gold.images.values())
    sources = [hospital / key.path for key in keys]
    print("headers and pixels", file=sys.stderr, flush=True)
    outputs = {"medveil_deid": bench.deid(hospital, sources)}
    for tool in (*HEADER_TOOLS, *IMAGE_TOOLS):
        if ran := bench.files(tool, sources, **({"workers": 1} if tool in HEADER_TOOLS else {})):
            outputs[tool] = ran
    bench.results["headers"] = {
        tool: scoring.headers(keys, sources, outputs[tool][0]) | outputs[tool][1]
        for tool in ("medveil_deid", *HEADER_TOOLS)
        if tool in outputs
    }
    judged(bench, "pixels", keys, sources, {tool: outputs[tool] for tool in outputs if tool not in HEADER_TOOLS})
    alone(bench, "pixels", sources)


def on_real(bench: Bench, data: Path, count: int, seed: int) -> None:
    folder = bench.folder / "real"
    named = real_images(data, folder, count=count, seed=seed)
    sources = [folder / name for name in named]
    print("real radiographs", file=sys.stderr, flush=True)
    ran = {tool: bench.files(tool, sources) for tool in IMAGE_TOOLS}
    judged(bench, "real", list(named.values()), sources, {tool: one for tool, one in ran.items() if one})
    alone(bench, "real", sources)


def alone(bench: Bench, section: str, sources: Sequence[Path]) -> None:
    """Presidio's redactor as people run it: one process, and Tesseract with as many threads as it likes."""
    found = bench.results[section]
    if "presidio_image" in found and (ran := bench.files("presidio_image", sources, workers=1, threads="")):
        found["presidio_image_alone"] = found["presidio_image"] | ran[1]


def judged(
    bench: Bench,
    section: str,
    keys: list[ImageGold],
    sources: Sequence[Path],
    outputs: dict[str, tuple[list[Path | None], Figures]],
) -> None:
    before = [seen for seen in bench.look(sources) if seen]
    bench.results[section] = {
        tool: scoring.pixels(keys, before, bench.look(paths)) | speed for tool, (paths, speed) in outputs.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python-of-peers", help="the Python of the environment that the peers are installed in")
    parser.add_argument("--data", type=Path, help="holds nih14_512 and iu_xray")
    parser.add_argument("--patients", type=int, default=30, help="of the hospital for headers and pixels")
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--text-patients", type=int, default=100, help="of the hospital for reports")
    parser.add_argument("--indiana", type=int, default=300, help="reports")
    parser.add_argument("--images", type=int, default=40, help="real radiographs")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--only", nargs="+", choices=("texts", "hospital", "real"), default=("texts", "hospital", "real")
    )
    parser.add_argument("--conditions", default="", help="a sentence on the machine, for the table")
    parser.add_argument("--out", type=Path, help="JSON; parts left out by --only are kept from an earlier run")
    parser.add_argument("--doc", type=Path, help="a page with markers, whose tables are replaced")
    options = parser.parse_args()
    earlier = json.loads(options.out.read_text()) if options.out and options.out.exists() else {"versions": {}}
    told = f"Python {platform.python_version()}, {options.workers} processes. {options.conditions}".strip()
    results: dict[str, Any] = earlier | {"skipped": [], "conditions": told}
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), options.python_of_peers, options.workers, results)
        if "texts" in options.only:
            small = Path(name) / "texts"
            build_hospital(small, patients=options.text_patients, size=64, seed=options.seed, workers=options.workers)
            bench.texts("reports", *reports_of(load_gold(small)))
            for section, texts in (indiana(options.data, options.indiana) if options.data else {}).items():
                bench.texts(section, texts)
            sentences = [one.strip() for one in CLINICAL if one.strip()]
            bench.texts("clinical", [Text(one, str(number)) for number, one in enumerate(sentences)])
        if "hospital" in options.only:
            large = Path(name) / "hospital"
            build_hospital(
                large, patients=options.patients, size=options.size, seed=options.seed + 1, workers=options.workers
            )
            on_hospital(bench, large)
        if "real" in options.only and options.data:
            on_real(bench, options.data, options.images, options.seed)
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))
    text = tables.markdown(results)
    print(text)
    if options.doc:
        tables.into(options.doc, text)


if __name__ == "__main__":
    main()
