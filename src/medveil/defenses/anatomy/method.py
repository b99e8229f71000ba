"""What a way of hiding anatomy must offer, and by what name it is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from medveil.errors import SettingsError
from medveil.parts import Guarantee

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Film:
    """A film as a method sees it: 256 × 256 pixels of 8 bits, bright is dense (`encoders.identity.preparing.prepare`);
    a photograph of the eye has three colours more. `fields` is what its row of the table tells, by column: the labels
    (1, 0, −1, or missing), view, sex, age."""

    pixels: Pixels
    fields: Mapping[str, Any] = field(default_factory=dict)


class Method(Protocol):
    """A way of hiding anatomy, with one dial.

    `levels` are the settings of the dial that are measured, from the weakest protection to the strongest, and `unit`
    says what they count. `bits` is how much of the original a film can carry at a level, where that is bounded, and
    None where it is not. A film comes out in the form it came in, except that a method may change its `pixels` only.
    Randomness comes from the generators alone, one a film: the same ones give the same bytes, in whatever batches.
    """

    name: str
    title: str
    unit: str
    levels: tuple[float, ...]

    def bits(self, level: float) -> float | None: ...

    def guarantee(self, level: float) -> Guarantee: ...

    def protect(self, films: Sequence[Film], level: float, chance: Sequence[np.random.Generator]) -> list[Pixels]: ...


@runtime_checkable
class Refuses(Protocol):
    """A method that cannot hide every film, and says why."""

    def refusal(self, film: Film) -> str | None: ...


_HOMES = {
    "coded": "coded.method:Coded",
    "dcm-deid": "dcm_deid.method:DcmDeid",
    "blur": "baselines.blur:PixelBlur",
    "feature-noise": "baselines.feature_noise:FeatureNoise",
    "id-adversarial": "baselines.id_adversarial:IdAdversarial",
    "privacy-net": "baselines.privacy_net:PrivacyNet",
    "mae": "baselines.masked:Masked",
    "deformation": "baselines.deformation:SmoothDeformation",
    "k-same": "baselines.k_same:KSame",
    "labels": "baselines.label_synthesis:LabelSynthesis",
}
METHODS = tuple(_HOMES)


def load_method(name: str, *, weights: Path | None = None, device: str = "cpu", **own: Any) -> Method:
    """The method at work, with trained networks of the user's, or those that come with medveil; `own` are settings that
    it alone has."""
    if name not in _HOMES:
        raise SettingsError(f"there is no way of hiding anatomy called {name}; choose from {', '.join(METHODS)}")
    module, _, made = _HOMES[name].partition(":")
    maker = getattr(import_module(f"medveil.defenses.anatomy.{module}"), made)
    found: Method = maker(weights=weights, device=device, **own)
    return found
