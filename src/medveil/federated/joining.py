"""A site's command: answer the coordinator of an approved plan until it says that it is over."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from medveil.errors import SettingsError
from medveil.federated.approval import read_approval
from medveil.federated.credentials import authority_pem, read_node_key
from medveil.federated.participant import Participant, Training
from medveil.federated.plan import Plan
from medveil.federated.recipe import Recipe
from medveil.runtime.locks import locked
from medveil.runtime.storage import check_writable

if TYPE_CHECKING:
    from medveil.cohort.cohort import Cohort
    from medveil.federated.local_training import LocalTraining


def join(
    plan: Plan,
    folder: Path,
    training: Callable[[], Training],
    *,
    tell_epsilon: bool = False,
    noticed: Callable[[str], None] = lambda words: None,
    give_up: float | None = None,
) -> str:
    """How it ended: a word that `ENDS` knows, or a code of `REFUSALS`. Whoever cannot train learns it from `training`,
    before others wait for this site."""
    from medveil.federated.apps.connection import Connection
    from medveil.federated.apps.site_app import no_context, site_app

    node_key = read_node_key(folder)
    approval = read_approval(folder, plan)
    check_writable(folder)
    authority = authority_pem(plan.coordinator.authority) if plan.coordinator.authority else None
    calling = Connection(plan.coordinator.address, node_key, authority)
    context = no_context()
    try:
        with locked(folder, wait=False):
            mine = training()
            participant = Participant(
                plan, approval, node_key, folder, lambda: mine, tell_epsilon=tell_epsilon, noticed=noticed
            )
            app = site_app(lambda context: participant)
            calling.answer(lambda message: app(message, context), _Over(participant), noticed, give_up=give_up)
    except BlockingIOError:
        raise SettingsError(f"another `medveil federated join` is at work in {folder}") from None
    return participant.ended or ""


def local_training(recipe: Recipe, cohort: Cohort, folder: Path, ledger: Path | None, device: str) -> LocalTraining:
    """What trains at a site, with the books that it keeps over all its runs."""
    from medveil.defenses.alignment.ledger import Budget, Ledger, default_ledger_file
    from medveil.federated.local_training import LocalTraining

    books = None
    if recipe.privacy is not None:
        budget = Budget(recipe.privacy.epsilon, recipe.privacy.delta, "patient")
        books = Ledger.of(ledger or default_ledger_file(), cohort.table["patient_id"].unique(), budget)
    return LocalTraining(recipe, cohort, folder / "training", device, books=books)


def how_long_it_lasts(plan: Plan, training: LocalTraining) -> str:
    """The privacy budget beside the rounds of the plan, for the site's own people; refused where it never lasted one.
    A site that has spent it may still come back for the model."""
    privacy, spent = plan.recipe.privacy, training.epsilon or 0.0
    assert privacy is not None
    rounds = training.rounds_left(plan.rounds)
    if not rounds and not spent:
        raise SettingsError(
            f"with this site's patients one round costs more than ε = {privacy.epsilon:g}; a plan with more noise, a"
            " smaller batch or fewer local steps costs less"
        )
    before = f"; ε = {spent:.3g} of {privacy.epsilon:g} was spent before, in this plan or others" if spent else ""
    if not rounds:
        return f"the privacy budget does not last for another round{before}"
    if rounds == plan.rounds:
        return f"the privacy budget lasts for all {rounds} rounds{before}"
    more = f"{rounds} more round{'' if rounds == 1 else 's'}"
    return f"the privacy budget lasts for {more}, and the plan has {plan.rounds}{before}"


class _Over(threading.Event):
    """Set once the participant has been told the end; its answer to that still leaves."""

    def __init__(self, participant: Participant) -> None:
        super().__init__()
        self._participant = participant

    def is_set(self) -> bool:
        return super().is_set() or self._participant.ended is not None
