from __future__ import annotations

from typing import Any

import pytest

from medveil.defenses.alignment.accounting import Spending, epsilon, noise_for
from medveil.defenses.alignment.settings import Settings
from medveil.defenses.alignment.steps import sampled_steps, sampling_probability
from medveil.errors import SettingsError
from medveil.release.protect.candidates import Candidate, chosen_candidates
from medveil.release.protect.run import AS_PUBLISHED

TRAINING_PAIRS = 153_255  # of the paper: MIMIC-CXR, AP and PA


def chosen(*variants: Any, sweep: bool = False, **changes: Any) -> list[Candidate]:
    usual: dict[str, Any] = {"epsilons": (), "noises": (), "directions": ()}
    return chosen_candidates(variants, sweep=sweep, **{**usual, **changes})


def test_the_preset_is_the_paper_s_run() -> None:
    (one,) = chosen(preset="published")
    assert (one.variant, one.name, one.folder) == ("dp-nominal", "dp-nominal, σ 1.4", "dp-nominal-sigma-1.4")
    found = one.settings
    assert (found.unit, found.accountant, found.noise_multiplier) == ("pair", "rdp", 1.4)
    assert (found.delta, found.clip, found.batch, found.epochs) == (6e-6, 1.5, 128, 5)
    assert (found.learning_rate, found.weight_decay) == (5e-3, 0.01)
    assert found.public()["epsilon"] is None, "it follows"
    assert (AS_PUBLISHED.by_image, AS_PUBLISHED.match, AS_PUBLISHED.redraws) == (True, "pair", 1000)
    assert AS_PUBLISHED.pools == (100, 1000, 10_000)


def test_its_noise_is_what_the_paper_s_epsilon_needs() -> None:
    settings = chosen(preset="published")[0].settings
    sampling, steps = sampling_probability(TRAINING_PAIRS, settings), sampled_steps(TRAINING_PAIRS, settings)
    assert (sampling, steps) == (128 / TRAINING_PAIRS, 5986)
    assert noise_for(0.34, settings.delta, sampling, steps, "rdp") == pytest.approx(1.4, abs=0.005)
    assert settings.noise_multiplier is not None
    spending = Spending(settings.noise_multiplier, sampling, steps)
    assert round(epsilon([spending], settings.delta, "rdp"), 2) == 0.34


def test_the_comparator_has_the_paper_s_settings_too() -> None:
    private, entropy = chosen(preset="published", sweep=True)
    assert (private.variant, entropy.variant) == ("dp-nominal", "entropy")
    assert (entropy.settings.batch, entropy.settings.epochs) == (512, 500)
    assert (entropy.settings.learning_rate, entropy.settings.weight_decay) == (5e-3, 0.01)
    assert chosen("entropy", preset="published") == [entropy]


def test_what_the_paper_leaves_open_can_be_set() -> None:
    (one,) = chosen(preset="published", temperature=0.5, entropy_weight=2.0, seed=3)
    assert (one.settings.temperature, one.settings.entropy_weight, one.settings.seed) == (0.5, 2.0, 3)


@pytest.mark.parametrize(
    "other", [{"epsilons": (1.0,)}, {"clip": 1.0}, {"unit": "patient"}, {"accountant": "pld"}, {"noises": (1.0,)}]
)
def test_what_the_paper_has_set_cannot(other: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="leave out other ones"):
        chosen(preset="published", **other)
    with pytest.raises(SettingsError, match="dp-nominal or entropy"):
        chosen("dp", preset="published")


def test_ours_stays_the_default() -> None:
    (one,) = chosen()
    assert (one.variant, one.settings) == ("dp", Settings())
    assert (one.settings.unit, one.settings.accountant, one.settings.noise_multiplier) == ("patient", "pld", None)


def test_a_noise_multiplier_takes_the_place_of_epsilon() -> None:
    assert [one.name for one in chosen("dp", "dp-groups", sweep=True, noise_multiplier=2.0)] == [
        "dp, σ 2",
        "dp-groups, σ 2",
    ]
    with pytest.raises(SettingsError, match="give one of the two"):
        chosen(epsilons=(1.0,), noise_multiplier=2.0)
    with pytest.raises(SettingsError, match="noise multiplier must be"):
        chosen(noise_multiplier=0.01)
