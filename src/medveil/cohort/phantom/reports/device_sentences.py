"""Sentences about tubes, lines and pacemakers: where they enter, where they end, what became of them."""

from __future__ import annotations

import numpy as np

from medveil.cohort.phantom.marked_text import Claim, MarkedText, capitalized, fill, vary
from medveil.cohort.phantom.reports.interpretation import Observation

LABEL = "Support Devices"

_LONG = {
    "endotracheal tube": (
        "[the |an ]endotracheal tube [ends|terminates|has its tip] [{cm} cm|approximately {cm} cm] above the carina",
        "the tip of the endotracheal tube [lies|projects] {cm} cm above the carina",
    ),
    "enteric tube": (
        "[the |an ][enteric|nasogastric|Dobhoff] tube [courses below the diaphragm|passes into the stomach]"
        "[, the tip not included| with its tip beyond the field of view|]",
        "the [enteric|orogastric] tube ends [in the stomach|below the left hemidiaphragm]",
    ),
    "central venous catheter": (
        "[a |the ]{side} internal jugular [central venous catheter|Hickman catheter|line] ends in the "
        "[SVC|lower SVC|superior vena cava]",
        "{side} [Hickman catheter|central venous catheter|tunneled catheter] with its tip [at|over] the "
        "[cavoatrial junction|mid SVC|lower SVC]",
    ),
    "PICC": (
        "[a |the ]{side} PICC [line |][ends|terminates] in the [SVC|lower SVC|mid SVC]",
        "{side}-sided PICC with the tip [at the cavoatrial junction|projecting over the SVC]",
    ),
    "pacemaker": (
        "[a |the ]{side} chest wall [pacemaker|cardiac pacemaker] with [a |its ]lead [ending in|projecting over] "
        "the right ventricle",
        "{side}-sided [cardiac pacemaker|pacing device], the ventricular lead [intact|in expected position]",
    ),
    "chest tube": (
        "[a |the ]{side} [chest tube|pleural drain|thoracostomy tube] [is in place|remains in place|projects over the "
        "{side} hemithorax]",
        "{side} [thoracostomy|chest] tube [ends at the apex|directed towards the apex]",
    ),
    "sternal wires": (
        "[median sternotomy wires|sternal wires] are [intact|aligned|in place]",
        "[intact |]sternotomy wires [and mediastinal clips |]are noted",
    ),
}
_COURSE = {"new": ", new since {prior}", "unchanged": ", unchanged [since|from] {prior}"}
_REMOVED = (
    "the {what} has been [removed|withdrawn|taken out]",
    "interval removal of the {what}",
    "the {what} seen on {prior} is no longer present",
)
_ASIDE = (  # true of many ward patients, and full of names that are nobody's
    "No Swan-Ganz catheter is in place.",
    "An overlying Foley catheter drainage bag is noted.",
    "ECG leads and a Yankauer tip overlie the chest.",
    "No Blakemore tube is present.",
    "No Port-A-Cath reservoir is seen.",
)

_SHORT = {
    "endotracheal tube": ("ETT {cm} cm above carina", "ETT tip ok, {cm} cm from carina"),
    "enteric tube": ("NGT below diaphragm", "[OGT|NGT|Dobhoff] in stomach, tip off film"),
    "central venous catheter": ("{s} IJ [CVC|CVL|Hickman] tip SVC", "{s} [Hickman|CVC] tip [low SVC|CAJ]"),
    "PICC": ("{s} PICC tip SVC", "{s} PICC, tip [low SVC|CAJ]"),
    "pacemaker": ("{s} PPM, lead RV", "{s} chest PPM, lead intact"),
    "chest tube": ("{s} chest tube in situ", "{s} [ICC|pl drain|CT] in place"),
    "sternal wires": ("sternotomy wires intact", "s/p sternotomy, wires ok"),
}


def device_sentence(rng: np.random.Generator, seen: Observation, prior: MarkedText | str) -> MarkedText:
    assert seen.device is not None
    body = vary(rng, _one(rng, _LONG[seen.device.kind]))
    if seen.course and rng.random() < 0.6:
        body += vary(rng, _COURSE[seen.course])
    text = fill(body + ".", side=seen.side, cm=f"{seen.device.above_carina:.1f}", prior=prior)
    return capitalized(text).about(_claim(seen, "{side}" in _LONG[seen.device.kind][0]))


def device_note(rng: np.random.Generator, seen: Observation) -> MarkedText:
    """The same in the fewest letters."""
    assert seen.device is not None
    body = vary(rng, _one(rng, _SHORT[seen.device.kind])) + (", new" if seen.course == "new" else "")
    text = fill(body, s=seen.side[0].upper(), cm=f"{seen.device.above_carina:.0f}")
    return text.about(_claim(seen, "{s}" in _SHORT[seen.device.kind][0]))


def removal(rng: np.random.Generator, kind: str, prior: MarkedText | str, gone: bool) -> MarkedText:
    """`gone` when no device is left at all."""
    text = capitalized(fill(vary(rng, _one(rng, _REMOVED)) + ".", what=kind, prior=prior))
    return text.about(Claim((LABEL,), "resolved")) if gone else text


def aside(rng: np.random.Generator) -> str:
    return _one(rng, _ASIDE)


def _claim(seen: Observation, sided: bool) -> Claim:
    return Claim((LABEL,), "present", seen.side if sided else "")


def _one(rng: np.random.Generator, patterns: tuple[str, ...]) -> str:
    return patterns[int(rng.integers(len(patterns)))]
