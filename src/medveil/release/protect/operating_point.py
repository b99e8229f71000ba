"""One point of the frontier: a defense at one setting and all that was measured of it; kept to resume from."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.refit.refitting import RefitPoint
from medveil.parts import Guarantee
from medveil.release.protect.measurement import Measurements
from medveil.runtime.storage import write_bytes
from medveil.stats.estimate import Estimate
from medveil.stats.privacy_audit import PrivacyAudit

FILE, DRAWS = "point.json", "replicates.npy"
AS_IT_IS = "as it is"
AT_START = "as training starts"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OperatingPoint:
    """`name` tells variant and setting; `epsilon` is what is claimed for it (nominally, where `guarantee` is none)."""

    name: str
    variant: str
    measured: Measurements
    guarantee: Guarantee
    epsilon: float | None = None
    audit: PrivacyAudit | None = None  # with canaries among the training pairs
    worst_case: PrivacyAudit | None = None  # of one step, on the data that is worst for the loss
    record: dict[str, Any] | None = None

    @property
    def audits(self) -> dict[str, PrivacyAudit]:
        """Those that were run."""
        both = {"Audit with canaries": self.audit, "Audit on the worst data": self.worst_case}
        return {name: audit for name, audit in both.items() if audit is not None}

    @property
    def refuted(self) -> float | None:
        """The epsilon that an audit proved, where it is larger than the one that is claimed."""
        if self.epsilon is None:
            return None
        return max((audit.lower for audit in self.audits.values() if audit.refutes(self.epsilon)), default=None)

    @property
    def estimates(self) -> dict[str, Estimate]:
        """Linkage and utility under their names, refits as "refit 500 pool 100", elsewhere as "cohort: name"."""
        return dict(_named(self.measured))


def _named(measured: Measurements) -> Iterator[tuple[str, Estimate]]:
    yield from measured.linkage.items()
    yield from measured.utility.items()
    for point in measured.refit:
        for pool, estimate in point.recall.items():
            yield f"refit {point.own} pool {pool}", estimate
    for cohort, found in measured.elsewhere.items():
        for name, estimate in found.items():
            yield f"{cohort}: {name}", estimate


def save_point(point: OperatingPoint, folder: Path, *, fingerprint: str) -> None:
    """Replicates first, then the file that says the point is there; both whole or not at all."""
    kept: list[Floats] = []

    def packed(estimate: Estimate) -> dict[str, Any]:
        assert estimate.replicates is not None
        kept.append(estimate.replicates)
        fields = {name: value for name, value in vars(estimate).items() if name != "replicates"}
        return {**fields, "draws": len(kept) - 1}

    def packed_all(estimates: dict[str, Estimate]) -> dict[str, Any]:
        return {name: packed(estimate) for name, estimate in estimates.items()}

    measured = point.measured
    content = {
        "fingerprint": fingerprint,
        "name": point.name,
        "variant": point.variant,
        "epsilon": point.epsilon,
        "guarantee": vars(point.guarantee),
        "audit": None if point.audit is None else vars(point.audit),
        "worst_case": None if point.worst_case is None else vars(point.worst_case),
        "record": point.record,
        "linkage": packed_all(measured.linkage),
        "utility": packed_all(measured.utility),
        "refit": [{"own": p.own, "means": p.means, "recall": packed_all(p.recall)} for p in measured.refit],
        "elsewhere": {name: packed_all(found) for name, found in measured.elsewhere.items()},
    }
    buffer = io.BytesIO()
    np.save(buffer, np.array(kept))
    write_bytes(folder / DRAWS, buffer.getvalue())
    # for its owner only: the fingerprint tells someone who knows all but one patient who the last one is
    write_bytes(folder / FILE, json.dumps(content, allow_nan=False).encode(), private=True)


def load_point(folder: Path, *, fingerprint: str) -> OperatingPoint | None:
    """The point an earlier run saved there, if it is of the very same data and settings."""
    try:
        content = json.loads((folder / FILE).read_text())
        if content["fingerprint"] != fingerprint:
            return None
        draws = np.load(io.BytesIO((folder / DRAWS).read_bytes()), allow_pickle=False)
        return _unpacked(content, draws)
    except (OSError, EOFError, ValueError, LookupError, TypeError):
        return None  # not there, or not whole: it is measured again


def _unpacked(content: dict[str, Any], draws: Floats) -> OperatingPoint:
    def estimates(packed: dict[str, Any]) -> dict[str, Estimate]:
        return {
            name: Estimate(
                **{field: value for field, value in fields.items() if field != "draws"},
                replicates=draws[fields["draws"]],
            )
            for name, fields in packed.items()
        }

    refit = tuple(RefitPoint(p["own"], estimates(p["recall"]), tuple(p["means"])) for p in content["refit"])
    elsewhere = {name: estimates(found) for name, found in content["elsewhere"].items()}
    return OperatingPoint(
        content["name"],
        content["variant"],
        Measurements(estimates(content["linkage"]), estimates(content["utility"]), refit, elsewhere),
        Guarantee(**content["guarantee"]),
        content["epsilon"],
        None if content["audit"] is None else PrivacyAudit(**content["audit"]),
        None if content["worst_case"] is None else PrivacyAudit(**content["worst_case"]),
        content["record"],
    )
