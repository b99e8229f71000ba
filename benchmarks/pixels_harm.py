"""What the cleaner changes on real films to which nobody added text, beside Presidio's image redactor.

    python benchmarks/pixels_harm.py --data DATA --out RESULTS.json [--films 100] [--sheet WORST.png]
        [--presidio PEERS/bin/python]

DATA holds nih14 (for the split), nih14_1024, nih14_512, iu_xray and covid19. Every film goes through all that `medveil
deid` does to a picture. Text stands at a film's rim: what changes in the inner box (15 to 85 % across, 20 to 90 % down)
is anatomy or a device painted over; so is what changes inside the lungs, which the bundled network outlines, their rim
left out. The films of pixels_devices.csv show devices, found by looking, with a box around
each (shares of width and height); a box is painted when any pixel in it changed. Those of pixels_letters.csv carry
letters of lead, found by looking too, many of them mirrored: the side should stay, with at most a tenth of its ink
changed, and the initials beside it go, with all but a tenth of theirs changed. PEERS is the environment described in
deid_peers.py; the redactor works on the same files in the same run. Films are shown and listed by their public names,
worst first. Intervals are by patient.
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from deid_peers import Bench
from deid_peers_scoring import Figures, estimate
from deid_peers_table import conditions, into
from medveil.cohort.images import load_image
from medveil.stats.bootstrap import mean_replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.utility.lungs.segmenter import load_segmenter
from medveil.utility.pixel_damage.film import inner_lungs

DEVICES = Path(__file__).with_name("pixels_devices.csv")
LETTERS = Path(__file__).with_name("pixels_letters.csv")
MARKER, INITIALS = "marker", "initials"  # kinds of letters
TOOLS = {"medveil_film": "medveil", "presidio_film": "Presidio image redactor"}
INNER = (0.15, 0.2, 0.85, 0.9)  # left, top, right, bottom
LARGE = 0.01  # of a film
SPARED = 0.1  # of a letter's ink
SHOWN, SIDE = 12, 380  # films on the sheet, and their size

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Film:
    group: str
    path: Path
    patient: str
    devices: tuple[tuple[str, Box], ...] = ()
    letters: tuple[tuple[str, Box], ...] = ()

    @property
    def name(self) -> str:
        """With its folder: the same film is there in several sizes."""
        return f"{self.path.parent.parent.name}/{self.path.name}"


@dataclass(frozen=True)
class Harm:
    """Of one film by one tool: shares of the area changed, devices painted over, letters by kind and as they should be.

    `kept` is how many markers the tool says it left.
    """

    film: Film
    withheld: str
    area: float = 0.0
    inner: float = 0.0
    lungs: float = 0.0
    painted: tuple[str, ...] = ()
    letters: tuple[tuple[str, bool], ...] = ()
    kept: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--sets", nargs="+", choices=[*GROUPS, *BOXED], default=[*GROUPS, *BOXED])
    parser.add_argument("--split", choices=("val", "train"), default="val", help="of NIH and Indiana")
    parser.add_argument(
        "--films", type=int, help="of each set without boxes, evenly spaced; all of them unless told otherwise"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--presidio", help="the Python of the environment that Presidio's redactor is installed in")
    parser.add_argument("--sheet", type=Path, help="a picture of the worst films, changes in red, and after")
    parser.add_argument("--conditions", default="", help="a sentence on the machine, for the table")
    parser.add_argument("--doc", type=Path, help="a page with markers, whose tables are replaced")
    options = parser.parse_args()
    films: list[Film] = []
    for name in options.sets:
        if name in BOXED:
            films += BOXED[name](options.data)
        else:
            films += spread(GROUPS[name](options.data, options.split), options.films)
    told = f"Python {platform.python_version()}, {options.workers} processes. {options.conditions}".strip()
    results: dict[str, Any] = {"versions": {}, "skipped": [], "conditions": told, "sets": {}}
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), options.presidio, options.workers, results)
        harms = {tool: harm for tool in TOOLS if (harm := harmed(bench, tool, films)) is not None}
        for group in dict.fromkeys(film.group for film in films):
            results["sets"][group] = {tool: figures(group, *harms[tool]) for tool in harms}
        results["films"] = {tool: [listed(one) for one in worst(harms[tool][0])] for tool in harms}
        if options.sheet:
            sheet(bench, worst(harms["medveil_film"][0])[:SHOWN]).save(options.sheet)
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))
    text = markdown(results)
    print(text)
    if options.doc:
        into(options.doc, text)


def nih(folder: str) -> Callable[[Path, str], list[Film]]:
    """Of a folder of ChestX-ray14, whose patients are split as those of nih14 are."""

    def found(data: Path, split: str) -> list[Film]:
        patients = {row["patient"] for row in rows(data / "nih14" / "split.csv") if row["split"] == split}
        files = sorted((data / folder / "images").iterdir())
        return [
            Film(f"{folder} {split}", file, of_nih(file)) for file in files if f"nih{of_nih(file)[-5:]}" in patients
        ]

    return found


def of_nih(file: Path) -> str:
    return file.name.split("_")[0]


def indiana(data: Path, split: str) -> list[Film]:
    folder = data / "iu_xray"
    chosen = [row for row in rows(folder / "split.csv") if row["split"] == split]
    return [Film(f"iu_xray {split}", folder / "images" / row["file"], row["uid"]) for row in chosen]


def covid(data: Path, _: str) -> list[Film]:
    folder = data / "covid19"
    return [
        Film("covid19", folder / "images" / row["file"], row["patient_key"]) for row in rows(folder / "metadata.csv")
    ]


GROUPS: dict[str, Callable[[Path, str], list[Film]]] = {
    "nih14_1024": nih("nih14_1024"),
    "nih14_512": nih("nih14_512"),
    "iu_xray": indiana,
    "covid19": covid,
}


def with_devices(data: Path) -> list[Film]:
    patients = {film.path.name: film.patient for film in covid(data, "")}
    return [
        Film("devices", file, patients.get(file.name) or of_nih(file), devices=found)
        for file, found in boxes_of(DEVICES, data).items()
    ]


def with_letters(data: Path) -> list[Film]:
    return [Film("letters", file, of_nih(file), letters=found) for file, found in boxes_of(LETTERS, data).items()]


BOXED: dict[str, Callable[[Path], list[Film]]] = {"devices": with_devices, "letters": with_letters}


def boxes_of(table: Path, data: Path) -> dict[Path, tuple[tuple[str, Box], ...]]:
    found: dict[Path, tuple[tuple[str, Box], ...]] = {}
    for row in rows(table):
        left, top, right, bottom = (float(row[side]) for side in ("left", "top", "right", "bottom"))
        file = data / row["set"] / "images" / row["file"]
        found[file] = (*found.get(file, ()), (row["kind"], (left, top, right, bottom)))
    return found


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table))


def spread(films: list[Film], count: int | None) -> list[Film]:
    if count is None or count >= len(films):
        return films
    return [films[int(place)] for place in np.linspace(0, len(films), count, endpoint=False)]


def harmed(bench: Bench, tool: str, films: Sequence[Film]) -> tuple[list[Harm], dict[str, Figures]] | None:
    """What the tool did to each film, and its speed by set; None where it is not installed."""
    harms: list[Harm] = []
    speeds: dict[str, Figures] = {}
    (bench.folder / tool).mkdir()
    for group in dict.fromkeys(film.group for film in films):
        own = [film for film in films if film.group == group]
        items = [{"source": str(film.path), "out": str(released(bench, tool, film))} for film in own]
        if (ran := bench.run(tool, items)) is None:
            return None
        speeds[group] = ran[1]
        harms += [harm_of(bench, tool, film, done or {}) for film, done in zip(own, ran[0], strict=True)]
    return harms, speeds


def released(bench: Bench, tool: str, film: Film) -> Path:
    return bench.folder / tool / f"{film.group} {film.name.replace('/', ' ')}.png"


def harm_of(bench: Bench, tool: str, film: Film, done: dict[str, Any]) -> Harm:
    if "withheld" in done or "failed" in done:
        return Harm(film, done.get("withheld") or done["failed"])
    before = gray(film.path)
    changed = np.asarray(before != gray(released(bench, tool, film)))
    painted = tuple(kind for kind, box in film.devices if inside(changed, box).any())
    return Harm(
        film,
        "",
        area=float(changed.mean()),
        inner=float(inside(changed, INNER).mean()),
        lungs=float(changed[inner_lungs(load_segmenter().mask(before))].mean()) if changed.any() else 0.0,
        painted=painted,
        letters=letters(before, changed, film),
        kept=done.get("clinical markers kept", 0),
    )


def gray(file: Path) -> NDArray[Any]:
    return load_image(file.parent, file.name)


def inside(plane: NDArray[Any], box: Box) -> NDArray[Any]:
    down, across = plane.shape
    left, top, right, bottom = box
    return plane[int(top * down) : round(bottom * down), int(left * across) : round(right * across)]


def letters(before: NDArray[Any], changed: NDArray[np.bool_], film: Film) -> tuple[tuple[str, bool], ...]:
    """Each letter's kind, and whether it fared as it should. What initials stand in a marker's box is not its ink."""
    others = np.zeros(before.shape, bool)
    for kind, box in film.letters:
        if kind == INITIALS:
            inside(others, box)[:] = True
    found = []
    for kind, box in film.letters:
        ink = ink_of(inside(before, box))
        ink &= ~inside(others, box) if kind == MARKER else True
        share = float(inside(changed, box)[ink].mean())
        found.append((kind, share <= SPARED if kind == MARKER else share >= 1 - SPARED))
    return tuple(found)


def ink_of(part: NDArray[Any]) -> NDArray[np.bool_]:
    """Lead is bright."""
    level, _ = cv2.threshold(part.astype(np.uint8), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    return np.asarray(part > level)


def figures(group: str, harms: list[Harm], speeds: dict[str, Figures]) -> Figures:
    own = [harm for harm in harms if harm.film.group == group]
    open_ = [harm for harm in own if not harm.withheld]

    def share(values: Sequence[float], of: Sequence[Harm] = open_) -> Figures | None:
        return estimate(values, [harm.film.patient for harm in of])

    found: Figures = {
        "films": len(own),
        "area changed": mean([harm.area for harm in open_], [harm.film.patient for harm in open_]),
        "films over 1 %": share([harm.area > LARGE for harm in open_]),
        "inner box touched": share([harm.inner > 0 for harm in open_]),
        "lungs touched": share([harm.lungs > 0 for harm in open_]),
        "withheld": share([bool(harm.withheld) for harm in own], own),
        "reasons": dict(Counter(harm.withheld for harm in own if harm.withheld)),
        "markers it says it kept": sum(harm.kept for harm in open_),
        "seconds": 1 / speeds[group]["a second"],
    }
    if own[0].film.devices:
        found["device painted"] = share([bool(harm.painted) for harm in open_])
        shown = Counter(kind for harm in open_ for kind, _ in harm.film.devices)
        painted = Counter(kind for harm in open_ for kind in harm.painted)
        found["boxes by kind"] = {kind: [painted[kind], count] for kind, count in sorted(shown.items())}
    for kind, name in ((MARKER, "markers kept"), (INITIALS, "initials removed")):
        fared = [(ok, harm.film.patient) for harm in open_ for its, ok in harm.letters if its == kind]
        found[name] = estimate([ok for ok, _ in fared], [patient for _, patient in fared])
    return found


def mean(values: Sequence[float], patients: Sequence[str]) -> Figures | None:
    """Of areas, by redrawing patients: they are no shares of tries."""
    if not values:
        return None
    codes, count = unit_codes(np.array(patients, dtype=object))
    draws = mean_replicates(np.array(values), codes, unit_weights(count, seed=0))
    found = Estimate.from_replicates(float(np.mean(values)), draws, n=len(values), units=count)
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n}


def worst(harms: list[Harm]) -> list[Harm]:
    """Painted devices first, then lost markers, then what changed inside and at the rim; not what was left alone."""
    told = [harm for harm in harms if harm.withheld or harm.area]
    return sorted(
        told, key=lambda harm: (-len(harm.painted), -lost(harm), -harm.lungs, -harm.inner, -harm.area, harm.withheld)
    )


def lost(harm: Harm) -> int:
    return sum(kind == MARKER and not ok for kind, ok in harm.letters)


def listed(harm: Harm) -> dict[str, Any]:
    told = {"set": harm.film.group, "film": harm.film.name}
    if harm.withheld:
        return told | {"withheld": harm.withheld}
    return told | {
        "area": harm.area,
        "inner": harm.inner,
        "lungs": harm.lungs,
        "painted": list(harm.painted),
        "markers lost": lost(harm),
    }


def sheet(bench: Bench, harms: Sequence[Harm]) -> Image.Image:
    """Two films a row: before, with the changes in red and devices framed, and after."""
    pairs = []
    for harm in harms:
        if harm.withheld:
            continue
        film, after = harm.film, gray(released(bench, "medveil_film", harm.film))
        before = gray(film.path)
        marked = np.repeat(before[..., None], 3, axis=2)
        marked[before != after] = (255, 0, 0)
        down, across = before.shape
        for _, (left, top, right, bottom) in film.devices + film.letters:
            corners = (int(left * across), int(top * down)), (int(right * across), int(bottom * down))
            cv2.rectangle(marked, *corners, (255, 210, 0), max(1, across // 400))
        pair = np.hstack([cv2.resize(one, (SIDE, SIDE)) for one in (marked, np.repeat(after[..., None], 3, axis=2))])
        cv2.putText(pair, film.name, (6, SIDE - 8), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (255, 210, 0), 1, cv2.LINE_AA)
        pairs.append(pair)
    pairs += [np.zeros((SIDE, 2 * SIDE, 3), np.uint8)] * (len(pairs) % 2 or 2 * (not pairs))
    return Image.fromarray(np.vstack([np.hstack(pairs[k : k + 2]) for k in range(0, len(pairs), 2)]))


def markdown(results: dict[str, Any]) -> str:
    shares = ("area changed", "films over 1 %", "inner box touched", "lungs touched", "withheld")
    boxed = ("device painted", "markers kept", "initials removed")
    head = ["films", "", *shares, *boxed, "seconds an image"]
    lines = [head, ["---"] * len(head)]
    for group, tools in results["sets"].items():
        for tool, one in tools.items():
            shown = [precise(one.get(name)) for name in (*shares, *boxed)]
            lines.append([group, TOOLS[tool], *shown, f"{one['seconds']:.2f}"])
    table = "\n".join(f"| {' | '.join(row)} |" for row in lines)
    beside = [compared(group, tools) for group, tools in results["sets"].items() if len(tools) == len(TOOLS)]
    return "\n\n".join([conditions(results), table, *beside]) + "\n"


def precise(figure: Figures | None) -> str:
    """Small shares need more digits than a table of identifiers does."""
    if figure is None:
        return "–"
    low, high = (f"{100 * figure[name]:.2f}" for name in ("low", "high"))
    return f"{100 * figure['value']:.3f} % of {figure['n']:,} ({low}–{high})"


def compared(group: str, tools: dict[str, Figures]) -> str:
    ours, theirs = (tools[tool] for tool in TOOLS)
    parts = [f"{group}: medveil takes {ours['seconds'] / theirs['seconds']:.2f} of the redactor's time"]
    for name in ("area changed", "inner box touched", "lungs touched", "device painted"):
        if ours.get(name) and theirs.get(name) and theirs[name]["value"]:
            parts.append(f"{name} {ours[name]['value'] / theirs[name]['value']:.2f} times as much")
    return ", ".join(parts) + "."


if __name__ == "__main__":
    main()
