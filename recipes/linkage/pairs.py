"""Image-report pairs of phantom patients, packed for training; a part of recipes/linkage/recipe.py.

A pack is a tar file: one WebP image a visit, taken through the encoders' image pipeline and without burned-in text,
and `reports.json.gz` with several reports a visit: the hospital's own, one in every house style, and its statements
alone. No report holds an identifier: each is a gap that names its category, which training leaves empty or fills
with a stand-in that belongs to nobody in the pack.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

REPORTS = "reports.json.gz"
SITES = 10  # every house style and scanner there is
PATIENTS = 25  # of one hospital; the next ones come from another
KEPT_NORMAL = 0.4  # share of the visits without finding and device that are drawn: one looks like the next
SIDES = (256, 513)  # pixels at which films are drawn before they are reduced
QUALITY = 80
STAND_INS = 40  # hospitals away, so that no stand-in belongs to a patient of the pack
GAP = re.compile("⟦([A-Z0-9_]+)⟧")


@dataclass(frozen=True)
class Pack:
    """What training reads: row i of the images was reported in the texts i."""

    images: NDArray[np.uint8]  # n × 224 × 224
    texts: list[list[str]]  # with gaps; the hospital's own report first
    stand_ins: dict[str, list[str]]


def write_pack(path: Path, *, visits: int, seed: int, workers: int | None = None) -> None:
    """Draw `visits` visits of as many patients, of hospitals counted up from `seed`."""
    from medveil.runtime.workers import ordered_map

    drawn = ordered_map(_pair, _chosen(seed, visits), workers=workers, chunk=4)
    save_pack(path, drawn, _stand_ins(seed + visits + STAND_INS))


def save_pack(
    path: Path, pairs: Iterable[tuple[NDArray[np.uint8], list[str]]], stand_ins: dict[str, list[str]]
) -> None:
    """Prepared images with their texts."""
    import cv2

    texts: list[list[str]] = []
    with tarfile.open(path, "w") as tar:
        for image, reports in pairs:
            _, encoded = cv2.imencode(".webp", image, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
            _add(tar, f"{len(texts):06d}.webp", bytes(encoded))
            texts.append(reports)
            if len(texts) % 500 == 0:
                print(f"{len(texts)} pairs packed", flush=True)
        reports = json.dumps({"texts": texts, "stand_ins": stand_ins}, ensure_ascii=False).encode()
        _add(tar, REPORTS, gzip.compress(reports))


def read_pack(path: Path) -> Pack:
    """Needs NumPy and Pillow alone."""
    with tarfile.open(path) as tar:
        parts = {member.name: tar.extractfile(member).read() for member in tar}
    reports = json.loads(gzip.decompress(parts.pop(REPORTS)))
    with ThreadPoolExecutor(16) as pool:
        images = list(pool.map(_decoded, (parts[name] for name in sorted(parts))))
    return Pack(np.stack(images), reports["texts"], reports["stand_ins"])


def fill_gaps(text: str, stand_ins: dict[str, list[str]], rng: np.random.Generator) -> str:
    """A report as it may be met: every identifier gone, crossed out, or somebody else's."""
    way = rng.random()
    if way < 0.4:
        return GAP.sub("", text)
    if way < 0.6:
        return GAP.sub(str(rng.choice(["XXXX", "___", "[removed]"])), text)
    return GAP.sub(partial(_stand_in, stand_ins, rng), text)


def _stand_in(stand_ins: dict[str, list[str]], rng: np.random.Generator, gap: re.Match[str]) -> str:
    known = stand_ins.get(gap.group(1)) or [""]
    return known[int(rng.integers(len(known)))]


def _decoded(content: bytes) -> NDArray[np.uint8]:
    from PIL import Image

    with Image.open(io.BytesIO(content)) as picture:
        return np.array(picture.convert("L"))


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


def _chosen(seed: int, visits: int) -> Iterator[tuple[int, int, int]]:
    """Hospital, patient and visit, one visit a patient."""
    from medveil.cohort.phantom.plan import plan_patient

    found = 0
    for hospital in range(seed, seed + visits):
        for number in range(PATIENTS):
            patient = plan_patient(hospital, number, SITES)
            rng = np.random.default_rng([hospital, number, 77])
            visit = patient.visits[int(rng.integers(len(patient.visits)))]
            if visit.findings or visit.devices or rng.random() < KEPT_NORMAL:
                yield hospital, number, visit.number
                found += 1
                if found == visits:
                    return


def _pair(key: tuple[int, int, int]) -> tuple[NDArray[np.uint8], list[str]]:
    from medveil.cohort.phantom.plan import plan_patient
    from medveil.cohort.phantom.radiograph import draw
    from medveil.cohort.preprocess import equalised_224

    hospital, number, visit = key
    patient = plan_patient(hospital, number, SITES)
    side = int(np.random.default_rng([*key, 78]).integers(*SIDES)) // 2 * 2
    pixels = draw(patient, patient.visits[visit], sites_seed=hospital, size=side).pixels
    return equalised_224(pixels), _reports(hospital, patient, patient.visits[visit])


def _reports(hospital: int, patient: Any, visit: Any) -> list[str]:
    from medveil.cohort.phantom import chart
    from medveil.cohort.phantom.reports import STYLES, write_report
    from medveil.cohort.phantom.reports.interpretation import interpret
    from medveil.cohort.phantom.reports.mentions import Mentions
    from medveil.cohort.phantom.sites import make_site

    site = make_site(hospital, patient.site)
    person = chart.make_demographics(hospital, patient, site)
    own, _ = write_report(hospital, patient, visit, person, site)
    texts = [own]
    for number, style in enumerate(STYLES.values()):
        rng = np.random.default_rng([patient.person_key, 79, visit.number, number])
        reading = interpret(rng, patient, visit)
        earlier = chart.make_encounter(hospital, patient, reading.before, site) if reading.before else None
        encounter = chart.make_encounter(hospital, patient, visit, site)
        texts.append(style(Mentions(rng, visit, reading.before, person, encounter, earlier, site), reading))
    said = " ".join(piece.text for piece in texts[2].pieces if piece.claim is not None and piece.category is None)
    return [_with_gaps(text) for text in texts] + ([said] if said else [])


def _with_gaps(text: Any) -> str:
    return "".join(f"⟦{piece.category}⟧" if piece.category else piece.text for piece in text.pieces)


def _stand_ins(hospital: int) -> dict[str, list[str]]:
    from medveil.cohort.phantom import chart
    from medveil.cohort.phantom.plan import plan_patient
    from medveil.cohort.phantom.reports import write_report
    from medveil.cohort.phantom.sites import make_site

    found: dict[str, set[str]] = {}
    for seed in range(hospital, hospital + STAND_INS):
        for number in range(PATIENTS):
            patient = plan_patient(seed, number, SITES)
            site = make_site(seed, patient.site)
            text, _ = write_report(seed, patient, patient.visits[0], chart.make_demographics(seed, patient, site), site)
            for identifier in text.identifiers():
                found.setdefault(str(identifier.category), set()).add(identifier.text)
    return {category: sorted(values)[:: len(values) // 400 + 1] for category, values in sorted(found.items())}
