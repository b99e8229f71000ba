"""What a table that tells less promises, and what it does not: derived from what was set, and from the plan if any."""

from __future__ import annotations

from medveil.defenses.table.carried_plan import CarriedPlan
from medveil.defenses.table.generalisation import Node
from medveil.parts import Guarantee
from medveil.person.telling import Dates

_DATES: dict[Dates, str] = {
    "day": "Dates move by 7 to 365 days, a shift of the patient's own",
    "blurred": "Dates move by a shift of the patient's own, and each interval is stretched or shrunk by a keyed amount",
    "month": "Dates move by a shift of the patient's own and are given to the month",
    "quarter": "Dates move by a shift of the patient's own and are given to the quarter",
    "year": "Dates move by a shift of the patient's own and are given to the year",
    "dropped": "Dates are not released",
}
_SITES = {"kept": "sites are pseudonyms", "merged": "small sites are merged into one", "dropped": "sites are dropped"}
_SPOKEN = {
    "age": "age",
    "sex": "sex",
    "site": "site",
    "date": "dates of visits",
    "findings": "findings that are present",
}


def promise(node: Node, plan: CarriedPlan) -> tuple[Guarantee, tuple[str, ...]]:
    """The guarantee and its limits."""
    ages = "ages are not released" if not node.ages else f"ages are given in bands of {node.ages} years, 90 at most"
    if node.ages == 1:
        ages = "ages are given in whole years, 90 and more as 90"
    said = (
        "Patient, study and image are replaced by keyed pseudonyms (HMAC-SHA-256). "
        f"{_DATES[node.dates]}; {ages}; {_SITES[node.sites]}."
    )
    if node.studies == "first":
        said += " Of each patient the first study alone is released."
    limits = [
        f"{'View' if 'findings' in plan.known else 'View, labels'} and the number of images of a study are released "
        "and were not counted among what an attacker knows.",
        "Films show sex, and age roughly; reports follow in ages, dates and names of hospitals, not in their style.",
    ]
    if plan.alike > 1:
        seen = "of one visit" if plan.visits == "one" else "of all visits together, and their number"
        said += (
            f" Every patient shares what is told of {_listed(plan.known)} ({seen}) with at least {plan.alike - 1} "
            "others of the cohort that was planned for."
        )
        limits += [
            "Patients who are alike may all have a finding, which is then known of each of them (homogeneity): how "
            "many these are is reported, and nothing is promised about it.",
            "What other defenses withhold afterwards makes groups smaller; the attacks on what is released count that.",
        ]
    if node.dates == "blurred":
        limits.append("That blurred intervals match nobody is measured by the attack on visit intervals, not promised.")
    elif node.dates == "day" and node.studies == "all":
        limits.append(
            "Intervals between a patient's studies are kept exactly; who knows several visit dates may match them."
        )
    return Guarantee("by construction", said), tuple(limits)


def _listed(facts: tuple[str, ...]) -> str:
    words = [_SPOKEN.get(fact, fact) for fact in facts]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
