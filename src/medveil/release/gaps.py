"""What keeps a release from PASS whatever was measured: places that nothing covers, attacks that were left out, set
weaker, could not be run or do not state their power, and thresholds that were raised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from medveil.attacks.identity.adversaries import FILMS_AND_ROWS
from medveil.cohort import Cohort
from medveil.defenses.anatomy.coded.bound import most_success
from medveil.defenses.anatomy.defense import HiddenAnatomy
from medveil.errors import NothingToAttack, NotMeasurable
from medveil.finding import ONE_IN_ELEVEN, percent
from medveil.parts import AppliesSometimes, Choice, KnownElsewhere, LetsOut, registered, runs_unasked
from medveil.release.clean.engine import Engine
from medveil.release.released import Released
from medveil.release.settings import Settings
from medveil.report.content import Comparison, Gap

PLACES = {  # that something has to cover
    "headers": "File headers",
    "table": "Identifiers in the table",
    "pixels": "Text burned into the image",
    "reports": "Report text",
}
OTHER_VIEWS = "Other views"
BESIDE = "Files without an image"
WORDS = "The words of reports"
TOGETHER = "Films and table together"
BITS = "The bits of a person"


@dataclass(frozen=True)
class Bound:
    """What nobody exceeds in naming a person by their films, by proof."""

    success: float
    people: int
    bits: float  # of all codes of the patient who has most

    def keeps(self, settings: Settings) -> bool:
        return self.success <= settings.accepted.value

    @property
    def sentence(self) -> str:
        if self.success >= 1:
            return (
                f"The proof about films says nothing here: those of one person tell up to {self.bits:g} bits, and "
                f"there are {self.people:,} people."
            )
        return (
            f"By proof, nobody names the right one of {self.people:,} equally likely people by their films with a "
            f"chance above {percent(self.success)}."
        )


def anatomy_bound(engine: Engine, originals: Cohort, released: Released) -> Bound | None:
    """From the bits of all codes of the patient who has most, and the people there are; None without a proof."""
    chain: Iterable[object] = engine.chain
    hidden = [one for one in chain if isinstance(one, HiddenAnatomy) and one.guarantee.kind == "formal"]
    if not hidden or released.cohort is None:
        return None
    films = originals.table["patient_id"].iloc[np.unique(released.rows)].value_counts()  # a code counts once
    bits = (hidden[0].bits or 0.0) * int(films.max())
    return Bound(most_success(bits, len(films)), len(films), bits)


def unmeasured(choice: Choice, reason: NotMeasurable, settings: Settings, bound: Bound | None) -> Gap:
    """An attack or a measure that could not be run. What an attack could not try is open, unless a proof covers it."""
    if choice.kind != "attacks" or isinstance(reason, NothingToAttack):
        return Gap(choice.name, _sentence(str(reason)), blocking=False)
    told = [_sentence(str(reason))]
    part: object = choice.part
    if isinstance(part, KnownElsewhere):
        told.append(part.reached_elsewhere())
    return _gap(choice.name, choice.part, told, settings, bound)


def gaps_of(
    settings: Settings,
    engine: Engine,
    originals: Cohort,
    released: Released,
    comparisons: Sequence[Comparison],
    bound: Bound | None,
) -> list[Gap]:
    chosen = settings.chosen("attacks")
    gaps = _uncovered(engine)
    gaps += _let_out(engine)
    gaps += _other_views(settings, originals, released, comparisons)
    gaps += _beside(settings, originals, released)
    gaps += _words(released)
    gaps += _together(settings, comparisons)
    gaps += _bits(settings, bound)
    gaps += _left_out(settings, chosen, engine, originals, bound)
    gaps += _weakened(settings, chosen, bound)
    gaps += _without_power(comparisons)
    return gaps + _raised(settings, comparisons)


def _uncovered(engine: Engine) -> list[Gap]:
    """Only a proof or a measurement covers a place."""
    gaps = []
    for place, title in PLACES.items():
        covering = [defense for defense in engine.chain if place in (defense.place, *_made_anew(defense))]
        if not covering:
            gaps.append(Gap(title, "no defense covers it, so it may identify people.", blocking=True))
        elif all(defense.guarantee.kind == "none" for defense in covering):
            gaps.append(Gap(title, covering[0].guarantee.statement, blocking=True))
    return gaps


def _made_anew(defense: object) -> tuple[str, ...]:
    """A film that is drawn from a code alone holds no text that was burned into the old one."""
    return ("pixels",) if isinstance(defense, HiddenAnatomy) and defense.bits is not None else ()


def _let_out(engine: Engine) -> list[Gap]:
    """What a defense was told not to keep back."""
    chain: Iterable[object] = engine.chain
    return [
        Gap(getattr(one, "title", "A defense"), why, blocking=True)
        for one in chain
        if isinstance(one, LetsOut)
        for why in one.let_out
    ]


def _other_views(
    settings: Settings, originals: Cohort, released: Released, comparisons: Sequence[Comparison]
) -> list[Gap]:
    """What no trained attacker looks at may give everybody away who has such images, beside those who are found."""
    table = originals.table.iloc[released.rows]
    others = table["view"].isin(("LATERAL", "OTHER"))
    if not others.any():
        return []
    people, all_people = table.loc[others, "patient_id"].nunique(), table["patient_id"].nunique()
    why = (
        f"{int(others.sum()):,} released images of {people:,} of {all_people:,} patients are no frontal films, and no "
        "trained attacker looks at them."
    )
    return [Gap(OTHER_VIEWS, why, blocking=people / all_people + _found(comparisons) > settings.accepted.value)]


def _found(comparisons: Sequence[Comparison]) -> float:
    """How many may be found in the films that are looked at."""
    parts, attacks = registered("attacks"), (each.after for each in comparisons if each.after.kind == "attack")
    by_films = (one for one in attacks if getattr(parts.get(one.part), "place", None) == "anatomy")
    return max((one.estimate.high for one in by_films if one.threshold), default=0.0)


def _beside(settings: Settings, originals: Cohort, released: Released) -> list[Gap]:
    """Texts, tables and reports in DICOM files that come out without an image."""
    if not released.beside:
        return []
    owners, people = set(released.beside), originals.table["patient_id"].nunique()
    whose = "of several people" if "" in owners else f"of {len(owners):,} patients"
    why = (
        f"{len(released.beside):,} released files {whose} (texts, tables, DICOM files without pixels) belong to no "
        "image, and no attack looks at them."
    )
    return [Gap(BESIDE, why, blocking="" in owners or len(owners) / people > settings.accepted.value)]


def _words(released: Released) -> list[Gap]:
    """Reports that come out are, but for what identifies people, what they were."""
    if released.cohort is None or not (released.cohort.table["report"].fillna("").str.strip() != "").any():
        return []
    why = (
        "whoever holds an original report finds the released one by its words, and with it the X-ray; what else in a "
        "report only one person can have said or lived through was not assessed either."
    )
    return [Gap(WORDS, why, blocking=False)]


def _together(settings: Settings, comparisons: Sequence[Comparison]) -> list[Gap]:
    """Films and table may each keep the risk by itself, and not together."""
    found = [each.after.estimates.get(FILMS_AND_ROWS) for each in comparisons]
    return [
        Gap(
            TOGETHER,
            "who compares films and adds what the rows tell beside them (age, sex, site and findings) finds another "
            f"film of the same patient in {percent(each.value)} of tries ({percent(each.low)} to "
            f"{percent(each.high)}); chance {percent(each.chance)}, accepted {percent(settings.accepted.value)}; "
            "films and table are each judged by themselves.",
            blocking=each.low > settings.accepted.value,
        )
        for each in found
        if each is not None
    ]


def _bits(settings: Settings, bound: Bound | None) -> list[Gap]:
    """Where films can be linked by their pseudonym, their bits add up; then the proof may promise nothing."""
    if bound is None or bound.keeps(settings):
        return []
    why = (
        f"the films of one person that can be linked tell up to {bound.bits:g} bits together. Among {bound.people:,} "
        f"people the proof then allows a chance of {percent(bound.success)}, so the verdict rests on what attackers "
        "were measured to reach."
    )
    return [Gap(BITS, why, blocking=False)]


def _left_out(
    settings: Settings, chosen: Sequence[Choice], engine: Engine, originals: Cohort, bound: Bound | None
) -> list[Gap]:
    """Attacks that a verdict rests on and that were not chosen."""
    defended = frozenset(defense.place for defense in engine.chain)
    strong = {choice.name for choice in chosen if not choice.weakened}
    gaps = []
    for name, part in registered("attacks").items():
        if any(choice.name == name for choice in chosen) or not (runs_unasked(part) or not part.baseline):
            continue
        if getattr(part, "covered_by", None) in strong:
            continue
        nothing = _nothing(part, originals, defended)
        if nothing is not None:
            gaps.append(Gap(name, f"it does not apply: {_sentence(nothing)}", blocking=False))
        else:
            why = "this attack was left out, so what it would have found is not known."
            gaps.append(_gap(name, part, [why], settings, bound))
    return gaps


def _nothing(part: object, originals: Cohort, defended: frozenset[str]) -> str | None:
    return part.nothing_to_attack(originals, defended) if isinstance(part, AppliesSometimes) else None


def _weakened(settings: Settings, chosen: Sequence[Choice], bound: Bound | None) -> list[Gap]:
    gaps = []
    for choice in chosen:
        if choice.weakened:
            told = f"it was set by hand ({', '.join(choice.weakened)}), perhaps weaker than it runs unasked."
            gaps.append(_gap(choice.name, choice.part, [told], settings, bound))
    return gaps


def _without_power(comparisons: Sequence[Comparison]) -> list[Gap]:
    """An attack that did not succeed reassures only if it could have, and says so."""
    gaps = []
    for found in (each.after for each in comparisons if each.after.kind == "attack"):
        part = registered("attacks").get(found.part)
        if part is None or part.baseline:
            continue
        if found.power is None:
            gaps.append(Gap(found.part, "it does not say on what it was shown to work.", blocking=True))
        if found.threshold is None:
            gaps.append(Gap(found.part, "it was not judged against a threshold.", blocking=True))
    return gaps


def _raised(settings: Settings, comparisons: Sequence[Comparison]) -> list[Gap]:
    """A threshold above the one in common use is for a person to answer for."""
    used = [each.after.threshold.value for each in comparisons if each.after.kind == "attack" and each.after.threshold]
    highest = max(used, default=0.0)
    if highest <= ONE_IN_ELEVEN.value:
        return []
    whose = "for this recipient" if settings.threshold is None and highest == settings.accepted.value else "by hand"
    why = (
        f"a chance of re-identification of up to {percent(highest)} is accepted {whose}, above the "
        f"{percent(ONE_IN_ELEVEN.value)} in common use for the public: a person has to answer for that."
    )
    if settings.demonstration:
        why = f"{why} The patients are invented, so nobody has to here."
    return [Gap("Threshold", why, blocking=not settings.demonstration)]


def _gap(name: str, part: object, told: list[str], settings: Settings, bound: Bound | None) -> Gap:
    """Open, unless a proof keeps what the attack is about within what is accepted."""
    if bound is None or getattr(part, "place", None) != "anatomy":
        return Gap(name, " ".join(told), blocking=True)
    return Gap(name, " ".join([*told, bound.sentence]), blocking=not bound.keeps(settings))


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
