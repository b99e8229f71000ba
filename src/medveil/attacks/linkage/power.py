"""Whether the linkage attack could have succeeded on such data: what it reached, against labels alone and by chance."""

from __future__ import annotations

from medveil.attacks.linkage.fitting.cross_fit import FEWEST
from medveil.finding import Power, percent
from medveil.stats.estimate import Estimate

WORKS = 0.5  # of the X-rays: an attack that links as many is no weak one, whatever the findings tell


def linkage_power(found: Estimate, attacker: str, *, fitted: bool, wanted: bool, labelled: bool) -> Power:
    """Of an attack on untouched pairs: enough if it was fitted, surely beats luck, and does not fall below labels."""
    chance = found.chance or 0.0
    works = found.low > chance
    shown = (
        f"On untouched X-rays and reports of these patients the strongest attacker ({attacker}) links "
        f"{percent(found.value)} ({percent(found.low)} to {percent(found.high)}; chance {percent(chance)})"
    )
    shown += "." if works else ": it was never shown to work on such data."
    if not wanted:
        shown += " It was not fitted to them, as was asked for."
    elif not fitted:
        shown += f" It was not fitted to them, for which either half needs {FEWEST} patients with a report."
    if not labelled or found.control is None:
        return Power(shown, "Findings are not labelled, so there is no control to hold it against.", works and fitted)
    below = found.value < min(found.control, WORKS)
    held = f"Knowing the findings alone links {percent(found.control)}"
    held += ", more than it does: the attack is below its own control." if below else "."
    return Power(shown, held, works and fitted and not below)
