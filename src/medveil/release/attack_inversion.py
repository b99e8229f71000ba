"""`medveil attack inversion`, below the command line: films drawn out of a site's updates, under each protection."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.inversion.settings import InversionSettings
from medveil.cohort import Cohort
from medveil.cohort.input import InputOptions, read_cohort
from medveil.errors import NotMeasurable, Quarantined
from medveil.finding import Finding
from medveil.part_settings import to_json
from medveil.release.attack_report import AttackOutcome, Input, report_attack
from medveil.release.settings import Progress
from medveil.runtime.storage import check_writable
from medveil.training.device import check_device

if TYPE_CHECKING:
    from medveil.attacks.inversion.findings import Gallery, Judged
    from medveil.encoders.identity.embedder import IdentityEmbedder
    from medveil.federated.recipe import Privacy, Recipe
    from medveil.federated.vision_language.films import Films
    from medveil.release.federated_models.inversion import Protection, Step, Victims

FEWEST = 20  # returning patients: a gallery of fewer finds anybody by chance


def attack_inversion(
    source: Path,
    recipe: Path | None,
    out: Path,
    *,
    settings: InversionSettings,
    seed: int,
    secure_sums: bool = False,
    device: str = "cpu",
    layout: str | None = None,
    options: InputOptions | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> AttackOutcome:
    """Attack the updates that patients of `source` would leave in a federation by this recipe."""
    from medveil.federated.recipe import Recipe

    check_device(device)
    check_writable(out)
    by = Recipe() if recipe is None else Recipe.read(recipe)
    cohort = read_cohort(source, layout=layout, options=options, progress=partial(progress, "reading"))
    finding = invert(cohort, by, settings, seed=seed, secure_sums=secure_sums, device=device, progress=progress)
    within, page = report_attack(
        finding,
        Input.of_cohort(cohort),
        out,
        command=f"medveil attack inversion COHORT -o OUT --seed {seed}",
        seed=seed,
        settings={**to_json(settings), "recipe": by.to_json(), "secure_sums": secure_sums, "device": device},
    )
    return AttackOutcome(finding.answer, within, len(cohort.problems), page, {"image encoder": by.image})


def invert(
    cohort: Cohort,
    recipe: Recipe,
    settings: InversionSettings,
    *,
    seed: int,
    secure_sums: bool = False,
    device: str = "cpu",
    progress: Progress = lambda stage, done, total: None,
) -> Finding:
    """Under every protection; the one that recipe and plan have is judged."""
    from medveil.attacks.inversion.findings import Drawn, inversion_finding, judge
    from medveil.encoders.identity.embedder import load_embedder
    from medveil.federated.recipe import Privacy
    from medveil.release.federated_models.inversion import PROTECTIONS, Step, deal

    embedder = load_embedder(device=device)
    films, gallery = _returning(cohort, recipe, embedder, max(FEWEST, settings.sites * settings.films))
    victims = deal(films, updates=settings.updates, sites=settings.sites, batch=settings.films, seed=seed)
    privacy = recipe.privacy or Privacy()
    step = Step(replace(recipe, local_steps=1), device)
    judged: dict[str, dict[str, Judged]] = {}
    for protection in PROTECTIONS:
        seen = films.patients[victims.seen(protection)]
        watch = partial(progress, f"drawing, {protection}")
        for way, drawn in _drawn(step, victims, protection, privacy, settings, seed, watch).items():
            vectors = embedder.embed([(film * 255).astype(np.uint8) for update in drawn for film in update])
            told = Drawn(drawn, vectors, films.pixels[victims.own] / 255, seen)
            judged.setdefault(protection, {})[way] = judge(told, gallery, seed=seed)
    in_plan = {(False, False): "none", (True, False): "secure sums", (False, True): "privacy", (True, True): "both"}
    return inversion_finding(
        judged,
        in_plan[secure_sums, recipe.privacy is not None],
        network=recipe.image,
        noise=privacy.noise,
        sites=settings.sites,
        films=settings.films,
    )


def _drawn(
    step: Step,
    victims: Victims,
    protection: Protection,
    privacy: Privacy,
    settings: InversionSettings,
    seed: int,
    watch: Callable[[int, int], None],
) -> dict[str, NDArray[np.float32]]:
    """By way: what can be made of what the server sees."""
    from medveil.attacks.inversion.reconstruction import WAYS, Search
    from medveil.release.federated_models.inversion import CLOSED

    sent = step.sent(victims, protection, privacy, seed=seed)
    found = {}
    for way in WAYS:
        search = Search(way, steps=settings.steps, starts=settings.starts)
        found[f"by {way}"] = step.searched(victims, protection, sent, search, seed=seed, progress=watch)
    closed = step.closed_form(sent)
    return found if closed is None else {**found, CLOSED: closed}


def _returning(cohort: Cohort, recipe: Recipe, embedder: IdentityEmbedder, fewest: int) -> tuple[Films, Gallery]:
    """A film of everybody who came more than once, and the gallery of their films of another study."""
    from medveil.attacks.inversion.findings import Gallery
    from medveil.federated.vision_language.films import Films

    first, again = first_and_other_films(cohort)
    pictures: dict[str, NDArray[np.generic]] = {}
    for row, name in enumerate(again.table["patient_id"].astype(str)):
        with suppress(Quarantined):
            pictures[name] = again.image(row)
    kept = first.where(first.table["patient_id"].astype(str).isin(pictures).to_numpy(bool))
    if len(kept) < fewest:
        raise NotMeasurable(
            f"at least {fewest} patients must have frontal films of two studies, one to train on and one to recognise "
            f"them by; there are {len(kept)}"
        )
    films = Films.of(kept, recipe)
    vectors = embedder.embed([pictures[name] for name in films.people])
    return films, Gallery(vectors, np.arange(len(films.people)))


def first_and_other_films(cohort: Cohort) -> tuple[Cohort, Cohort]:
    """One frontal film of every patient's first study, and one of another study, of those who have one."""
    frontal = cohort.where(cohort.table["view"].isna() | cohort.table["view"].isin(("AP", "PA")))
    study = frontal.table.groupby("patient_id", observed=True)["study_id"].transform("first")
    here = (frontal.table["study_id"] == study).to_numpy(bool)
    first, again = (frontal.where(rows) for rows in (here, ~here))
    return first.where(~first.table["patient_id"].duplicated()), again.where(~again.table["patient_id"].duplicated())
