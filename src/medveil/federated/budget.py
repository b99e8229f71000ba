"""How long a privacy budget lasts, before anybody trains: rounds for a noise, or a noise for rounds.

Both depend on how many patients the site has, which is nobody else's business: each site asks for itself.
"""

from __future__ import annotations

from collections.abc import Callable

from medveil.defenses.alignment.accounting import Spending, epsilon, noise_for
from medveil.errors import SettingsError
from medveil.federated.recipe import Recipe

MOST = 1 << 20  # rounds that are looked at


def rounds_within(
    recipe: Recipe, patients: int, most: int = MOST, *, cost: Callable[[Spending], float] | None = None
) -> int:
    """How many rounds, of `most`, a site with so many patients takes part in before its budget is spent. `cost` is ε
    with what its patients have spent before; without it they have spent nothing."""
    privacy = recipe.privacy
    if privacy is None:
        raise SettingsError("a recipe without privacy spends no budget")
    sampling = _sampling(recipe, patients)

    def fits(rounds: int) -> bool:
        more = Spending(privacy.noise, sampling, rounds * recipe.local_steps)
        return (epsilon([more], privacy.delta) if cost is None else cost(more)) <= privacy.epsilon

    low, high = 0, 1
    while high <= most and fits(high):
        low, high = high, 2 * high
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def noise_to_last(recipe: Recipe, patients: int, rounds: int) -> float:
    """The least noise multiplier with which the budget lasts for so many rounds."""
    if recipe.privacy is None:
        raise SettingsError("a recipe without privacy spends no budget")
    if rounds < 1:
        raise SettingsError("a budget lasts for at least one round")
    privacy, sampling = recipe.privacy, _sampling(recipe, patients)
    return noise_for(privacy.epsilon, privacy.delta, sampling, rounds * recipe.local_steps)


def _sampling(recipe: Recipe, patients: int) -> float:
    if patients < 1:
        raise SettingsError("a site has at least one patient")
    return min(1.0, recipe.batch / patients)
