"""A model on its way to release: its heads protected, attacked again, measured, reported and handed over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from medveil.cohort import Cohort
from medveil.cohort.input import InputOptions, read_cohort
from medveil.cohort.selection import Selection
from medveil.defenses.alignment.ledger import Budget, Ledger, default_ledger_file
from medveil.defenses.alignment.training import PRIVATE
from medveil.defenses.alignment.training_run import HEADS
from medveil.encoders.encoder import Encoder
from medveil.encoders.loading import load_encoder
from medveil.errors import SettingsError
from medveil.finding import Threshold, Verdict
from medveil.release.attack_report import Input
from medveil.release.protect.canaries import CANARIES
from medveil.release.protect.candidates import Candidate
from medveil.release.protect.frontier import CSV, FrontierResult, protect_alignment
from medveil.release.protect.measurement import MeasurementSettings
from medveil.release.protect.model_report import nothing_learned, report_model, summary
from medveil.release.protect.operating_point import OperatingPoint
from medveil.release.protect.preparation import prepare
from medveil.release.protect.shared_people import Watch
from medveil.release.protect.worst_case_audit import TRIALS
from medveil.runtime.storage import told, write_bytes, write_json

SEED = 7  # of measuring: that of the noise must stay secret
RUNS = "runs"
EVERYTHING = Selection()
MEASURED = MeasurementSettings(seed=SEED)
AS_PUBLISHED = MeasurementSettings(seed=SEED, by_image=True, match="pair")  # images redrawn, every report competes


@dataclass(frozen=True)
class ModelOutcome:
    """The verdict on a protected model, where its report is, and everything that was measured."""

    verdict: Verdict
    report: Path
    result: FrontierResult
    withheld: int

    @property
    def exit_code(self) -> int:
        """0 only where the model passed and every image could be read."""
        return 0 if self.verdict is Verdict.PASS and not self.withheld else 1

    @property
    def answer(self) -> str:
        return summary(self.result)

    @property
    def guarantees(self) -> dict[str, dict[str, Any]]:
        """What is promised for each setting but the first, which is the model as it came: the heads' own epsilon, the
        one that is stated, its audit included, and what audits proved."""
        return {
            point.name: vars(point.guarantee)
            | {
                "epsilon": point.epsilon,
                "stated_epsilon": (point.record or {}).get("stated_epsilon"),
                "audits": {name: audit.to_json() for name, audit in point.audits.items()},
            }
            for point in self.result.points[1:]
        }

    @property
    def no_effect(self) -> str | None:
        """Why the one private setting that was tried can have had none."""
        return nothing_learned(self.result.points[1]) if len(self.result.points) == 2 else None

    @property
    def audits(self) -> list[str]:
        """What each audit of the one setting that was tried proved, in a sentence."""
        point = self.result.points[1]
        return (
            [f"{name}: {audit.sentence}" for name, audit in point.audits.items()]
            if len(self.result.points) == 2
            else []
        )


def protect_data_set(
    source: Path,
    out: Path,
    *,
    encoder: str,
    tried: Sequence[Candidate],
    device: str = "cpu",
    layout: str | None = None,
    options: InputOptions | None = None,
    public: Path | None = None,
    transfer: Sequence[Path] = (),
    chosen: Selection = EVERYTHING,
    chosen_elsewhere: Selection = EVERYTHING,
    budget: float | None = None,
    ledger: Path | None = None,
    cache: Path | None = None,
    canaries: int = CANARIES,
    trials: int = TRIALS,
    threshold: float | None = None,
    measuring: MeasurementSettings | None = None,
    watch: Watch = lambda stage, done, total: None,
) -> ModelOutcome:
    """`protect_model` on data sets and an encoder by their names; `budget` is kept to by the runs in `ledger`.

    Of COHORT the `chosen` images are used, of the data sets to transfer to those `chosen_elsewhere`.
    """
    _refuse_ledger(budget, ledger, tried)
    elsewhere = _read_others(source, transfer, chosen_elsewhere, watch)
    cohort, left_out = chosen.of(_read(source, layout, options, watch))
    protected = Input.of_cohort(cohort)
    return protect_model(
        cohort,
        load_encoder(encoder, device=device),
        out,
        tried=tried,
        protected=protected,
        public=None if public is None else _read(public, None, None, watch),
        transfer=elsewhere,
        left_out=left_out,
        cache=cache,
        canaries=canaries,
        trials=trials,
        budget=None if budget is None else Budget(budget, tried[0].settings.delta, tried[0].settings.unit),
        ledger=ledger,
        threshold=None if threshold is None else Threshold(f"{threshold:g} (chosen)", threshold, "set by the user"),
        measuring=measuring,
        watch=watch,
    )


def protect_model(
    cohort: Cohort,
    encoder: Encoder,
    out: Path,
    *,
    tried: Sequence[Candidate],
    protected: Input,
    public: Cohort | None = None,
    transfer: Mapping[str, Cohort] | None = None,
    left_out: Mapping[str, int] | None = None,
    cache: Path | None = None,
    canaries: int = CANARIES,
    trials: int = TRIALS,
    budget: Budget | None = None,
    ledger: Path | None = None,
    threshold: Threshold | None = None,
    measuring: MeasurementSettings | None = None,
    watch: Watch = lambda stage, done, total: None,
) -> ModelOutcome:
    """Protect the heads of `encoder` in one way, or compare several. A killed run continues where it stopped.

    `left_out` counts images that `cohort` no longer has, for the record. `out` gets the report, `frontier.csv` and, if
    one way was tried, the heads and their guarantee; `runs/` in it is for the owner alone. Private runs on the same
    patients keep to `budget` together, in the file `ledger`.
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
        measuring=measuring or MEASURED,
        canaries=canaries,
        trials=trials,
        ledger=None if budget is None else Ledger.of(ledger or default_ledger_file(), prepared.trained_on, budget),
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
            "images set aside": {**(left_out or {}), **prepared.set_aside},
        },
        threshold=threshold,
        under_two_ids=prepared.data.train.under_two_ids,
    )
    return ModelOutcome(verdict, page, result, protected.subject.withheld)


def _hand_over(out: Path, heads: Path, point: OperatingPoint, encoder: Encoder) -> None:
    """What is for others, beside the report: the heads and their guarantee."""
    write_bytes(out / HEADS, heads.read_bytes())
    audits = {"audit": point.audit, "audit_on_worst_data": point.worst_case}
    told = {name: None if audit is None else vars(audit) for name, audit in audits.items()}
    write_json(
        out / "guarantee.json",
        {"encoder": encoder.name, "fingerprint": encoder.fingerprint, **(point.record or {}), **told},
    )


def _read(source: Path, layout: str | None, options: InputOptions | None, watch: Watch) -> Cohort:
    return read_cohort(source, layout=layout, options=options, progress=partial(watch, "reading"))


def _read_others(source: Path, others: Sequence[Path], chosen: Selection, watch: Watch) -> dict[str, Cohort]:
    """Data sets to measure on, by name; a name that comes again gets a number."""
    found: dict[str, Cohort] = {}
    for path in others:
        if path.resolve() == source.resolve():
            raise SettingsError("name a data set to transfer to other than the one the heads are trained on")
        cohort, _ = chosen.of(_read(path, None, None, watch))
        again = sum(name.startswith(cohort.name) for name in found)
        found[f"{cohort.name} {again + 1}" if again else cohort.name] = cohort
    return found


def _refuse_ledger(budget: float | None, path: Path | None, tried: Sequence[Candidate]) -> None:
    if budget is None and path is not None:
        raise SettingsError("a ledger needs a budget; add --budget")
    if budget is not None and not all(candidate.variant in PRIVATE for candidate in tried):
        raise SettingsError(f"only {' and '.join(PRIVATE)} can keep to a budget; leave it out, or the other variants")
