"""Whether the identity attack could have succeeded on such data: what it reached, against its control and by chance,
or, where nothing can be measured, what the bundled networks reach on reference data."""

from __future__ import annotations

from medveil.finding import Power, percent
from medveil.stats.estimate import Estimate
from medveil.weights.bundled import bundled, read_card

_SETS = {"nih14 val": "of the hospital they learned from", "covid19 (external)": "of other hospitals"}
WORKS = 0.5  # of the patients: an attack that links as many is no weak one, whatever the table tells
FEWEST = 40  # returning patients; of fewer, even none linked leaves more than one in eleven open


def identity_power(found: Estimate, *, adapted: bool) -> Power:
    """Of an attack on untouched films: enough if it surely links more than luck, and is not below its control."""
    control = found.control if found.control is not None else 0.0
    chance = found.chance or 0.0
    fitted = "also fitted to one half of them" if adapted else "not fitted to them, for too few came more than once"
    works = found.low > chance
    verb = "links" if works else "was not seen to work: it links"
    shown = f"On the untouched X-rays of these patients the attack, {fitted}, {verb} {percent(found.value)}"
    shown += f" ({percent(found.low)} to {percent(found.high)}; chance {percent(chance)})."
    if found.units < FEWEST:
        shown += f" {found.units:,} patients who came more than once are too few to know."
    below = found.value < min(control, WORKS)
    held = f"Age, sex, view and site alone link {percent(control)}"
    if below:
        held += ", more than it does: the attack is below its own control."
    else:
        held += ", no more than it does." if found.value >= control else ": more, but that is the table's risk."
    return Power(shown, held, works and not below and found.units >= FEWEST)


def reached_elsewhere() -> str:
    """From the card: how often the most similar film was of the same patient, in untouched films of strangers."""
    scores = read_card(bundled("reidentification"))["scores"]
    told = []
    for name, where in _SETS.items():
        found = scores[name]["model"]["precision@1"]
        ends = f"{percent(found['low'])} to {percent(found['high'])}"
        told.append(f"in {percent(found['value'])} of tries ({ends}) on {found['units']:,} patients {where}")
    return (
        "One film of a person is enough for somebody who holds another: on reference data the bundled networks find "
        f"the same patient's other film first {' and '.join(told)}."
    )
