"""The linkage attack: an encoder of X-rays and reports finds the report that belongs to an X-ray, and the reverse."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from medveil.attacks.linkage.settings import LinkageSettings
from medveil.attacks.shown_power import ShownPower
from medveil.errors import NothingToAttack, NotMeasurable
from medveil.parts import register_attack

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.finding import Finding

ORIGINAL_REPORTS = "The released X-rays were compared with the original reports, which somebody may hold."
LEAST_READ = 0.5  # of the pairs; a verdict must not rest on a remnant


NO_REPORTS = "the data hold no reports, so there is nothing to link an X-ray to"


def has_reports(cohort: Cohort) -> bool:
    return bool((cohort.table["report"].fillna("").str.strip() != "").any())


def check_pairs(cohort: Cohort) -> int:
    """How many frontal images have a report; refuses a cohort with too few to measure."""
    from medveil.attacks.linkage.cases import check_enough

    if not has_reports(cohort):
        raise NothingToAttack(NO_REPORTS)
    reported = cohort.table["report"].fillna("").str.strip() != ""
    pairs = int((reported & ~cohort.table["view"].isin(("LATERAL", "OTHER"))).sum())
    check_enough(pairs)
    return pairs


@register_attack
class Linkage:
    """Links X-rays to reports with the bundled encoder."""

    name = "linkage"
    Settings = LinkageSettings
    default = True
    place = "reports"
    baseline = False

    def __init__(self, settings: LinkageSettings | None = None, device: str = "cpu") -> None:
        self._settings, self._device = settings or LinkageSettings(), device
        self._power = ShownPower()

    @staticmethod
    def nothing_to_attack(originals: Cohort, defended: frozenset[str]) -> str | None:
        return None if has_reports(originals) else NO_REPORTS

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        """Reports that are withheld still exist somewhere, so the released X-rays are tried on the original ones."""

        def attack(cohort: Cohort) -> Finding:
            return self._linked(originals, seed) if cohort is originals else self._released(cohort, originals, seed)

        return self._power.of(attack, released, originals, seed=seed)

    def _released(self, released: Cohort, originals: Cohort, seed: int) -> Finding:
        known = released.table.assign(report=originals.table["report"].to_numpy())
        finding = self._linked(replace(released, table=known), seed)
        return replace(finding, method=f"{finding.method} {ORIGINAL_REPORTS}")

    def _linked(self, cohort: Cohort, seed: int) -> Finding:
        pairs = check_pairs(cohort)
        from medveil.attacks.linkage.run import encode_by_all, run_linkage

        embeddings = encode_by_all(cohort, self._settings.encoders, device=self._device)
        read = min(len(each.rows) for each in embeddings.values())
        if read < pairs * LEAST_READ:
            raise NotMeasurable(
                "most X-rays with a report cannot be read, so the few that are left would speak for too many"
            )
        result = run_linkage(cohort, embeddings, seed=seed, settings=self._settings, device=self._device)
        return result.finding.with_unseen(read, pairs, "X-rays with a report")
