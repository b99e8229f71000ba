"""A model on its way to release: its heads protected, attacked again, measured, reported and handed over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medveil.cohort import Cohort
from medveil.defenses.alignment.ledger import Ledger
from medveil.defenses.alignment.run_state import HEADS
from medveil.encoders.encoder import Encoder
from medveil.finding import Threshold, Verdict
from medveil.release.attack_report import Input
from medveil.release.protect.canaries import CANARIES
from medveil.release.protect.candidates import Candidate
from medveil.release.protect.frontier import CSV, FrontierResult, protect_alignment
from medveil.release.protect.measurement import MeasurementSettings
from medveil.release.protect.model_report import report_model
from medveil.release.protect.operating_point import OperatingPoint
from medveil.release.protect.preparation import Watch, prepare
from medveil.runtime.storage import told, write_bytes, write_json

SEED = 7  # of measuring: that of the noise must stay secret
RUNS = "runs"


@dataclass(frozen=True)
class ModelOutcome:
    """The verdict on a protected model, where its report is, and everything that was measured."""

    verdict: Verdict
    report: Path
    result: FrontierResult


def protect_model(
    cohort: Cohort,
    encoder: Encoder,
    out: Path,
    *,
    tried: Sequence[Candidate],
    protected: Input,
    public: Cohort | None = None,
    transfer: Mapping[str, Cohort] | None = None,
    cache: Path | None = None,
    canaries: int = CANARIES,
    ledger: Ledger | None = None,
    threshold: Threshold | None = None,
    watch: Watch = lambda stage, done, total: None,
) -> ModelOutcome:
    """Protect the heads of `encoder` in one way, or compare several. A killed run goes on where it was.

    `out` gets the report, `frontier.csv` and, if one way was tried, the heads and their guarantee; `runs/` in it is
    for the owner alone.
    """
    work = out / RUNS
    with told():
        work.mkdir(parents=True, exist_ok=True)
        work.chmod(0o700)  # what is kept to go on with tells more of the data than what is handed over
    prepared = prepare(cohort, encoder, work=work, public=public, transfer=transfer or {}, cache=cache, watch=watch)
    result = protect_alignment(
        prepared.data,
        prepared.heads,
        out=work,
        sweep=tried,
        measuring=MeasurementSettings(seed=SEED),
        canaries=canaries,
        ledger=ledger,
        progress=lambda _, done, total: watch("settings", done, total),
    )
    write_bytes(out / CSV, (work / CSV).read_bytes())
    if len(tried) == 1:
        _hand_over(out, work / tried[0].folder / "heads" / HEADS, result.points[1], encoder)
    verdict, page = report_model(
        result,
        protected,
        out,
        encoder=encoder.name,
        command=f"medveil protect alignment COHORT --encoder {encoder.name} -o OUT",
        seed=SEED,
        settings={
            "settings": [point.name for point in result.points],
            "pairs": {name: len(part) for name, part in prepared.data.parts().items()},
            "images set aside": prepared.set_aside,
        },
        threshold=threshold,
    )
    return ModelOutcome(verdict, page, result)


def _hand_over(out: Path, heads: Path, point: OperatingPoint, encoder: Encoder) -> None:
    """What is for others, beside the report: the heads and their guarantee."""
    write_bytes(out / HEADS, heads.read_bytes())
    audit = None if point.audit is None else vars(point.audit)
    write_json(
        out / "guarantee.json",
        {"encoder": encoder.name, "fingerprint": encoder.fingerprint, **(point.record or {}), "audit": audit},
    )
