"""What is trained and how, in one frozen object: every site trains by the same recipe, and approves it as it stands.

It is read from a table of a TOML file and has one canonical JSON, so that two sites can compare it by its digest. What
belongs to a site alone (its films, its folder, its device) is not in it.
"""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from medveil.errors import InputError, SettingsError

ImageEncoder = Literal["resnet", "vit"]
TextEncoder = Literal["bert", "none"]
Trained = Literal["all", "adapters", "heads"]
Weighting = Literal["patients", "equal"]
Adam = Literal["sites", "coordinator"]
Labels = Literal["masked", "positive-only", "uncertain-negative", "uncertain-positive", "uncertain-missing"]
SMALLEST, LARGEST = 32, 512  # pixels
STRIDE = 16  # pixels of a film that become one place of the encoder's grid
LAST_RATE = 1 / 20  # of the learning rate, at the horizon


@dataclass(frozen=True)
class Privacy:
    """Differential privacy by patient: what all rounds together may cost, and the noise of every step.

    Neighbouring sites differ by one patient with all films and reports. A run ends when the next round would cost more
    than `epsilon`; `medveil.federated.budget` tells how many rounds a noise lasts, and which noise lasts so many.
    """

    epsilon: float = 8.0
    delta: float = 1e-5
    clip: float = 1.0  # the most that one patient's gradient counts
    noise: float = 1.0  # standard deviation over `clip`

    def __post_init__(self) -> None:
        _positive(self, "epsilon", "clip", "noise")
        if not 0 < self.delta < 1:
            raise SettingsError("delta must be between 0 and 1")


def _every_finding() -> tuple[str, ...]:
    from medveil.cohort.schema import LABELS  # brings tables, which a recipe read from a file does not need

    return LABELS


@dataclass(frozen=True)
class Recipe:
    """One model and its local training. The defaults are small enough for a processor."""

    findings: tuple[str, ...] = field(default_factory=_every_finding)
    image: ImageEncoder = "resnet"
    side: int = 128  # pixels
    channels: int = 32  # of the first stage of a ResNet; a ViT is six times as wide
    text: TextEncoder = "bert"
    words: int = 192  # of a report that are read
    buckets: int = 4096  # a word is one of so many
    text_width: int = 128
    text_layers: int = 2
    embedding: int = 128  # dimensions in which film and report are compared
    trained: Trained = "all"
    rank: int = 8  # of the adapters
    start: Path | None = None  # weights to begin with; adapters and heads need some
    contrast: float = 0.5  # λ, the weight of the contrastive loss
    temperature: float = 0.1
    proximal: float = 0.01  # μ
    local_steps: int = 10  # of a site in a round
    batch: int = 32  # patients of a step, each with one film
    adam: Adam = "sites"  # who steps by AdamW; at the coordinator, sites step along their gradients alone
    learning_rate: float = 1e-3  # of AdamW
    site_rate: float = 0.1  # of a site's steps where AdamW is the coordinator's
    weight_decay: float = 0.01
    momentum: float = 0.0  # what the shared weights keep of the last rounds' way
    horizon: int = 0  # rounds over which the rate falls to a twentieth; 0 keeps it
    labels: Labels = "masked"  # what an uncertain and a missing label count as
    negatives: int = 64  # phantom pairs that a private film and report are held against
    weighting: Weighting = "patients"  # what a site counts in the mean
    privacy: Privacy | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        _chosen(self)
        if not self.findings or len(set(self.findings)) < len(self.findings):
            raise SettingsError("findings must be at least one name, none of them twice")
        if not SMALLEST <= self.side <= LARGEST or self.side % STRIDE:
            raise SettingsError(f"side must be a multiple of {STRIDE} from {SMALLEST} to {LARGEST}")
        whole = ("channels", "words", "buckets", "text_width", "text_layers", "embedding", "rank", "local_steps")
        _positive(self, *whole, "batch", "negatives", "temperature", "learning_rate", "site_rate")
        if not 0 <= self.momentum < 1:
            raise SettingsError("momentum must be at least 0 and below 1")
        if self.momentum and self.adam == "coordinator":
            raise SettingsError("momentum is for AdamW at the sites; at the coordinator it has a momentum of its own")
        for name in ("contrast", "proximal", "weight_decay", "horizon", "seed"):
            if not (getattr(self, name) >= 0 and math.isfinite(getattr(self, name))):
                raise SettingsError(f"{name} must be zero or a positive number")
        if self.channels % 8 or self.text_width % 4:
            raise SettingsError("channels must be a multiple of 8, and text_width one of 4")
        if self.trained != "all" and self.start is None:
            raise SettingsError(f"training {self.trained} alone needs weights to begin with; name a file as start")

    @classmethod
    def read(cls, path: Path) -> Recipe:
        """The table `[recipe]` of a TOML file; a relative `start` is taken from the file's folder."""
        try:
            content = tomllib.loads(Path(path).read_text("utf-8"))
        except (OSError, ValueError):
            raise InputError(f"{path} is not a readable TOML file") from None
        if not isinstance(content.get("recipe"), dict):
            raise InputError(f"{path} has no table [recipe]")
        recipe = cls.of(content["recipe"])
        return recipe if recipe.start is None else replace(recipe, start=Path(path).parent / recipe.start)

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Recipe:
        """From a table of a TOML or JSON file."""
        given = {str(key).replace("-", "_"): value for key, value in table.items()}
        privacy = given.pop("privacy", None)
        if privacy is not None and not isinstance(privacy, Mapping):
            raise SettingsError("privacy must be a table of epsilon, delta, clip and noise")
        if privacy is not None:
            given["privacy"] = Privacy(**_typed(Privacy, privacy, "privacy"))
        return cls(**_typed(cls, given, "a recipe"))

    def to_json(self) -> dict[str, Any]:
        """In JSON's own types; weights to begin with are told by their digest, for a path means nothing elsewhere."""
        told = asdict(self) | {"findings": list(self.findings)}
        if self.start is not None:
            from medveil.runtime.storage import sha256_of

            try:
                told["start"] = f"sha256:{sha256_of(self.start)}"
            except OSError:
                raise InputError(f"{self.start}, the weights to begin with, cannot be read") from None
        return told

    def canonical(self) -> str:
        """JSON, the same for the same recipe wherever it was read."""
        return json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    def rate(self, round_number: int) -> float:
        """The learning rate of a round, after its rise: down to a twentieth at the horizon."""
        if not self.horizon:
            return self.learning_rate
        share = min(1.0, (round_number - 1) / self.horizon)
        return self.learning_rate * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * share)) / 2)

    def described(self) -> list[str]:
        """What a site reads before it approves, a sentence a line."""
        layers = "one layer" if self.text_layers == 1 else f"{self.text_layers} layers"
        text = "no text encoder" if self.text == "none" else f"a text encoder (BERT type, {layers})"
        part = {"all": "All weights are", "adapters": "Adapters and heads alone are", "heads": "The heads alone are"}
        promise = "No differential privacy: the update is what the films and reports make of it."
        if self.privacy is not None:
            promise = (
                f"Differential privacy by patient: ε at most {self.privacy.epsilon:g} at δ = {self.privacy.delta:g}"
                f" over all rounds, noise {self.privacy.noise:g} times the clipping norm {self.privacy.clip:g};"
                " training ends when the budget does."
            )
        begins = "" if self.start is None else f" Training begins with weights {self.to_json()['start']}."
        stepping = f"learning rate {self.learning_rate:g}, momentum between rounds {self.momentum:g}"
        if self.adam == "coordinator":
            stepping = (
                f"the update is the gradient itself, {self.site_rate:g} times, and the coordinator steps by AdamW with"
                f" learning rate {self.learning_rate:g}"
            )
        return [
            f"The model: an image encoder ({self.image}, films of {self.side} pixels) and {text}, for"
            f" {len(self.findings)} findings: {', '.join(self.findings)}.",
            f"{part[self.trained]} trained and sent, as the difference to the shared weights.{begins}",
            f"A round is {self.local_steps} step{'' if self.local_steps == 1 else 's'} of {self.batch} patients, one"
            f" film each, contrast λ = {self.contrast:g}, proximal term μ = {self.proximal:g}; {stepping}.",
            promise,
        ]


def _typed(declared: type[Any], given: Mapping[str, Any], of: str) -> dict[str, Any]:
    """The values in their fields' types; TOML writes 1.0 as 1 and tuples as lists."""
    known = {one.name for one in fields(declared)}
    for key in given:
        if key not in known:
            raise SettingsError(f"{of} has no setting called {key}; it has {', '.join(sorted(known))}")
    hints = get_type_hints(declared)
    return {key: _value(key, hints[key], value) for key, value in given.items()}


def _value(name: str, hint: Any, value: Any) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if hint is float and (whole or isinstance(value, float)):
        return float(value)
    if hint is int and whole:
        return value
    if hint == tuple[str, ...] and isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return tuple(value)
    if hint == Path | None and isinstance(value, str):
        return Path(value)
    if isinstance(value, str) and value in get_args(hint):
        return value
    if isinstance(value, Privacy) or (value is None and type(None) in get_args(hint)):
        return value
    raise SettingsError(f"{name} cannot be {value!r}")


def _chosen(recipe: Recipe) -> None:
    hints = get_type_hints(Recipe)
    for one in fields(recipe):
        choices, value = get_args(hints[one.name]), getattr(recipe, one.name)
        if choices and isinstance(choices[0], str) and value not in choices:
            raise SettingsError(f"{one.name} must be one of {', '.join(choices)}")


def _positive(settings: Any, *names: str) -> None:
    for name in names:
        if not (getattr(settings, name) > 0 and math.isfinite(getattr(settings, name))):
            raise SettingsError(f"{name} must be a positive number")
