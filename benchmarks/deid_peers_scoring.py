"""What a tool left and what it destroyed, judged by the answer key; a part of deid_peers.py.

A header identifier counts where it is found at its tag path before, and is left where it is found there after. A
burned-in one counts where RapidOCR reads it at its place before, and is left where it reads half of its letters after.
A report identifier is removed if every letter and digit of it is. Intervals are by patient.
"""

from __future__ import annotations

import datetime as dt
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pydicom
from numpy.typing import NDArray

from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.cohort.phantom.gold import Identifier, ImageGold
from medveil.defenses.headers.profile import Profile
from medveil.person.identifiers import Category
from medveil.person.person import Known
from medveil.release.verify import answer_key
from medveil.release.verify.byte_search import KnownBytes
from medveil.release.verify.pixel_check import Read, Reader
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.shares import share

Figures = dict[str, Any]
_EPONYMS = re.compile(
    r"\b(kerley(?: [abc])?|swan[- ]ganz|foley|hickman|fleischner|port[- ]a[- ]cath|dobhoff|hampton|westermark|ghon|"
    r"pancoast|bochdalek|morgagni|ranke|chilaiditi|monaldi|broviac|groshong|quinton|bosniak|heimlich)\b",
    re.IGNORECASE,
)
_MEASURES = re.compile(
    r"\b\d+(?:\.\d+)?(?: ?x ?\d+(?:\.\d+)?)* ?(?:mm|cm|ml|kv|kvp|mas|%|degrees?|french|fr)(?!\w)", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z0-9][\w'./-]*")
_CROSSED_OUT = re.compile(r"[Xx]{3,}")


@dataclass(frozen=True)
class Text:
    """A report, whose it is, and what in it identifies and what must stay."""

    text: str
    unit: str
    identifiers: tuple[Identifier, ...] = ()
    statements: tuple[tuple[int, int], ...] = ()


def estimate(values: Sequence[float], units: Sequence[str], unit: str = "patient") -> Figures | None:
    """The mean with its interval; nothing where there was nothing to count."""
    if not values:
        return None
    codes, count = unit_codes(np.array(units, dtype=object))
    found = share(np.array(values, float), codes, unit_weights(count, seed=0), unit=unit)
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n, "units": found.units}


def reports(texts: Sequence[Text], spans: Sequence[Any]) -> Figures:
    """Withheld texts are left out of the shares and counted."""
    pairs = [(text, own) for text, own in zip(texts, spans, strict=True) if isinstance(own, list)]
    gone: dict[str, list[tuple[float, str]]] = defaultdict(list)
    by_class: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for text, own in pairs:
        removed = _covered(text.text, own)
        counts = np.array([letter.isalnum() for letter in text.text], bool)
        named = np.zeros(len(counts), bool)
        for one in text.identifiers:
            named[one.start : one.end] = True
            letters = removed[one.start : one.end][counts[one.start : one.end]]
            gone["identifiers left"].append((float(not letters.all()), text.unit))
            gone["identifiers untouched"].append((float(not letters.any()), text.unit))
            by_class[str(one.category)].append((float(letters.all()), text.unit))
        for right in named[removed & counts]:
            gone["removed without need"].append((float(not right), text.unit))
        for name, places in _to_keep(text, named):
            gone[name] += [(float(removed[start:end].any()), text.unit) for start, end in places]
    return {
        **{name: _estimated(found) for name, found in gone.items()},
        "by class": {name: _estimated(found) for name, found in sorted(by_class.items())},
        "withheld": len(texts) - len(pairs),
        "texts": len(texts),
    }


def false_alarms(texts: Sequence[Text], spans: Sequence[Any]) -> Figures:
    """Texts without identifiers: every word that is touched was touched in error."""
    touched: list[tuple[float, str]] = []
    kept: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for text, own in zip(texts, spans, strict=True):
        if not isinstance(own, list):
            continue
        removed = _covered(text.text, own)
        words = (word for word in _WORD.finditer(text.text) if not _CROSSED_OUT.search(word[0]))
        touched += [(float(removed[slice(*word.span())].any()), text.unit) for word in words]
        for name, places in _to_keep(text, np.zeros(len(removed), bool)):
            kept[name] += [(float(removed[start:end].any()), text.unit) for start, end in places]
    return {
        "words removed": _estimated(touched),
        **{name: _estimated(found) for name, found in kept.items()},
        "withheld": sum(not isinstance(own, list) for own in spans),
        "texts": len(texts),
    }


def _estimated(found: list[tuple[float, str]]) -> Figures | None:
    return estimate([value for value, _ in found], [unit for _, unit in found])


def _covered(text: str, spans: Iterable[Sequence[int]]) -> NDArray[np.bool_]:
    removed = np.zeros(len(text), bool)
    for start, end in spans:
        removed[start:end] = True
    return removed


def _to_keep(text: Text, named: NDArray[np.bool_]) -> list[tuple[str, list[tuple[int, int]]]]:
    """Statements of findings, eponyms and measurements that hold no identifier."""
    places = {
        "statements damaged": list(text.statements),
        "eponyms damaged": [found.span() for found in _EPONYMS.finditer(text.text)],
        "measurements damaged": [found.span() for found in _MEASURES.finditer(text.text)],
    }
    return [(name, [at for at in found if not named[slice(*at)].any()]) for name, found in places.items()]


def headers(keys: Sequence[ImageGold], sources: Sequence[Path], outputs: Sequence[Path | None]) -> Figures:
    """`outputs` has None where the tool withheld the file."""
    profile = Profile.default()
    left: list[tuple[float, str]] = []
    days: list[tuple[float, str]] = []
    bytes_left: list[tuple[float, str]] = []
    kept: list[tuple[float, str]] = []
    by_class: dict[str, list[tuple[float, str]]] = defaultdict(list)
    visits: dict[str, list[tuple[dt.datetime, dt.datetime | None]]] = defaultdict(list)
    new_errors: list[tuple[float, str]] = []
    for key, source, output in zip(keys, sources, outputs, strict=True):
        if output is None:
            continue
        before, after = (pydicom.dcmread(path, stop_before_pixels=True) for path in (source, output))
        for one in key.in_header:
            alone = replace(key, in_header=(one,))
            if one.category is Category.DATE:
                if _at(before, one.path) is not None:
                    days.append((float(_at(after, one.path) == _at(before, one.path)), key.patient_id))
            elif any(answer_key.in_header("", alone, before, profile)):
                left.append((float(any(answer_key.in_header("", alone, after, profile))), key.patient_id))
                by_class[str(one.category)].append((1 - left[-1][0], key.patient_id))
        kept += [(same, key.patient_id) for same in _kept(key, before, after)]
        own = KnownBytes.own(
            Known(one.category, one.value) for one in key.in_header if one.category is not Category.DATE
        )
        bytes_left.append((float(bool(own.found_in(output.read_bytes()))), key.patient_id))
        if (taken := _taken(before)) is not None:
            visits[key.patient_id].append((taken, _taken(after)))
        if shutil.which("dciodvfy"):
            new_errors.append((float(bool(_errors(output) - _errors(source))), key.patient_id))
    return {
        "identifiers left": _estimated(left),
        "dates left": _estimated(days),
        "files with a known identifier in any byte": _estimated(bytes_left),
        "intervals between visits kept": _estimated(_intervals(visits)),
        "other attributes kept": _estimated(kept),
        "files with a new dciodvfy error": _estimated(new_errors),
        "by class": {name: _estimated(found) for name, found in sorted(by_class.items())},
        "withheld": sum(output is None for output in outputs),
        "files": len(outputs),
    }


def _at(dataset: pydicom.Dataset, path: str) -> str | None:
    """The value at a tag path, as text; None where it leads nowhere."""
    current: Any = dataset
    for group, element, item in re.findall(r"\(([0-9A-F]{4}),([0-9A-F]{4})\)(?:\[(\d+)\])?", path):
        tag = int(group + element, 16)
        if tag not in current:
            return None
        current = current[tag].value
        if item:
            if int(item) >= len(current):
                return None
            current = current[int(item)]
    return str(current) if current else None


def _kept(key: ImageGold, before: pydicom.Dataset, after: pydicom.Dataset) -> list[float]:
    """Public attributes at the top with a value that identifies nobody: are they as they were?"""
    named = {one.path.partition("[")[0] for one in key.in_header}
    return [
        float(element.tag in after and after[element.tag].value == element.value)
        for element in before
        if not element.tag.is_private
        and element.VR not in ("SQ", "UI", "TM", "OB", "OW")
        and element.tag.group not in (0x0028, 0x7FE0)
        and f"({element.tag.group:04X},{element.tag.element:04X})" not in named
        and not element.is_empty
    ]


def _taken(dataset: pydicom.Dataset) -> dt.datetime | None:
    day, clock = str(dataset.get("StudyDate", ""))[:8], str(dataset.get("StudyTime", "") or "")[:6].ljust(6, "0")
    try:
        return dt.datetime.strptime(day + clock, "%Y%m%d%H%M%S")
    except ValueError:
        return None


def _intervals(visits: dict[str, list[tuple[dt.datetime, dt.datetime | None]]]) -> list[tuple[float, str]]:
    """From each visit of a patient to the next on a later day: kept in days, or to the second."""
    found = []
    for patient, own in visits.items():
        ordered = sorted(own, key=lambda pair: pair[0])
        for (old, new), (next_old, next_new) in pairwise(ordered):
            if next_old.date() > old.date():
                kept = new is not None and next_new is not None and _same(old, next_old, new, next_new)
                found.append((float(kept), patient))
    return found


def _same(old: dt.datetime, next_old: dt.datetime, new: dt.datetime, next_new: dt.datetime) -> bool:
    return next_new - new == next_old - old or next_new.date() - new.date() == next_old.date() - old.date()


@lru_cache(maxsize=4096)
def _errors(path: Path) -> frozenset[str]:
    told = subprocess.run(["dciodvfy", "-new", str(path)], capture_output=True, text=True, errors="replace")
    lines = (told.stdout + told.stderr).splitlines()
    # values, in <>, differ by design; paths of attributes, in </>, stay
    return frozenset(re.sub(r"<(?!/)[^>]*>", "<>", line) for line in lines if line.startswith("Error"))


@dataclass(frozen=True)
class Seen:
    """An image as it is stored, and what the judge reads in it as displayed."""

    image: NDArray[Any]
    reads: tuple[Read, ...]


@lru_cache(maxsize=1)
def _reader() -> Reader:
    return Reader()


def _stored(path: Path) -> StoredPixels:
    stored = StoredPixels.of(pydicom.dcmread(path))
    assert stored is not None
    return stored


def pixel_digest(path: Path) -> str:
    return sha256(_stored(path).frames[0].tobytes()).hexdigest()


def look(path: Path) -> Seen:
    stored = _stored(path)
    return Seen(stored.frames[0], tuple(_reader().read(stored.displayed(0))))


def pixels(keys: Sequence[ImageGold], before: Sequence[Seen], after: Sequence[Seen | None]) -> Figures:
    left: list[tuple[float, str]] = []
    markers: list[tuple[float, str]] = []
    beside = []
    for key, old, new in zip(keys, before, after, strict=True):
        if new is None:
            continue
        same_size = old.image.shape == new.image.shape
        for one in key.in_pixels:
            alone = replace(key, in_pixels=(one,))
            if any(answer_key.in_pixels("", alone, old.reads)):
                left.append((float(any(answer_key.in_pixels("", alone, new.reads))), key.patient_id))
        for marker in key.markers:
            changed = any(answer_key.markers("", replace(key, markers=(marker,)), old.image, new.image))
            markers.append((float(not changed), key.patient_id))
        if same_size:
            beside.append(_changed_beside(key, old.image, new.image))
    return {
        "burned-in identifiers left": _estimated(left),
        "markers kept": _estimated(markers),
        "changed beside the text, percent of the image": 100 * float(np.mean(beside)) if beside else None,
        "withheld": sum(new is None for new in after),
        "images": len(keys),
    }


def _changed_beside(key: ImageGold, old: NDArray[Any], new: NDArray[Any]) -> float:
    """Away from every burned-in line by more than a line's height."""
    changed = old != new
    for one in key.in_pixels:
        left, top, right, bottom = one.box
        reach = bottom - top
        changed[..., max(0, top - reach) : bottom + reach, max(0, left - reach) : right + reach] = False
    return float(changed.mean())
