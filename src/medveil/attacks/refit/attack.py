"""The refit attack on a cohort: with other people's pairs, an adversary learns to link X-rays to reports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from medveil.attacks.refit.settings import RefitSettings
from medveil.attacks.shown_power import ShownPower
from medveil.errors import NotMeasurable
from medveil.parts import register_attack

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.finding import Finding

FEWEST_PAIRS = 60  # half of them teach, and a fifth of that half is checked with


@dataclass(frozen=True)
class RefitAttackSettings(RefitSettings):
    """`encoder`: whose vectors the adversary starts from; a name, a model's folder, or owner/model on the hub."""

    encoder: str = "medveil-small"


@register_attack
class Refit:
    """Learns from the pairs of half of the patients to link those of the other half."""

    name = "refit"
    Settings = RefitAttackSettings
    default = False
    place = "reports"
    baseline = False
    covered_by = "linkage"  # which tries the same beside its other ways

    def __init__(self, settings: RefitAttackSettings | None = None, device: str = "cpu") -> None:
        self._settings, self._device = settings or RefitAttackSettings(), device
        self._power = ShownPower()

    @staticmethod
    def nothing_to_attack(originals: Cohort, defended: frozenset[str]) -> str | None:
        reported = originals.table["report"].fillna("").str.strip() != ""
        return None if reported.any() else "the data hold no reports, so there are no pairs to learn from"

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        def attack(cohort: Cohort) -> Finding:
            return self._refitted(cohort, originals, seed)

        return self._power.of(attack, released, originals, seed=seed)

    def _refitted(self, released: Cohort, originals: Cohort, seed: int) -> Finding:
        """Reports that are withheld still exist somewhere, so the released X-rays are tried on the original ones."""
        known = replace(released, table=released.table.assign(report=originals.table["report"].to_numpy()))
        reported = known.table["report"].fillna("").str.strip() != ""
        pairs = int((reported & ~known.table["view"].isin(("LATERAL", "OTHER"))).sum())
        if pairs < FEWEST_PAIRS:
            raise NotMeasurable(
                f"a refit needs at least {FEWEST_PAIRS} frontal images with a report, and there are {pairs}"
            )
        from medveil.attacks.refit.cross_fit import link_after_refit
        from medveil.encoders.extraction import encode_cohort
        from medveil.encoders.loading import load_encoder

        embeddings = encode_cohort(known, load_encoder(self._settings.encoder, device=self._device))
        return link_after_refit(self.name, known, embeddings, self._settings, seed=seed)
