"""The body that belongs to a patient, the same at every visit. All lengths in cm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from medveil.cohort.phantom.plan import PatientPlan
from medveil.cohort.phantom.radiograph.brush import Floats

SIDES = (-1, 1)  # the patient's right and left: the sign of x
RIBS = 12


@dataclass(frozen=True)
class Granuloma:
    """A calcified granuloma, which stays for life, at a place in the lung (shares of width and height)."""

    side: int
    across: float
    down: float
    radius: float


@dataclass(frozen=True)
class Anatomy:
    female: bool
    build: float
    # thorax
    half_width: float
    apex: float
    shoulder_of_lung: float  # how square the upper lung is
    lung_taper: float
    dome: tuple[float, float]  # right and left, at full inspiration
    dome_at: tuple[float, float]  # where its top lies, share of the half width
    excursion: float
    recess: tuple[float, float]  # depth of the costophrenic angle below the dome
    air: float  # share of the lungs that is air
    # bones
    rib_drop: float
    rib_curve: float
    rib_width: float
    rib_density: float
    rib_end: float
    rib_jitter: Floats  # (2, RIBS, 3): level, drop, width
    vertebra: float
    spine_sway: tuple[float, float, float]  # size, place, small counter curve
    spine_width: float
    clavicle: Floats  # (2, 4): lift of the outer end, bow, thickness, inner height
    scapula: Floats  # (2, 3)
    healed_rib: tuple[int, int, int] | None  # side, rib, point along its posterior part
    # soft tissue
    flank: float  # wider or narrower than the rib cage asks for
    shoulder: float
    shoulder_fall: float
    neck: float
    arm_out: tuple[float, float]
    breast: tuple[float, float, float]  # size, height, distance
    heart: Floats  # (8,): right, left, height, apex drop, waist, shoulder, lean, thickness
    knob: tuple[float, float, float]  # radius, level, distance
    mediastinum: float
    trachea: tuple[float, float]
    hilum: Floats  # (2, 2)
    granulomas: tuple[Granuloma, ...]
    texture_key: int

    @classmethod
    def of(cls, patient: PatientPlan) -> Anatomy:
        return _grow(patient.anatomy_key, patient.sex == "F", patient.build)


@lru_cache(maxsize=16)
def _grow(key: int, female: bool, build: float) -> Anatomy:
    rng = np.random.default_rng([key, 11])

    def about(mean: float, spread: float) -> float:
        return float(mean + spread * np.clip(rng.normal(), -2.5, 2.5))

    dome = about(7.8 if female else 8.8, 1.2)
    return Anatomy(
        female=female,
        build=build,
        half_width=about(12.3 if female else 13.4, 0.85) + 0.4 * build,
        apex=about(-13.5, 0.9),
        shoulder_of_lung=about(2.5, 0.35),
        lung_taper=about(1.9, 0.2),
        dome=(dome, dome + about(1.1, 0.7)),
        dome_at=(about(0.5, 0.05), about(0.52, 0.05)),
        excursion=about(3.2, 0.4),
        recess=(about(4.2, 0.7), about(4.0, 0.7)),
        air=about(0.72, 0.045),
        rib_drop=about(9.3, 1.5),
        rib_curve=about(1.8, 0.5),
        rib_width=about(1.15 if female else 1.3, 0.08),
        rib_density=about(1.0, 0.13),
        rib_end=about(148, 6),
        rib_jitter=rng.normal(0, (0.16, 0.3, 0.07), (2, RIBS, 3)).astype(np.float32),
        vertebra=about(2.5 if female else 2.65, 0.08),
        spine_sway=(about(0, 0.75), about(0, 4), about(0, 0.25)),
        spine_width=about(3.2 if female else 3.6, 0.2),
        clavicle=rng.normal((2.2, 0.9, 1.3, 0.0), (0.8, 0.4, 0.1, 0.35), (2, 4)).astype(np.float32),
        scapula=rng.normal(0, (0.7, 0.7, 0.5), (2, 3)).astype(np.float32),
        healed_rib=(int(rng.choice(SIDES)), int(rng.integers(4, 9)), int(rng.integers(7, 16)))
        if rng.random() < 0.15
        else None,
        flank=about(0, 0.9),
        shoulder=about(19.0 if female else 20.3, 1.1),
        shoulder_fall=about(4.2, 0.9),
        neck=about(5.2 if female else 6.0, 0.6) + 0.5 * build,
        arm_out=(about(2.5, 2.4), about(2.5, 2.4)),
        breast=(max(0.0, about(3.0, 1.4) + 1.2 * build) if female else 0.0, about(5.5, 1.4), about(7.6, 0.7)),
        heart=np.asarray(
            [
                about(4.2 if female else 4.5, 0.5),
                about(7.1 if female else 7.8, 0.65) + 0.4 * build,
                about(10.6, 0.6),
                about(0.9, 0.4),
                about(0.0, 0.35),
                about(0.0, 0.4),
                about(0.0, 0.3),
                about(9.0, 0.7),
            ],
            np.float32,
        ),
        knob=(about(1.6, 0.3), about(-6.9, 0.8), about(2.4, 0.4)),
        mediastinum=about(2.8, 0.35) + 0.25 * build,
        trachea=(about(0.85, 0.08), about(0.25, 0.2)),
        hilum=rng.normal(((3.7, -2.4), (3.9, -3.4)), (0.35, 0.5), (2, 2)).astype(np.float32),
        granulomas=_granulomas(rng),
        texture_key=int(rng.integers(2**62)),
    )


def _granulomas(rng: np.random.Generator) -> tuple[Granuloma, ...]:
    count = int(rng.choice((0, 1, 2, 3), p=(0.55, 0.25, 0.13, 0.07)))
    return tuple(
        Granuloma(
            int(rng.choice(SIDES)),
            float(rng.uniform(0.4, 0.85)),
            float(rng.uniform(0.15, 0.8)),
            float(rng.uniform(0.16, 0.34)),
        )
        for _ in range(count)
    )
