from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from medveil.defenses.anatomy.baselines.feature_noise import FeatureNoise
from medveil.defenses.anatomy.baselines.masked import Masked
from medveil.defenses.anatomy.dcm_deid.method import DcmDeid, DcmDeidSettings
from medveil.defenses.anatomy.dcm_deid.model_file import eight_bits, from_eight_bits, load_networks, save_networks
from medveil.defenses.anatomy.method import Film
from medveil.encoders.findings.network import load_findings, save_findings
from medveil.errors import InputError, Quarantined, SettingsError
from medveil.weights.bundled import bundled

Luck = Callable[..., list[np.random.Generator]]


def made(trained: Path, **how: object) -> DcmDeid:
    settings = replace(DcmDeidSettings(steps=2, autoencoder=trained / "autoencoder.safetensors"), **how)  # type: ignore[arg-type]
    return DcmDeid(weights=trained / "networks.safetensors", settings=settings)


def test_a_film_becomes_the_same_bytes_in_whatever_company(trained: Path, three: list[Film], luck: Luck) -> None:
    method = made(trained)
    together = method.protect(three, 0.7, luck())
    (alone,) = method.protect(three[2:], 0.7, luck()[2:])
    assert np.array_equal(together[2], alone) and alone.shape == (256, 256) and alone.dtype == np.uint8
    (other,) = method.protect(three[2:], 0.7, luck(1, 7))
    assert not np.array_equal(alone, other)
    assert method.bits(0.7) is None and method.guarantee(0.7).kind == "none"


def test_level_sign_steps_and_ablations_each_change_the_film(trained: Path, three: list[Film], luck: Luck) -> None:
    def film(level: float = 0.7, **how: object) -> bytes:
        return made(trained, **how).protect(three[:1], level, luck(1))[0].tobytes()

    ways = [film(), film(0.2), film(keep="least-like"), film(steps=1)]
    ways += [film(without=part) for part in ("semantics", "decoupling", "blocking")]
    assert len(set(ways)) == len(ways)


def test_without_blocking_no_pixel_is_passed_on_and_the_dial_turns_the_codes(
    trained: Path, three: list[Film], luck: Luck
) -> None:
    method = made(trained, without="blocking")
    assert not method._shown(torch.rand(1, 1, 256, 256), 0.2).any()
    weak, strong = (method.protect(three[:1], level, luck(1))[0] for level in (0.0, 1.0))
    assert not np.array_equal(weak, strong)


def test_codelength_adds_up_and_is_told_of_every_film(trained: Path, three: list[Film]) -> None:
    told = made(trained).codelength(three)
    assert told.all.shape == (3,) and (told.all > 0).all()
    zeros = made(trained)._parts.networks.codes
    nothing = float(zeros.bits(torch.zeros(1, 32, 8, 8)).detach())
    # each code is in one part and a zero in the other
    assert np.allclose(told.identity + told.semantics, told.all + nothing, rtol=1e-3)


def test_eight_bits_are_near_the_weights(trained: Path, tmp_path: Path) -> None:
    networks = load_networks(trained / "networks.safetensors")
    before, again = networks.state_dict(), from_eight_bits(eight_bits(networks.state_dict()))
    assert set(before) == set(again)
    for name, value in before.items():
        limit = value.abs().max() / 127
        assert (again[name] - value).abs().max() <= 0.51 * limit + 1e-6, name
    small = tmp_path / "small.safetensors"
    save_networks(small, networks, small=True)
    assert small.stat().st_size < 0.7 * (trained / "networks.safetensors").stat().st_size
    assert load_networks(small).codes.plan == networks.codes.plan


def test_what_does_not_fit_is_refused(trained: Path, tmp_path: Path, luck: Luck) -> None:
    with pytest.raises(InputError, match="does not hold the networks of DCM-DeID"):
        DcmDeid(weights=trained / "autoencoder.safetensors")
    other = tmp_path / "findings.safetensors"
    network, calling = load_findings(bundled("findings"))
    with torch.no_grad():
        network.last.bias.add_(1)
    save_findings(other, network, calling)
    with pytest.raises(InputError, match="another foundation model"):
        made(trained, foundation=other)
    with pytest.raises(SettingsError, match="from 0 to 1"):
        made(trained).protect([Film(np.zeros((256, 256), np.uint8))], 1.2, luck(1))
    with pytest.raises(SettingsError, match="at least one step"):
        made(trained, steps=0)
    with pytest.raises(Quarantined, match="in colour"):
        made(trained).protect([Film(np.zeros((256, 256, 3), np.uint8))], 0.2, luck(1))


def test_the_masked_baseline_keeps_what_it_shows(
    trained: Path, three: list[Film], luck: Luck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medveil.defenses.anatomy.baselines.masked.STEPS", 1)
    method = Masked(weights=trained / "networks.safetensors", autoencoder=trained / "autoencoder.safetensors")
    for level in (0.2, 0.95):
        (film,) = method.protect(three[:1], level, luck(1))
        same = (film == three[0].pixels).reshape(16, 16, 16, 16).all((1, 3))
        assert abs(same.mean() - (1 - level)) < 0.02
    assert np.array_equal(film, method.protect(three[:1], 0.95, luck(1))[0])


def test_noise_in_the_latents_is_the_generators_and_colour_goes_plane_by_plane(
    trained: Path, three: list[Film], luck: Luck
) -> None:
    method = FeatureNoise(weights=trained / "autoencoder.safetensors")
    (quiet,), (loud,) = (method.protect(three[:1], level, luck(1)) for level in (0.0, 0.9))
    assert not np.array_equal(quiet, loud)
    assert np.array_equal(quiet, method.protect(three[:1], 0.0, luck(1, 3))[0])  # no noise, no chance
    colour = Film(np.stack([film.pixels for film in three], -1))
    (planes,) = method.protect([colour], 0.0, luck(1))
    assert np.abs(planes[..., 0].astype(int) - quiet).max() <= 1  # three planes are another batch than one
    with pytest.raises(SettingsError, match="from 0"):
        method.protect(three[:1], 1.5, luck(1))


def test_the_bundled_networks_make_a_film_that_is_like_the_old_one_but_not_it(three: list[Film], luck: Luck) -> None:
    method = DcmDeid(settings=DcmDeidSettings(steps=4))
    (weak,), (strong,) = (method.protect(three[:1], level, luck(1)) for level in (0.2, 0.95))
    old = three[0].pixels.astype(float)
    for film in (weak, strong):
        assert 0.6 < np.corrcoef(old.ravel(), film.astype(float).ravel())[0, 1] < 0.995
    assert (method.codelength(three).semantics > 1000).all()  # which is why nothing is promised
