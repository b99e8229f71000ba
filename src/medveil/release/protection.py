"""`--protect`: what hides the table and the anatomy, set so that a stated risk is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from medveil.cohort import Cohort
from medveil.defenses.anatomy.defense import CODED, HiddenAnatomy
from medveil.errors import SettingsError
from medveil.finding import ONE_IN_ELEVEN
from medveil.parts import Choice, choose
from medveil.person.keys import Keys

Protect = Literal["none", "table", "anatomy", "all"]
ADVERSARIES, DAMAGE, DIAGNOSIS = "identity-adversaries", "pixel-damage", "diagnosis"


def check_protect(protect: Protect, risk: float | None) -> None:
    if protect not in get_args(Protect):
        raise SettingsError(f"what is protected is one of {', '.join(get_args(Protect))}")
    if risk is not None and not 0 < risk < 1:
        raise SettingsError("the risk is a probability: give a number between 0 and 1, such as 0.09")
    if risk is not None and protect == "none":
        raise SettingsError("a risk is kept by protecting something; add --protect table, anatomy or all")


def changes_films(protect: Protect, defenses: Sequence[Choice]) -> bool:
    """Whether films are changed to hide the anatomy, by what is protected or by a defense that was named."""
    return protect in ("anatomy", "all") or any(each.part.place == "anatomy" for each in defenses)


def attacks_on(changed: bool, chosen: Sequence[Choice]) -> tuple[Choice, ...]:
    """With the adversaries who learn from changed films, where films are changed."""
    return _with(chosen, ADVERSARIES, "attacks") if changed else tuple(chosen)


def measures_of(changed: bool, chosen: Sequence[Choice]) -> tuple[Choice, ...]:
    """Changed films differ everywhere: what they are worth is asked of a diagnosis, not of their pixels."""
    if not changed:
        return tuple(chosen)
    return _with([each for each in chosen if each.name != DAMAGE], DIAGNOSIS, "measures")


def planned(
    protect: Protect, risk: float | None, defenses: Sequence[Choice], cohort: Cohort, keys: Keys, *, seed: int
) -> tuple[Choice, ...]:
    """The defenses, with those that protect set by what this cohort needs; the same cohort gets the same ones."""
    wanted = ONE_IN_ELEVEN.value if risk is None else risk
    chosen = tuple(defenses)
    if protect in ("anatomy", "all"):
        chosen = _with(chosen, HiddenAnatomy.name, "defenses")
        chosen = tuple(_coded_for(each, cohort, wanted, seed) for each in chosen)
        if any(each.name == HiddenAnatomy.name and each.settings.method == CODED for each in chosen):
            chosen = tuple(each for each in chosen if each.name != "pixels")  # no pixel of the old film is left
    if protect in ("table", "all"):
        from medveil.defenses.table.search import plan_table

        chosen = plan_table(cohort.table, keys, risk=wanted).applied_to(chosen)
    return chosen


def _with(chosen: Sequence[Choice], name: str, kind: Literal["attacks", "measures", "defenses"]) -> tuple[Choice, ...]:
    if any(each.name == name for each in chosen):
        return tuple(chosen)
    return (*chosen, *choose(kind, [name]))


def _coded_for(choice: Choice, cohort: Cohort, risk: float, seed: int) -> Choice:
    """The anatomy's defense with as many bits as the risk allows, unless its dial was set by hand."""
    settings = choice.settings
    if choice.name != HiddenAnatomy.name or settings.method != CODED or (settings.bits or settings.level) is not None:
        return choice
    from medveil.release.anatomy.choosing import bits_for

    return Choice("defenses", choice.name, replace(settings, bits=bits_for(cohort, risk, settings.weights, seed=seed)))
