"""The identity attack: a network trained to recognise people links their X-rays across visits or data sets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from medveil.attacks.identity.settings import AdversarySettings, IdentitySettings
from medveil.attacks.shown_power import ShownPower
from medveil.errors import NotMeasurable
from medveil.parts import register_attack

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.finding import Finding

LEAST_LOOKED_AT = 0.5  # of the returning patients; a verdict must not rest on a remnant
RETURNING = "patients who came more than once"


def check_returning(cohort: Cohort) -> int:
    """How many patients came more than once; refuses a cohort in which nobody could be recognised."""
    if cohort.table["patient_id"].nunique() < 2:
        raise NotMeasurable("recognising people needs at least two patients")
    frontal = cohort.table[~cohort.table["view"].isin(("LATERAL", "OTHER"))]
    returning = int((frontal.groupby("patient_id")["study_id"].nunique() > 1).sum())
    if returning == 0:
        raise NotMeasurable("every patient has only one frontal study, so there is nobody to recognise in another")
    return returning


@register_attack
class Identity:
    """Recognises patients across visits with the bundled networks."""

    name = "identity"
    Settings = IdentitySettings
    default = True
    place = "anatomy"
    baseline = False

    def __init__(self, settings: IdentitySettings | None = None, device: str = "cpu") -> None:
        self._settings, self._device = settings or IdentitySettings(), device
        self._power = ShownPower()

    @staticmethod
    def reached_elsewhere() -> str:
        from medveil.attacks.identity.power import reached_elsewhere

        return reached_elsewhere()

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        return self._power.of(partial(self._recognised, seed=seed), released, originals, seed=seed)

    def _recognised(self, released: Cohort, *, seed: int) -> Finding:
        returning = check_returning(released)
        from medveil.attacks.identity.findings import BY_COPIES
        from medveil.attacks.identity.run import run_identity, run_verification
        from medveil.encoders.identity.verifier import Verifier, load_recogniser

        network = load_recogniser(self._settings.weights, device=self._device)
        if isinstance(network, Verifier):
            finding = run_verification(released, judge=network, seed=seed, settings=self._settings).finding
        else:
            finding = run_identity(released, None, embedder=network, seed=seed, settings=self._settings).finding
        looked_at = finding.estimates[BY_COPIES].units
        if looked_at < returning * LEAST_LOOKED_AT:
            raise NotMeasurable(
                "most patients who came more than once have images that cannot be read or do not look like frontal "
                "chest X-rays, so the few that are left would speak for too many"
            )
        return finding.with_unseen(looked_at, returning, RETURNING)


@register_attack
class IdentityAdversaries:
    """Recognises patients in changed films by attackers who learn from such films of other patients."""

    name = "identity-adversaries"
    Settings = AdversarySettings
    default = False
    place = "anatomy"
    baseline = False

    def __init__(
        self,
        settings: AdversarySettings | None = None,
        device: str = "cpu",
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._settings, self._device, self._progress = settings or AdversarySettings(), device, progress

    @staticmethod
    def nothing_to_attack(originals: Cohort, defended: frozenset[str]) -> str | None:
        if "anatomy" in defended:
            return None
        return "no film was changed to hide the anatomy, so there is nothing to learn beyond what identity tries"

    @staticmethod
    def reached_elsewhere() -> str:
        from medveil.attacks.identity.power import reached_elsewhere

        return reached_elsewhere()

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        if (~originals.table["view"].isin(("LATERAL", "OTHER"))).any():
            check_returning(originals)
        elif originals.table["patient_id"].duplicated().sum() == 0:
            raise NotMeasurable("every patient has only one image, so there is nobody to recognise in another")
        from medveil.attacks.identity.adversaries.attackers import cross_fitted
        from medveil.attacks.identity.adversaries.effort import effort_of
        from medveil.attacks.identity.adversaries.reading import read_films
        from medveil.attacks.identity.adversaries.recognisers import load_recognisers
        from medveil.attacks.identity.adversaries.wording import adversaries_finding

        effort = effort_of(self._settings.effort, self._device)
        read = read_films(released, originals, seed=seed)
        if read.films.returning < read.returning * LEAST_LOOKED_AT:
            raise NotMeasurable(
                "most patients who came more than once have images that cannot be read, so the few that are left would "
                "speak for too many"
            )
        done = cross_fitted(
            read.films,
            effort=effort,
            device=self._device,
            seed=seed,
            progress=self._progress,
            keep=self._settings.keep,
            recognisers=load_recognisers(device=self._device, other=self._settings.other),
        )
        finding = adversaries_finding(self.name, done, read, effort, seed=seed)
        return finding.with_unseen(read.films.returning, read.returning, RETURNING)
