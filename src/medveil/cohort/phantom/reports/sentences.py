"""Full sentences for what a reading says, as dictated. `[a|b]` marks a choice, `{slot}` a place to fill.

`{place}` is a lobe or zone with its side, `{side}` the side alone, `{size}` a word for the extent, `{prior}` the
earlier study. Sides are always named where the observation has one.
"""

from __future__ import annotations

import numpy as np

from medveil.cohort.phantom.marked_text import Claim, MarkedText, capitalized, fill, vary
from medveil.cohort.phantom.reports.interpretation import Observation

_OPEN = "[There is|There is|Note is made of]"

PRESENT: dict[str, tuple[str, ...]] = {
    "Lung Opacity": (
        f"{_OPEN} {{size}} [hazy |patchy |ill-defined |]opacity in the {{place}}",
        "[hazy|patchy|ill-defined|streaky] {size} opacity [projects over|is seen in|overlies] the {place}",
        "the {place} shows {size} [increased density|hazy opacification|airspace opacity]",
    ),
    "Consolidation": (
        f"{_OPEN} {{size}} [airspace |focal |dense |]consolidation in the {{place}}[| with air bronchograms]",
        "the {place} is [partly |]consolidated, {size} in extent",
        "{size} [confluent|lobar|segmental] consolidation [occupies|is present in|involves] the {place}",
    ),
    "Pneumonia": (
        f"{_OPEN} {{size}} opacity in the {{place}}, [consistent with|compatible with|in keeping with] pneumonia",
        "{size} airspace opacity in the {place} [represents|is typical of|indicates] [pneumonia|lobar pneumonia]",
        "[pneumonia|pneumonic infiltrate], {size}, is [seen|present] in the {place}",
    ),
    "Atelectasis": (
        f"{_OPEN} {{size}} [plate-like |linear |subsegmental |dependent |]atelectasis at the {{base}}",
        "[linear|band-like|streaky] opacities at the {base} [reflect|are consistent with] {size} atelectasis",
        "{size} [volume loss|atelectatic change] [with atelectasis |]is [seen|noted] at the {base}",
    ),
    "Edema": (
        f"{_OPEN} {{size}} [interstitial |pulmonary ]edema[| with Kerley B lines| with perihilar haze]",
        "[Kerley B lines and |]vascular redistribution [indicate|are in keeping with] {size} pulmonary edema",
        "{size} [bilateral|perihilar] [interstitial|airspace] edema is [seen|present][|, with Kerley B lines]",
    ),
    "Lung Lesion": (
        f"{_OPEN} a {{size_mm}} [{{lesion}}|rounded {{lesion}}|{{lesion}}-like opacity] in the {{place}}",
        "a {size_mm} [pulmonary {lesion}|round lesion|well-defined {lesion}] [projects over|lies in] the {place}",
        "the {place} contains a {size_mm} [{lesion}|rounded lesion|lobulated {lesion}]",
    ),
    "Pneumothorax": (
        f"{_OPEN} a {{size}} {{side}} [apical |]pneumothorax{{mm_apex}}",
        "a {size} {side} pneumothorax is [seen|visible|present]{mm_apex}",
        "[a pleural line|the pleural edge] is [visible|seen] at the {side} apex, a {size} pneumothorax{mm_apex}",
    ),
    "Pleural Effusion": (
        f"{_OPEN} {{a_size}} {{side}} pleural {{effusion}}",
        "{a_size} {side} pleural {effusion} [blunt{s}|obscure{s}|fill{s}] the costophrenic {angle}",
        "{side} pleural {effusion}, {size} in [size|volume], {is_are} [seen|present|noted]",
    ),
    "Pleural Other": (
        f"{_OPEN} {{size}} {{side}} [pleural thickening|pleural scarring|pleural plaque formation]",
        "{size} pleural [thickening|scarring] [along|over] the {side} [lateral chest wall|hemithorax|lung]",
    ),
    "Cardiomegaly": (
        "the heart is [{size_ly} enlarged|{size_ly} increased in size]",
        "[there is|note is made of] {size} cardiomegaly",
        "the cardiac silhouette is {size_ly} enlarged[|, with a cardiothoracic ratio above one half]",
    ),
    "Enlarged Cardiomediastinum": (
        "the [cardiomediastinal silhouette|mediastinum|superior mediastinum] is {size_ly} widened",
        "[there is|note is made of] {size} widening of the [mediastinum|cardiomediastinal contour]",
    ),
    "Fracture": (
        "[there {is_are}|note is made of] [nondisplaced |minimally displaced |]{fracture} of the {side} {ribs}",
        "[displaced|nondisplaced|acute] {fracture} of the {side} {ribs} {is_are} [seen|noted|identified]",
        "[cortical step-off|deformity] of the {side} {ribs}, [consistent with|representing] {fracture}",
    ),
}

POSSIBLE: dict[str, tuple[str, ...]] = {
    "Lung Opacity": (
        "[questionable|possible|equivocal] [hazy |faint |]opacity in the {place}",
        "a faint opacity in the {place} [may be|is possibly] [real or projectional|superimposition]",
    ),
    "Consolidation": (
        "early consolidation in the {place} [cannot be excluded|is possible|is difficult to exclude]",
        "[possible|questionable] consolidation in the {place}",
    ),
    "Pneumonia": (
        "[hazy|patchy] opacity in the {place} [may represent|could represent|is suspicious for] pneumonia",
        "opacity in the {place}, [possibly|perhaps] pneumonia[| in the appropriate clinical setting]",
    ),
    "Atelectasis": (
        "[probable|possible|likely] [mild |minor |]atelectasis at the {base}",
        "density at the {base} [may represent|may reflect|probably reflects] atelectasis",
    ),
    "Edema": (
        "[possible|questionable|suspected] [mild |early |]interstitial edema",
        "[mild |]vascular congestion, early pulmonary edema [cannot be excluded|is possible]",
    ),
    "Lung Lesion": (
        "[possible|questionable|equivocal] nodule in the {place}[|, which may be a nipple shadow]",
        "a nodular density in the {place} [may represent|could be] a [true nodule|pulmonary nodule]",
    ),
    "Pneumothorax": (
        "[questionable|possible|equivocal] [tiny |small |]{side} apical pneumothorax",
        "a [thin |faint |]line at the {side} apex [may be|is suspicious for] a pneumothorax or a skin fold",
    ),
    "Pleural Effusion": (
        "[possible|probable|questionable] [trace |small |]{side} pleural {effusion}",
        "blunting of the {side} costophrenic {angle} [may represent|could reflect] a [trace|small] effusion",
    ),
    "Pleural Other": ("[possible|questionable] {side} pleural thickening[| or extrapleural fat]",),
    "Cardiomegaly": (
        "the heart is [borderline enlarged|at the upper limit of normal, possibly enlarged]",
        "[borderline|possible mild|questionable] cardiomegaly",
    ),
    "Enlarged Cardiomediastinum": (
        "the mediastinum is [possibly|questionably] widened[|, which may be positional]",
        "apparent mediastinal widening [may be|is possibly] [due to rotation|projectional]",
    ),
    "Fracture": (
        "[possible|questionable|equivocal] [nondisplaced |]fracture of the {side} {ribs}",
        "a cortical irregularity of the {side} {ribs} [may represent|is suspicious for] a fracture",
    ),
}

SUSPECTED = (  # pneumonia beside another density that is certain
    "superimposed [pneumonia|infection, that is pneumonia,] [cannot be excluded|is possible|is not excluded]",
    "[coexisting|early] pneumonia [is difficult to exclude|cannot be ruled out|remains possible]",
)

ABSENT: dict[tuple[str, ...], tuple[str, ...]] = {
    ("Pleural Effusion", "Pneumothorax"): (
        "[there is no|no] [pleural effusion or pneumothorax|pneumothorax or pleural effusion]",
        "no [pleural effusion or pneumothorax|pneumothorax or effusion] is [seen|identified|appreciated]",
        "no [evidence of |sign of |][effusion or pneumothorax|pneumothorax or effusion]",
        "[neither pleural effusion nor pneumothorax is [seen|present|identified]]",
    ),
    ("Pneumothorax",): (
        "[there is |]no [visible |evidence of |sizable |]pneumothorax",
        "no pneumothorax is [seen|identified|appreciated][| on this view]",
    ),
    ("Pleural Effusion",): (
        "[there is |]no [pleural effusion|sizable pleural effusion|evidence of pleural effusion]",
        "the costophrenic [angles|sulci] are [sharp|clear|preserved], without [pleural |]effusion",
    ),
    ("Lung Opacity",): (
        "the lungs are [clear|clear bilaterally|well expanded and clear|without focal opacity]",
        "[both lungs|lung fields] are clear",
        "no focal [airspace |parenchymal |]opacity[| is seen| is identified]",
    ),
    ("Consolidation",): (
        "[there is |]no [focal |lobar |confluent |airspace |]consolidation",
        "no [focal |lobar |confluent |]consolidation is [seen|identified]",
        "no [evidence of|convincing] consolidation",
    ),
    ("Edema",): (
        "[there is |]no [overt |frank |evidence of |][pulmonary |interstitial ]edema",
        "no Kerley B lines or other sign of edema",
        "pulmonary vascularity is normal, without edema",
    ),
    ("Pneumonia",): ("no [evidence of |radiographic sign of |]pneumonia", "nothing to suggest pneumonia"),
    ("Cardiomegaly",): (
        "the heart is [normal in size|of normal size|not enlarged]",
        "heart size is [normal|within normal limits|within the normal range]",
        "[there is |]no cardiomegaly",
    ),
    ("Enlarged Cardiomediastinum",): (
        "the mediastinal [contours are|silhouette is] [normal|unremarkable|within normal limits]",
        "the mediastinum is [not widened|of normal width|midline and not widened]",
        "the hilar and mediastinal contours are [normal|unremarkable]",
    ),
    ("Fracture",): (
        "no [acute |displaced |]fracture[| is seen| is identified]",
        "no acute [osseous|bony] abnormality[| and no displaced rib fracture]",
        "the [bony thorax is|visualized bones are] intact",
    ),
    ("Lung Lesion",): ("no suspicious [pulmonary |lung |]nodule[| or mass][| is seen]",),
    ("Atelectasis",): ("no [significant |evidence of |]atelectasis",),
    ("Pleural Other",): ("no pleural [thickening|plaque|scarring]",),
    ("Support Devices",): ("[there are |]no [lines or tubes|support devices|indwelling lines]",),
}

RESOLVED = (
    "[the |]previously [seen|described|noted] {what} [has resolved|has cleared|is no longer seen|is gone]",
    "[interval |complete ]resolution of the [previously seen |prior |earlier |]{what}",
    "{what} [seen|noted] on {prior} [has resolved|is no longer evident]",
)
_NOUNS = {
    "Lung Opacity": "opacity in the {place}",
    "Consolidation": "consolidation in the {place}",
    "Pneumonia": "pneumonia in the {place}",
    "Atelectasis": "atelectasis at the {base}",
    "Edema": "pulmonary edema",
    "Lung Lesion": "{lesion} in the {place}",
    "Pneumothorax": "{side} pneumothorax",
    "Pleural Effusion": "{side} pleural effusion",
    "Pleural Other": "{side} pleural thickening",
    "Cardiomegaly": "[cardiomegaly|cardiac enlargement]",
    "Enlarged Cardiomediastinum": "mediastinal widening",
    "Fracture": "{side} rib {fracture}",
}
COURSES = {
    "new": (", new [since|from|compared with] {prior}", ", not present on {prior}", ", new in the interval"),
    "unchanged": (
        ", [unchanged|not significantly changed] [from|since|compared with] {prior}",
        ", [stable since|stable compared with|similar to] {prior}",
        ", [unchanged|stable] in the interval",
    ),
    "larger": (
        ", [increased since|increased from|larger than on|worse than on|progressed since] {prior}",
        ", [increased|larger|worse] in the interval",
    ),
    "smaller": (
        ", [decreased since|decreased from|smaller than on|improved since|less conspicuous than on] {prior}",
        ", [decreased|smaller|improved] in the interval",
    ),
}


def sentence(rng: np.random.Generator, seen: Observation, prior: MarkedText | str) -> MarkedText:
    """One full sentence with its course, marked with what it says; `prior` names the earlier study."""
    claim = Claim(seen.labels, seen.says, seen.side if _has_side(seen) else "")
    body = vary(rng, _pattern(rng, seen))
    if seen.course and seen.says in ("present", "possible") and rng.random() < 0.8:
        body += vary(rng, _one(rng, COURSES[seen.course]))
    return capitalized(fill(body + ".", **_slots(rng, seen), prior=prior)).about(claim)


def impression(rng: np.random.Generator, seen: Observation) -> MarkedText:
    """A line of the conclusion: a noun and how it went."""
    size = {"Fracture": "", "Lung Lesion": "{size_mm} "}.get(seen.label, "{size} ")
    doubt = vary(rng, "[possible|questionable|suspected] ") if seen.says == "possible" else ""
    course = f", {_word(rng, seen.course)}" if seen.course else ""
    noun = "pneumonia" if seen.label == "Pneumonia" and not seen.side else _NOUNS[seen.label]
    body = vary(rng, doubt + ("" if doubt else size) + noun + course)
    claim = Claim(seen.labels, seen.says, seen.side if _has_side(seen) else "")
    return capitalized(fill(body + ".", **_slots(rng, seen))).about(claim)


def _word(rng: np.random.Generator, course: str) -> str:
    words = {
        "new": "new",
        "unchanged": "[unchanged|stable]",
        "larger": "[increased|progressed]",
        "smaller": "[decreased|improved]",
    }
    return vary(rng, words[course])


def _pattern(rng: np.random.Generator, seen: Observation) -> str:
    match seen.says:
        case "present":
            return _one(rng, PRESENT[seen.label])
        case "possible":
            return _one(rng, POSSIBLE[seen.label] if seen.zone else SUSPECTED)
        case "absent":
            return _one(rng, ABSENT[seen.labels])
        case "resolved":
            return _one(rng, RESOLVED).replace("{what}", _NOUNS[seen.label])


def _has_side(seen: Observation) -> bool:
    return bool(seen.side) and seen.label not in ("Edema", "Cardiomegaly", "Enlarged Cardiomediastinum")


def _place(side: str, zone: str, rng: np.random.Generator) -> str:
    """The lobe or zone in words, the side always with it."""
    if side == "bilateral":
        return vary(rng, f"[{zone} zones of both lungs|{zone} lungs bilaterally]")
    lobe = {("right", "mid"): "right middle lobe", ("left", "mid"): "lingula of the left lung"}.get(
        (side, zone), f"{side} {zone} lobe"
    )
    return vary(rng, f"[{lobe}|{lobe}|{side} {zone} lung zone|{side} {zone} lung]")


def _slots(rng: np.random.Generator, seen: Observation) -> dict[str, str]:
    both = seen.side == "bilateral"
    size = _grade(seen)
    base = "lung bases bilaterally" if both else vary(rng, f"{seen.side} [lung base|lung base|base]")
    mm = f" measuring [up to |about |]{seen.measured} mm[| at the apex]" if seen.measured else ""
    return {
        "side": seen.side,
        "place": _place(seen.side, seen.zone, rng) if seen.side else "lung",
        "base": base,
        "size": size,
        "a_size": size if both else f"a {size}",
        "size_ly": {"minimal": "minimally", "mild": "mildly", "moderate": "moderately"}.get(size, "markedly"),
        "size_mm": f"{seen.measured} mm" if seen.measured else size,
        "mm_apex": vary(rng, mm),
        "effusion": "effusions" if both else "effusion",
        "angle": "angles" if both else "angle",
        "s": "" if both else "s",
        "is_are": "are" if both or len(seen.ribs) > 1 else "is",
        "ribs": _ribs(seen.ribs),
        "fracture": "fractures" if len(seen.ribs) > 1 else "fracture",
        "lesion": "mass" if seen.extent > 0.52 else "nodule",  # three centimetres
    }


def _ribs(numbers: tuple[int, ...]) -> str:
    words = [{1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th") for number in numbers]
    if len(words) < 2:
        return f"{''.join(words)} rib"
    return f"{words[0]} {'and' if len(words) == 2 else 'to'} {words[-1]} ribs"


def _grade(seen: Observation) -> str:
    """Effusions are large, enlargement is marked, opacity is extensive: each label has its own scale."""
    step = min(int(seen.extent * 4), 3)
    if seen.label == "Lung Lesion":
        return ("small", "small", "sizable", "large")[step]
    if seen.label in ("Pleural Effusion", "Pneumothorax"):
        return ("tiny", "small", "moderate", "large")[step]
    if seen.label in ("Consolidation", "Lung Opacity", "Pneumonia"):
        return ("subtle", "mild", "moderate", "extensive")[step]
    return ("minimal", "mild", "moderate", "severe")[step]


def _one(rng: np.random.Generator, patterns: tuple[str, ...]) -> str:
    return patterns[int(rng.integers(len(patterns)))]
