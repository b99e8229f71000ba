from __future__ import annotations

import pytest

from medveil.attacks.secure_sum.trials import BOTH, KEYS, OURS, SEARCH, STOCK, trials
from medveil.errors import SettingsError

pytest.importorskip("flwr")


def test_flowers_protocol_shows_every_update_and_ours_none() -> None:
    found = {(trial.protocol, trial.means): trial for trial in trials(5, 100, seed=1)}
    assert found[STOCK, BOTH].seen == 5
    assert found[OURS, BOTH].seen == found[OURS, KEYS].seen == 0
    assert "out of turn" in found[OURS, BOTH].why and "not signed" in found[OURS, KEYS].why


def test_no_weak_seed_is_found_under_our_masks() -> None:
    """Among few seeds only: trying all takes minutes, and `medveil attack secure-sum` does."""
    found = {(trial.protocol, trial.means): trial for trial in trials(3, 100, seed=2, bits=12)}
    assert found[OURS, SEARCH].seen == 0 and "no seed" in found[OURS, SEARCH].why
    assert found[STOCK, BOTH].seen == 3


@pytest.mark.slow
def test_two_sites_of_flowers_are_seen_by_a_server_that_keeps_to_the_protocol() -> None:
    found = {(trial.protocol, trial.means): trial for trial in trials(2, 100, seed=3)}
    assert found[STOCK, SEARCH].seen == 2


def test_one_site_is_no_sum() -> None:
    with pytest.raises(SettingsError, match="two sites"):
        trials(1, 100, seed=0)
