"""The membership attack on a federated model, from groups of patients to a finding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from medveil.attacks.membership.blind import blind_scores
from medveil.attacks.membership.findings import Preparation, membership_finding
from medveil.attacks.membership.groups import Groups, check_enough, patients_of
from medveil.attacks.membership.limits import PrivacyLimit
from medveil.attacks.membership.settings import MembershipSettings
from medveil.cohort import Cohort
from medveil.errors import NotMeasurable
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.films import Films, public_pairs
from medveil.finding import Finding
from medveil.release.federated_models.membership import Audited, Flags, Floats, federated_evidence
from medveil.release.federated_models.model import FederatedModel

Progress = Callable[[str, int, int], None]


def attack_federated(
    model: FederatedModel,
    groups: Groups,
    settings: MembershipSettings,
    *,
    seed: int,
    device: str = "cpu",
    progress: Progress = lambda stage, done, total: None,
) -> Finding:
    """The recipe is known, so the attacker trains shadow federations by it, on the same patients by halves."""
    private = model.recipe.privacy
    audited, names = audited_films(groups, model.recipe, seed=seed)
    evidence, known = federated_evidence(
        model.recipe,
        model.network,
        audited,
        model.rounds,
        shadows=settings.shadows,
        seed=seed,
        device=device,
        public=None if private is None else public_pairs(model.recipe),  # drawn once for all shadow models
        keep=settings.keep,
        progress=progress,
    )
    limit = settings.limit or (None if private is None else PrivacyLimit(private.epsilon, private.delta))
    prepared = Preparation(
        references=f"Reference models: {settings.shadows} of the model's own recipe, {model.rounds} rounds each, in "
        "which every patient is a member of one half; LiRA and RMIA are in their online form.",
        shown_on="On a model of the same recipe, trained without noise on half of these patients,",
        asked="The model is asked for the findings by film and by report and for how well each report fits its film, "
        "among those of other people.",
    )
    blind = _blind(groups, names, audited.member, seed)
    return membership_finding(evidence, blind, known, prepared, limit=limit, seed=seed)


def audited_films(groups: Groups, recipe: Recipe, *, seed: int) -> tuple[Audited, list[str]]:
    """Everybody's films, as the recipe wants them, and the ids of those guessed about in their order."""
    found: list[Films] = []
    sites: list[int] = []
    member: list[bool] = []
    where = sorted({str(site) for each in (groups.members, groups.others) for site in each.table["site"]})
    for cohort, inside in ((groups.members, True), (groups.others, False)):
        for number, site in enumerate(where):
            films = _films(cohort.where((cohort.table["site"].astype(str) == site).to_numpy(bool)), recipe)
            if films is not None:
                found.append(films)
                sites += [number] * len(films.people)
                member += [inside] * len(films.people)
    crowd = _films(groups.crowd, recipe)
    count = 0 if crowd is None else len(crowd.people)
    check_enough(sum(member), len(member) - sum(member), count)
    assert crowd is not None
    rival = (np.random.default_rng([seed, 41]).permutation(count) < count // 2)[crowd.patients]
    audited = Audited(
        Films.together(found),
        np.array(sites, np.intp),
        np.array(member, bool),
        crowd.take(np.flatnonzero(rival)),
        crowd.take(np.flatnonzero(~rival)),
    )
    return audited, [name for films in found for name in films.people]


def _films(cohort: Cohort, recipe: Recipe) -> Films | None:
    if not len(cohort):
        return None
    try:
        return Films.of(cohort, recipe)
    except NotMeasurable:
        return None


def _blind(groups: Groups, names: list[str], member: Flags, seed: int) -> Floats:
    """The control's scores, in the order of the patients guessed about."""
    kept = [
        cohort.where(cohort.table["patient_id"].astype(str).isin(names).to_numpy(bool))
        for cohort in (groups.members, groups.others)
    ]
    order = {name: place for place, name in enumerate(patients_of(kept[0]) + patients_of(kept[1]))}
    return blind_scores(kept[0], kept[1], seed=seed)[[order[name] for name in names]]
