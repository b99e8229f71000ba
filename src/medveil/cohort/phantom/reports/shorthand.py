"""The same observations in telegram style: R, RLL, PTX, c/w, no verbs."""

from __future__ import annotations

import numpy as np

from medveil.cohort.phantom.marked_text import Claim, MarkedText, fill, vary
from medveil.cohort.phantom.reports.interpretation import Observation

_NOUNS = {
    "Lung Opacity": "{size} {lobe} [opacity|opac|density]",
    "Consolidation": "{size} {lobe} [consolidation|consol]",
    "Pneumonia": "{size} {lobe} [opacity c/w PNA|pneumonia|PNA]",
    "Atelectasis": "{size} {s} basilar [atelectasis|atel|ATX]",
    "Edema": "{size} [pulm edema|interst edema|edema, Kerley B lines +]",
    "Lung Lesion": "{mm}{lobe} [nodule|nod|SPN]",
    "Pneumothorax": "{size} {s} [apical |][PTX|pneumothorax]{mm_after}",
    "Pleural Effusion": "{size} {s} [effusion|pl effusion|PE (pleural)|eff]",
    "Pleural Other": "{size} {s} [pleural thickening|pl thickening|pleural scar]",
    "Cardiomegaly": "{size} [cardiomegaly|CM, CTR > 0.5|enlarged heart]",
    "Enlarged Cardiomediastinum": "{size} [wide mediastinum|mediastinal widening]",
    "Fracture": "{s} [rib fx|rib fracture|rib {rib} fx]",
}
_ABSENT: dict[tuple[str, ...], str] = {
    ("Pleural Effusion", "Pneumothorax"): "[no eff/PTX|no PTX or effusion|no effusion, no PTX]",
    ("Pneumothorax",): "[no PTX|no pneumothorax|neg for PTX]",
    ("Pleural Effusion",): "[no effusion|no eff|CP angles sharp, no eff]",
    ("Lung Opacity",): "[lungs clear|lungs clear bilat|no focal opacity]",
    ("Consolidation",): "[no consolidation|no consol]",
    ("Edema",): "[no edema|no edema, no Kerley B]",
    ("Pneumonia",): "[no PNA|no pneumonia]",
    ("Cardiomegaly",): "[heart size nl|heart normal|no cardiomegaly|heart WNL]",
    ("Enlarged Cardiomediastinum",): "[mediastinum nl|mediastinum WNL|med contours unremarkable]",
    ("Fracture",): "[no fx|bones intact|no acute fx]",
    ("Lung Lesion",): "[no nodule|no susp nodule]",
    ("Atelectasis",): "no atelectasis",
    ("Pleural Other",): "no pleural thickening",
    ("Support Devices",): "[no lines/tubes|no lines]",
}
_COURSES = {
    "new": "[ - new| (new)|, NEW]",
    "unchanged": "[, unch|, unchanged|, stable| =]",
    "larger": "[, worse|, larger|, incr]",
    "smaller": "[, better|, smaller|, decr|, improved]",
}
_LOBES = {
    ("right", "upper"): "RUL",
    ("right", "mid"): "RML",
    ("right", "lower"): "RLL",
    ("left", "upper"): "LUL",
    ("left", "mid"): "L lingula",
    ("left", "lower"): "LLL",
}


def note(rng: np.random.Generator, seen: Observation) -> MarkedText:
    """One note, without a full stop."""
    claim = Claim(seen.labels, seen.says, seen.side if _sided(seen) else "")
    match seen.says:
        case "absent":
            body = _ABSENT[seen.labels]
        case "resolved":
            body = f"[prior|previous|prev] {_NOUNS[seen.label]} [resolved|cleared|gone]"
        case "possible" if not seen.zone:
            body = "[r/o superimposed PNA|? superimposed PNA|cannot exclude PNA]"
        case "possible":
            body = f"[?|poss|possible|?? ] {_NOUNS[seen.label]}{_course(seen)}"
        case "present":
            body = f"{_NOUNS[seen.label]}{_course(seen)}"
    slots = _slots(seen)
    filled = fill(vary(rng, body), **slots)
    return fill(" ".join(filled.text.split())).about(claim)


def _course(seen: Observation) -> str:
    return _COURSES[seen.course] if seen.course else ""


def _sided(seen: Observation) -> bool:
    return bool(seen.side) and seen.label not in ("Edema", "Cardiomegaly", "Enlarged Cardiomediastinum")


def _slots(seen: Observation) -> dict[str, str]:
    letter = {"left": "L", "right": "R", "bilateral": "bilat", "": ""}[seen.side]
    graded = seen.says == "present"
    return {
        "s": letter,
        "lobe": _LOBES.get((seen.side, seen.zone), f"{letter} {seen.zone}"),
        "rib": "-".join(str(rib) for rib in (*seen.ribs[:1], *seen.ribs[1:][-1:])),
        "size": ("min", "mild", "mod", "marked")[min(int(seen.extent * 4), 3)] if graded else "",
        "mm": f"{seen.measured} mm " if seen.measured and graded else "",
        "mm_after": f" {seen.measured} mm" if seen.measured and graded else "",
    }
