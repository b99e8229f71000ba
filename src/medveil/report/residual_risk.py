"""The residual risk in one sentence that can be quoted: the strongest attack, at its upper end."""

from __future__ import annotations

from collections.abc import Sequence

from medveil.finding import Finding
from medveil.report import wording

UNKNOWN = "The residual risk is not known: no attack on these data could be measured."


def residual_risk(measured: Sequence[Finding], missed: int = 0) -> str:
    """What the strongest of the measured attacks reaches, what cannot be ruled out, and what is accepted; `missed` more
    could not be measured. Attacks without power are told, for that they fail says nothing."""
    shares = [finding for finding in measured if finding.scale == "share"]
    if not shares:
        return UNKNOWN
    finding = max(shares, key=lambda each: (each.estimate.high, each.estimate.value))
    found = finding.estimate.to_json()
    told = (
        f"The strongest of the {len(shares)} attacks that could be measured, "
        if len(shares) > 1
        else "The one attack that could be measured, "
    )
    told += f"“{finding.part.replace('-', ' ')}”, succeeds in {wording.number(found['value'], 'share')} of cases"
    if found["chance"] is not None:
        told += f" (blind guessing: {wording.number(found['chance'], 'share')})"
    told += f", and up to {wording.number(found['interval'][1], 'share')} cannot be ruled out"
    if finding.threshold:
        told += f"; the accepted risk is {wording.limit(finding.threshold.value, 'share')}"
    weak = sum(each.power is not None and not each.power.enough for each in shares)
    if weak:
        told += f"; {weak} of the {len(shares)} {'was' if weak == 1 else 'were'} not shown to work on such data"
    if missed:
        told += f"; {wording.counted(missed, 'further attack')} could not be measured"
    return f"{told}."
