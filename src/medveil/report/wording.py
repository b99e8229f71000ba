"""Numbers in the form a reader meets them: 12.3 % (95 % bounds 9.8–15.1 %)."""

from __future__ import annotations

import math
from typing import Any

from medveil.finding import Power
from medveil.report.advice import Trial, TriedAttack

NOT_MEASURED = "could not be measured"
_SPACE = "\u00a0"  # keeps a number and its sign on one line
_IRREGULAR = {"study": "studies", "query": "queries"}
_MOST_DECIMALS = 6


def count(number: int) -> str:
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """`1 patient`, `1,519 images`."""
    return f"{count(number)}{_SPACE}{noun if number == 1 else _IRREGULAR.get(noun, noun + 's')}"


def number(value: float | None, scale: str) -> str:
    """A percentage for a share, three decimals for a score."""
    if value is None:
        return NOT_MEASURED
    return _digits(value, scale, _decimals([value], scale)) + _sign(scale)


def limit(value: float | None, scale: str) -> str:
    """A threshold as it was set, not rounded to a measurement's decimals."""
    if value is None:
        return "no number"
    return f"{value * 100:.6g}{_SPACE}%" if scale == "share" else f"{value:.6g}"


def apart(value: float | None, other: float, scale: str) -> str:
    """`value` with enough decimals that rounding does not make it look equal to `other`."""
    if value is None:
        return NOT_MEASURED
    decimals = _decimals([value], scale)
    while (
        value != other
        and decimals < _MOST_DECIMALS
        and _digits(value, scale, decimals) == _digits(other, scale, decimals)
    ):
        decimals += 1
    return _digits(value, scale, decimals) + _sign(scale)


def estimate(found: dict[str, Any], scale: str) -> str:
    """The value and its ends."""
    value = found["value"]
    if value is None:
        return NOT_MEASURED
    decimals = _decimals([value, *found["interval"]], scale)
    return f"{_digits(value, scale, decimals)}{_sign(scale)} ({interval(found, scale)})"


def interval(found: dict[str, Any], scale: str) -> str:
    """`95 % bounds 9.8–15.1 %`, or an interval, with as many decimals as the value needs."""
    told = ends(found, scale)
    if not told:
        return f"its {called(found)} {NOT_MEASURED}"
    return told if found.get("scenario") else f"{percent(found['level'])} {called(found)} {told}"


def called(*found: dict[str, Any]) -> str:
    """What the ends of estimates are: bounds hold the truth at least as often as they say, an interval about so often;
    of a scenario nobody can tell."""
    kinds = {"scenario" if one.get("scenario") else "bounds" if one.get("bounds") else "interval" for one in found}
    return " or ".join(sorted(kinds))


def ends(found: dict[str, Any], scale: str) -> str:
    """`9.8–15.1 %`: the ends alone, where their level stands elsewhere; a scenario is called one."""
    low, high = found["interval"]
    if low is None or high is None:
        return ""
    decimals = _decimals([found["value"], low, high], scale)
    dash = "–" if min(low, high) >= 0 else " to "
    sign = _sign(scale) if scale == "share" else ""  # the words for points stand once, with the value
    told = f"{_digits(low, scale, decimals)}{dash}{_digits(high, scale, decimals)}{sign}"
    return f"scenario, {told}" if found.get("scenario") else told


def points(found: dict[str, Any], scale: str) -> str:
    """A difference with its sign, without its ends."""
    told = number(found["value"], "points" if scale == "share" else scale)
    return f"+{told}" if (found["value"] or 0) > 0 else told


def change(found: dict[str, Any], scale: str) -> str:
    """A difference with its sign; differences of percentages are percentage points."""
    told = estimate(found, "points" if scale == "share" else scale)
    return f"+{told}" if (found["value"] or 0) > 0 else told


def resampled(found: dict[str, Any]) -> str:
    """How the ends came about."""
    if found.get("scenario"):
        return f"A scenario beyond what was measured on {sample(found)}: no interval"
    how = ", the wider of the exact ones and those" if found.get("bounds") else ""
    return f"{percent(found['level'])} {called(found)}{how} by {found['unit']}-level resampling, {sample(found)}"


def percent(level: float) -> str:
    return f"{level * 100:g}{_SPACE}%"


def fold(value: float | None, reference: float | None) -> str | None:
    """How many times `reference` the value is, or nothing where that has no meaning."""
    if value is None or not reference or reference < 0 or value < 0:
        return None
    times = value / reference
    return f"{times:,.0f}{_SPACE}times" if times >= 10 else f"{times:.1f}{_SPACE}times"


def sample(found: dict[str, Any]) -> str:
    """`1,519 images of 311 patients`, or `403 questions of 36 images`."""
    units = counted(found["units"], found["unit"])
    observed = "question" if found["unit"] == "image" else "image"
    return units if found["n"] == found["units"] else f"{counted(found['n'], observed)} of {units}"


def judgement(finding: dict[str, Any]) -> str:
    """Why the threshold says what it says, in one sentence."""
    threshold, scale = finding["threshold"], finding["scale"]
    low, high = finding["estimates"][finding["headline"]]["interval"]
    most = threshold["value"]
    named = f"the threshold of {limit(most, scale)}, “{threshold['name']}”"
    if threshold.get("counted"):
        return _counted(finding, named)
    return " ".join([_compared(finding, low, high, most, named), *doubts(finding)])


def doubts(finding: dict[str, Any]) -> list[str]:
    """Why a result cannot pass whatever its ends say: what a person must look at, and an attack without power."""
    power = finding.get("power")
    weak = [] if power is None or power["enough"] else [Power(**power).sentence]
    return [*finding.get("concerns", ()), *weak]


def power(finding: dict[str, Any]) -> str:
    """On what the attack was seen to work, and what it was held against here."""
    return Power(**finding["power"]).sentence


def _compared(finding: dict[str, Any], low: float | None, high: float | None, most: float | None, named: str) -> str:
    scale, verdict = finding["scale"], finding["verdict"]
    range_ = called(finding["estimates"][finding["headline"]])
    of, reach = ("", "reach") if range_ == "bounds" else (f" of the {range_}", "reaches")
    if low is None or high is None or most is None:
        return f"This {NOT_MEASURED} well enough to be compared with {named}."
    if verdict == "PASS" or (high <= most and (verdict is None or doubts(finding))):
        return f"The upper end{of}, {apart(high, most, scale)}, is not above {named}."
    if verdict == "FAIL" or (verdict is None and low > most):
        return f"Even the lower end{of}, {apart(low, most, scale)}, is above {named}."
    if not low <= most < high:
        return f"This {NOT_MEASURED} well enough to be compared with {named}."
    ends = f"{apart(low, most, scale)} to {apart(high, most, scale)}"
    return f"The {range_}, {ends}, {reach} above {named}: uncertain."


def _counted(finding: dict[str, Any], named: str) -> str:
    """Of what was counted in the whole of the data, its value is judged."""
    value, most = finding["estimates"][finding["headline"]]["value"], finding["threshold"]["value"]
    if value is None or most is None:
        return f"This {NOT_MEASURED} well enough to be compared with {named}."
    above = "is" if value > most else "is not"
    counted = f"The share itself, {apart(value, most, finding['scale'])}, {above} above {named}."
    return " ".join([counted, *doubts(finding)])


def tried(attack: TriedAttack | None) -> str:
    """The strongest attack of a trial: what it reaches, its ends, guessing, and which it is."""
    if attack is None:
        return "unchanged"
    found, name = attack.estimate, attack.part.replace("-", " ")
    if found["value"] is None:
        return f"{NOT_MEASURED}; {name}"
    guessing = "" if found["chance"] is None else f"; guessing {number(found['chance'], 'share')}"
    return f"{number(found['value'], 'share')} ({ends(found, 'share')}){guessing}; {name}"


def kept(trial: Trial) -> str:
    """What a classifier learns from films of a trial, beside what it learns from the originals."""
    if trial.utility is None or trial.utility["value"] is None:
        return "unchanged" if not trial.strongest("films") else NOT_MEASURED
    before = "" if trial.before is None else f"; originals {number(trial.before['value'], 'score')}"
    return f"{number(trial.utility['value'], 'score')} ({ends(trial.utility, 'score')}){before}"


def cell(value: str | float | int | None) -> str:
    """A table cell as text."""
    match value:
        case None:
            return "–"
        case int():
            return count(value)
        case float():
            return f"{value:.3f}".replace("-", "−")
    return value


def _digits(value: float, scale: str, decimals: int) -> str:
    shown = value * 100 if scale in ("share", "points") else value
    return f"{shown:.{decimals}f}".replace("-", "−")


def _sign(scale: str) -> str:
    return {"share": f"{_SPACE}%", "points": f"{_SPACE}percentage points"}.get(scale, "")


def _decimals(values: list[float | None], scale: str) -> int:
    """One decimal of a percentage or three of a score; more where a small value would read as zero."""
    fewest, factor = (3, 1) if scale == "score" else (1, 100)
    small = min((abs(value) * factor for value in values if value), default=1.0)
    return min(fewest + 2, max(fewest, -math.floor(math.log10(small))))
