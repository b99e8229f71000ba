"""`Coded`: the film is made anew from a code of a few bits and fresh randomness.

What a film shows is put into bits (`semantics`, `codebook`), and from the bits and a random generator another film is
drawn that shows the same (`generator`). Only the integer passes from one to the other, which is what the guarantee
rests on (`bound`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from medveil.defenses.anatomy.coded.bound import guarantee
from medveil.defenses.anatomy.coded.codebook import LONGEST, Codebook
from medveil.defenses.anatomy.coded.generator import Generator
from medveil.defenses.anatomy.coded.known_films import KnownFilms
from medveil.defenses.anatomy.coded.model_file import Parts, load_coded
from medveil.defenses.anatomy.coded.semantics import Semantics
from medveil.defenses.anatomy.latents import FILM, Autoencoder, load_autoencoder
from medveil.defenses.anatomy.method import Film, Pixels
from medveil.encoders.findings.network import load_findings
from medveil.errors import Quarantined, SettingsError
from medveil.parts import Guarantee
from medveil.runtime.once import once
from medveil.weights.bundled import bundled

COLOUR = "in colour, and this way of hiding anatomy knows gray films only"
KNOWN = "the generator has learned from this film, so it cannot hide whose it is"


class Coded:
    """Codes of b bits. With `measuring`, films that the generator has learned from are made anew too: to measure what
    films made from codes are good for, never to release them. `steps` are those from noise to a film: more take longer
    and are better to learn from."""

    name = "coded"
    title = "re-made from a code"
    unit = "bits a film"
    levels: tuple[float, ...] = (16.0, 12.0, 10.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0)

    def __init__(
        self, *, weights: Path | None = None, device: str = "cpu", measuring: bool = False, steps: int | None = None
    ) -> None:
        self._weights = weights
        self._device = device
        self._measuring = measuring
        self._steps = steps
        self._made: Workshop | None = None

    def bits(self, level: float) -> float:
        return float(_whole(level))

    def guarantee(self, level: float) -> Guarantee:
        return guarantee(_whole(level))

    def refusal(self, film: Film) -> str | None:
        """Why a film must be set aside, or None."""
        if film.pixels.ndim != 2:
            return COLOUR
        if film.pixels.shape != (FILM, FILM) or film.pixels.dtype != np.uint8:
            raise SettingsError(f"a film must be prepared first: {FILM} × {FILM} pixels of 8 bits")
        return KNOWN if not self._measuring and self._workshop.known.holds(film.pixels) else None

    def codes(self, films: Sequence[Film], level: float) -> list[int]:
        """The code of each film, below 2^level."""
        shown = self._workshop.semantics.shown(films)
        return [self._workshop.codebook.code(fields, drawn, _whole(level)) for fields, drawn in shown]

    def protect(self, films: Sequence[Film], level: float, chance: Sequence[np.random.Generator]) -> list[Pixels]:
        """Raises `Quarantined` where a film must be set aside (see `refusal`)."""
        bits = _whole(level)
        for film in films:
            if reason := self.refusal(film):
                raise Quarantined(reason)
        if len(chance) != len(films):
            raise SettingsError("every film needs a random generator of its own")
        return self._workshop.generator.draw(self.codes(films, bits), bits, chance, steps=self._steps)

    @property
    def _workshop(self) -> Workshop:
        if self._made is None:
            self._made = _bundled(self._device) if self._weights is None else load_workshop(self._weights, self._device)
        return self._made


class Workshop:
    """What `Coded` works with."""

    def __init__(self, parts: Parts, autoencoder: Autoencoder, device: str) -> None:
        self.codebook: Codebook = parts.codebook
        self.known: KnownFilms = parts.known
        self.semantics = Semantics(load_findings(bundled("findings"))[0], parts.head, device=device)
        self.generator = Generator(parts.sampler, autoencoder, parts.codebook, device=device)


def load_workshop(path: Path, device: str) -> Workshop:
    """A generator of the user's; an autoencoder that lies beside it under its own name is taken, else the bundled."""
    own = path.with_name("autoencoder.safetensors")
    return Workshop(load_coded(path), load_autoencoder(own if own.is_file() else None), device)


@once
def _bundled(device: str) -> Workshop:
    """Kept, for compiling takes seconds."""
    return load_workshop(bundled("coded"), device)


def _whole(level: float) -> int:
    if level != int(level) or not 1 <= level <= LONGEST:
        raise SettingsError(f"a code has a whole number of bits from 1 to {LONGEST}")
    return int(level)
