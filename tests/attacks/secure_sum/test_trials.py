from __future__ import annotations

import pytest

from medveil.attacks.secure_sum.trials import BOTH, KEYS, LATE, OURS, SEARCH, STOCK, trials
from medveil.errors import SettingsError
from medveil.federated.secure_sum.masks import mask
from medveil.federated.secure_sum.quantising import Grid

pytest.importorskip("flwr")
whole = Grid.numbers


def test_flowers_protocol_shows_every_update_and_ours_none() -> None:
    found = {(trial.protocol, trial.means, trial.lost): trial for trial in trials(5, 100, seed=1)}
    assert found[STOCK, BOTH, 0].seen == 5 and found[STOCK, BOTH, 1].seen == 4
    assert not any(trial.seen for trial in found.values() if trial.protocol == OURS)
    assert "out of turn" in found[OURS, BOTH, 0].why and "out of turn" in found[OURS, BOTH, 1].why
    assert "not signed" in found[OURS, KEYS, 0].why
    assert not found[OURS, LATE, 0].why  # the session came to its end


def test_a_site_called_lost_is_covered_by_its_own_mask_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, the same means show the update."""
    monkeypatch.setattr("medveil.federated.secure_sum.site.secrets.token_bytes", bytes)
    zero = mask(bytes(32), 101)
    monkeypatch.setattr("medveil.attacks.secure_sum.trials.Grid.numbers", lambda grid, words: whole(grid, words - zero))
    found = {trial.means: trial for trial in trials(5, 100, seed=1) if trial.protocol == OURS}
    assert found[LATE].seen == 1


def test_no_weak_seed_is_found_under_our_masks() -> None:
    """Among few seeds only: trying all takes minutes, and `medveil attack secure-sum` does."""
    found = {(trial.protocol, trial.means, trial.lost): trial for trial in trials(3, 100, seed=2, bits=12)}
    assert found[OURS, SEARCH, 0].seen == 0 and "no seed" in found[OURS, SEARCH, 0].why
    assert found[STOCK, BOTH, 0].seen == 3 and found[STOCK, BOTH, 1].seen == 2
    assert "too few sites are left: 2" in found[OURS, BOTH, 1].why


@pytest.mark.slow
def test_two_sites_of_flowers_are_seen_by_a_server_that_keeps_to_the_protocol() -> None:
    found = {(trial.protocol, trial.means): trial for trial in trials(2, 100, seed=3)}
    assert found[STOCK, SEARCH].seen == 2


def test_one_site_is_no_sum() -> None:
    with pytest.raises(SettingsError, match="two sites"):
        trials(1, 100, seed=0)
