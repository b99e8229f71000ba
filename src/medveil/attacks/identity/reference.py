"""What the bundled networks reach on reference data, for data on which nothing can be measured."""

from __future__ import annotations

from medveil.finding import percent
from medveil.weights.bundled import bundled, read_card

_SETS = {"nih14 val": "of the hospital they learned from", "covid19 (external)": "of other hospitals"}


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
