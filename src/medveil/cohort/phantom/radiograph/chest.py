"""The chest as it is at one visit: anatomy under this breath and these findings, as curves in cm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from medveil.cohort.phantom.plan import FindingPlan, PatientPlan, Side, VisitPlan
from medveil.cohort.phantom.radiograph.anatomy import RIBS, SIDES, Anatomy
from medveil.cohort.phantom.radiograph.brush import Floats, points, smooth

RIB_POINTS = 20
SPINE_DEPTH = -5.0  # z of the vertebral bodies
_MEDIAL = -0.4  # lung fields meet in the midline, where spine and mediastinum cover them


@dataclass(frozen=True)
class Chest:
    anatomy: Anatomy
    floor: float  # mean level of the diaphragm under this breath
    domes: tuple[float, float]  # level of each dome, right and left
    heart_width: float  # 1 is the patient's own
    mediastinum_width: float
    breath: float
    broken: dict[tuple[int, int], float]  # (side, rib): the step in cm

    @classmethod
    def of(cls, patient: PatientPlan, visit: VisitPlan) -> Chest:
        anatomy = Anatomy.of(patient)
        lost = anatomy.excursion * (1 - visit.inspiration)
        pulled = [0.0, 0.0]
        for finding in visit.findings:
            if finding.label == "Atelectasis":
                for side in signs(finding.side):
                    pulled[int(side > 0)] = pull(finding)
        extent = {finding.label: finding.extent for finding in visit.findings}
        heart, wide = extent.get("Cardiomegaly"), extent.get("Enlarged Cardiomediastinum")
        return cls(
            anatomy=anatomy,
            floor=sum(anatomy.dome) / 2 - lost,
            domes=(anatomy.dome[0] - lost - pulled[0], anatomy.dome[1] - lost - pulled[1]),
            heart_width=(1 if heart is None else 1.2 + 0.36 * heart) * (1 + 0.1 * (1 - visit.inspiration)),
            mediastinum_width=1 if wide is None else 1.3 + 0.65 * wide,
            breath=visit.inspiration,
            broken=_broken(visit),
        )

    @property
    def bottom(self) -> float:
        """Where the bony thorax is widest."""
        return sum(self.anatomy.dome) / 2 + 4

    @property
    def stretch(self) -> float:
        """How tall the lungs are against a full breath."""
        full = sum(self.anatomy.dome) / 2 - self.anatomy.apex
        return (self.floor - self.anatomy.apex) / full

    def wall(self, y: Floats | float) -> Floats:
        """Half the inner width of the thorax at these levels; 0 above the apex."""
        a = self.anatomy
        share = np.clip((np.asarray(y, np.float32) - a.apex) / (self.bottom - a.apex), 0, 1)
        inner = 3.6
        reach: Floats = (1 - (1 - share) ** a.shoulder_of_lung) ** np.float32(1 / a.lung_taper)
        return inner + (a.half_width - inner) * reach

    def spine(self, y: Floats) -> Floats:
        size, place, counter = self.anatomy.spine_sway
        bend: Floats = size * np.exp(-(((y - place) / 7) ** 2)) + counter * np.sin(y / 5)
        return bend

    def dome_curve(self, side: int, x: Floats) -> Floats:
        """The diaphragm's level at these distances from the midline (positive)."""
        a, index = self.anatomy, int(side > 0)
        top, at, depth = self.domes[index], a.dome_at[index] * a.half_width, a.recess[index]
        outward = np.clip((x - at) / (a.half_width - at), 0, 1.2)
        inward = np.clip((at - x) / at, 0, 1)
        level: Floats = top + depth * (0.7 * outward**2.2 + 0.3 * outward**6) + 1.8 * inward**2
        return level

    def belly(self) -> Floats:
        """The outline of all that lies below the diaphragm, closed."""
        out = np.linspace(0, self.anatomy.half_width + 1, 24, dtype=np.float32)
        right, left = (np.stack([side * out, self.dome_curve(side, out)], axis=1) for side in SIDES)
        flat = np.concatenate([right[::-1], left, points((30, 60), (-30, 60))])
        return np.concatenate([flat, np.zeros((len(flat), 1))], axis=1).astype(np.float32)

    def lung(self, side: int) -> Floats:
        """The outline of one lung field, closed, running behind the heart towards the midline."""
        a = self.anatomy
        angle = self.domes[int(side > 0)] + a.recess[int(side > 0)]
        angle = min(angle, self.bottom)
        y = angle + (a.apex - angle) * np.linspace(0, 1, 36, dtype=np.float32) ** 1.6
        lateral = np.stack([self.wall(y), y], axis=1)
        top = points((2.7, a.apex + 0.3), (2.0, a.apex + 1.0), (_MEDIAL, a.apex + 2.5))
        x = np.linspace(_MEDIAL, float(lateral[0, 0]), 30, dtype=np.float32)
        base = np.stack([x, np.minimum(self.dome_curve(side, x), angle)], axis=1)
        flat = np.concatenate([lateral, top, base])
        return np.concatenate([flat * (side, 1), np.zeros((len(flat), 1))], axis=1).astype(np.float32)

    def heart(self) -> Floats:
        """The heart's outline, closed, in a plane towards the front."""
        right, left, height, drop, waist, shoulder, lean, _ = (float(part) for part in self.anatomy.heart)
        right, left = right * (1 + 0.5 * (self.heart_width - 1)), left * self.heart_width
        base = self.floor + 0.7
        height *= 1 - 0.12 * (1 - self.breath)
        top = base - height
        knots = points(
            (-2.2, top + 0.6),
            (-right * 0.86, base - 0.62 * height),
            (-right, base - 0.32 * height),
            (-right * 0.8, base - 0.06 * height),
            (0.5 + lean, base + 2.2),
            (left * 0.72, base + 1.6 + drop),
            (left * 0.97, base - 0.06 * height + drop),
            (left * 0.95, base - 0.25 * height + drop * 0.5),
            (left * 0.78 + shoulder * 0.5, base - 0.47 * height),
            (left * 0.55 + waist * 0.6, base - 0.72 * height),
            (3.7 + waist, top + 0.6),
            (2.0, top - 1.2),
        )
        flat = smooth(knots, 72, closed=True)
        return np.concatenate([flat, np.full((len(flat), 1), 3.5, np.float32)], axis=1)

    def mediastinum(self) -> Floats:
        """Great vessels from the neck to the heart, closed."""
        a, wide = self.anatomy, self.mediastinum_width
        half, top = a.mediastinum, a.apex
        radius, level, out = a.knob
        level -= 0.25 * a.excursion * (1 - self.breath)
        knob = out + 0.55 * radius
        knots = points(
            (-half * 0.9, top - 4),
            (-half * 0.95 * (1 + 0.4 * (wide - 1)), top + 2),
            (-half * 0.98 * wide, level - 1.2),
            (-half * 1.12 * wide, level + 2.6),
            (-half * 1.2, level + 6.5),
            (0, level + 8),
            (half * 1.3, level + 6),
            ((3.2 + 0.2 * radius) * (1 + 0.45 * (wide - 1)), level + 3.9),
            (2.9 * (1 + 0.75 * (wide - 1)), level + 1.9),
            (knob * (1 + 0.7 * (wide - 1)), level + 0.55 * radius),
            (knob * (1 + 0.8 * (wide - 1)), level - 0.45 * radius),
            (2.2 * (1 + 1.15 * (wide - 1)), level - 1.5 * radius),
            (half * 0.95 * (1 + 0.4 * (wide - 1)), top + 2),
            (half * 0.95, top - 4),
        )
        flat = smooth(knots, 84, closed=True)
        return np.concatenate([flat, np.full((len(flat), 1), 1.5, np.float32)], axis=1)

    def ribs(self, start: float, end: Floats) -> Floats:
        """The middle lines (side, rib, points, 3) between two angles: 0 at the spine, 180 at the sternum."""
        a = self.anatomy
        number = np.arange(RIBS, dtype=np.float32)[None, :, None]
        level_by, drop_by = a.rib_jitter[:, :, 0, None], a.rib_jitter[:, :, 1, None]
        angle = np.deg2rad(start + (end[None, :, None] - start) * np.linspace(0, 1, RIB_POINTS, dtype=np.float32))
        drop = (3.2 + (a.rib_drop - 3.2) * np.minimum(number / 3, 1) + drop_by) * (1 + 0.12 * (1 - self.breath))
        level = a.apex + 0.4 + number * a.vertebra * (0.936 + 0.006 * number) + level_by
        cosine, sine = np.cos(angle), np.sin(angle)
        y = level + drop * (1 - cosine) / 2 - a.rib_curve * sine * np.exp(-angle) * 1.6
        reach = self.wall(level + 0.5 * drop) - 0.25
        depth = 6.0 + 3.2 * np.minimum(number / 5, 1)
        x = 1.2 + (reach - 1.2) * np.maximum(sine, 0) ** np.float32(0.9)
        side = np.asarray(SIDES, np.float32)[:, None, None]
        across = side * x + self.spine(level) * np.cos(angle / 2)
        return np.stack(np.broadcast_arrays(across, y, -depth * cosine), axis=-1).astype(np.float32)

    @property
    def rib_ends(self) -> Floats:
        """The angles at which bone ends and cartilage, which is not seen, begins."""
        full = self.anatomy.rib_end
        return np.asarray([full - 8, *[full] * 8, full - 25, 95, 60], np.float32)


def pull(finding: FindingPlan) -> float:
    """How far the lost volume of an atelectasis draws the diaphragm up, in cm."""
    return 0.3 + 1.2 * finding.extent


def _broken(visit: VisitPlan) -> dict[tuple[int, int], float]:
    return {
        (side, rib): 0.6 + 0.7 * finding.extent
        for finding in visit.findings
        if finding.label == "Fracture"
        for side in signs(finding.side)
        for rib in finding.ribs
    }


def signs(side: Side) -> tuple[int, ...]:
    """The sign of x for a side: the patient's right is negative, on the image's left."""
    return {"right": (-1,), "left": (1,), "bilateral": SIDES}[side]
