"""How hard the attackers try."""

from __future__ import annotations

from dataclasses import dataclass, replace

from medveil.errors import SettingsError


@dataclass(frozen=True)
class Effort:
    """Steps of learning, how many films a step sees, and how large: the side in pixels.

    A step of the retrained attacker sees `images` films each of `patients` patients. `likeness` is how much restored
    films must also be alike to the originals in the eyes of a recogniser; 0 leaves the pixels alone to decide.
    Nothing is learned from a film that was seen more than `passes` times but the film itself.
    """

    steps: int
    size: int
    patients: int
    images: int
    restoring_steps: int
    restored_size: int
    restored_films: int
    width: int  # maps of the restoring network at full size
    likeness: float
    every: int  # steps between two saved states
    passes: int | None = None

    def on(self, films: int) -> Effort:
        """With no more steps than there are passes over so many films."""
        if self.passes is None:
            return self
        seen = self.passes * films
        steps, restoring = -(-seen // (self.patients * self.images)), -(-seen // self.restored_films)
        return replace(
            self, steps=max(1, min(self.steps, steps)), restoring_steps=max(1, min(self.restoring_steps, restoring))
        )


SMALL = Effort(90, 128, 12, 2, 90, 96, 12, 12, likeness=0.0, every=15, passes=20)
FULL = Effort(600, 192, 16, 4, 300, 128, 48, 32, likeness=1.0, every=100)
NAMED = {"small": SMALL, "full": FULL}


def effort_of(asked: str | int | Effort, device: str) -> Effort:
    """A named effort, or a number of steps at the size that suits the device."""
    if isinstance(asked, Effort):
        return asked
    if asked in NAMED:
        return NAMED[str(asked)]
    base = SMALL if device == "cpu" else FULL
    try:
        steps = int(asked)
    except ValueError:
        steps = 0
    if steps < 1:
        raise SettingsError("the attackers' effort is small, full, or a number of steps")
    restoring = max(1, round(steps * base.restoring_steps / base.steps))
    return replace(base, steps=steps, restoring_steps=restoring, passes=None)
