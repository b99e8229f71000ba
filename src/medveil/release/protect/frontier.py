"""Linkage against utility for many settings of the alignment defense: train, attack, measure, compare.

Every setting is kept in a folder of its own as soon as it is measured, so a killed sweep continues where it stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from medveil.attacks.refit.refitting import RefitPoint
from medveil.defenses.alignment import guarantee as wording
from medveil.defenses.alignment.defense import AlignmentDefense
from medveil.defenses.alignment.heads import Heads
from medveil.defenses.alignment.ledger import BudgetSpent, Ledger
from medveil.defenses.alignment.training import PRIVATE, TrainedHeads, facts_of
from medveil.defenses.alignment.training_run import RECORD
from medveil.errors import InputError, SettingsError
from medveil.finding import Finding
from medveil.parts import Guarantee
from medveil.release.protect.canaries import CANARIES, canary_scores, make_canaries
from medveil.release.protect.candidates import Candidate, candidates
from medveil.release.protect.dominance import Standing
from medveil.release.protect.findings import (
    Effect,
    Goal,
    MetricKeys,
    best_effect,
    effects,
    frontier_finding,
    standings_of,
    with_start,
)
from medveil.release.protect.measurement import Embed, Measurements, MeasurementSettings, measure, refitted_on_features
from medveil.release.protect.operating_point import AS_IT_IS, AT_START, OperatingPoint, load_point, save_point
from medveil.release.protect.paired_features import ProtectionData, Vectors
from medveil.release.protect.tables import csv_rows
from medveil.release.protect.worst_case_audit import worst_case_audit
from medveil.runtime.storage import write_bytes, write_json
from medveil.stats.paired import Correction
from medveil.stats.privacy_audit import audit_one_run
from medveil.utility.linear_probe import LabelledEmbeddings, fit_probe

Progress = Callable[[str, int, int], None]  # what was measured, and how many of how many are done

NOTHING = Guarantee("none", "Nothing was changed and nothing is promised.")
NOT_OURS = Guarantee("none", "These heads were made elsewhere; nothing is promised.")
CSV, JSON = "frontier.csv", "frontier.json"
COMPETING = {"text": "reports of the same words do not compete", "pair": "every other report competes, as published"}
AUDITED = "audited-heads"


@dataclass(frozen=True)
class FrontierResult:
    """All settings, the model as it is first; how they stand; and the finding the report prints.

    `start` are the heads that training starts from, where they do not give the vectors of the model as it is.
    `features` is the refit attack of an adversary who has the frozen encoders; `stands` has one list of standings a
    criterion, in the order of `points`.
    """

    points: tuple[OperatingPoint, ...]
    start: OperatingPoint | None
    features: tuple[RefitPoint, ...]
    effects: tuple[Effect, ...]
    stands: dict[str, list[Standing]]
    best: Effect | None
    finding: Finding


def protect_alignment(
    data: ProtectionData,
    start: Heads,
    *,
    out: Path,
    sweep: Sequence[Candidate] | None = None,
    others: Mapping[str, Heads] | None = None,
    measuring: MeasurementSettings | None = None,
    canaries: int = CANARIES,
    trials: int = 0,
    goal: Goal | None = None,
    correction: Correction = "none",
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> FrontierResult:
    """Try every candidate of `sweep` (by default all variants at several strengths) on heads that start from `start`.

    `others` are heads made elsewhere, by name, measured beside them. Trained heads, what was measured, `frontier.csv`
    and `frontier.json` are written into `out`. Private candidates are audited with so many `canaries` in a second run
    each, whose cost is a part of the epsilon that is stated, and in so many `trials` of a step on the worst data, which
    cost nothing; 0 leaves an audit out. A `ledger` books every private run: a sweep spends the sum of its epsilons.
    """
    sweep = candidates() if sweep is None else sweep
    if len({candidate.folder for candidate in sweep}) != len(sweep):
        raise SettingsError("a sweep names every setting once")
    how = measuring or MeasurementSettings()
    _check(data)
    for candidate in sweep:
        _refuse_audit(candidate, data, canaries, trials)
    bench = _Bench(data, start, Path(out), how, _Audits(canaries, trials), ledger, data.digest())
    others = others or {}
    steps = len(sweep) + len(others) + 2
    tell = progress or (lambda *_: None)
    points = [bench.unchanged(AS_IT_IS, start, NOTHING) if data.released is None else bench.released(data.released)]
    beginning = None if data.released is None else bench.unchanged(AT_START, start, NOTHING)
    tell(AS_IT_IS, 1, steps)
    features = bench.on_features()
    tell("frozen features", 2, steps)
    for candidate in sweep:
        points.append(bench.candidate(candidate))
        tell(candidate.name, len(points) + 1, steps)
    for name, heads in others.items():
        points.append(bench.unchanged(name, heads, NOT_OURS))
        tell(name, len(points) + 1, steps)
    return _concluded(points, beginning, features, goal or Goal(), correction, how, Path(out))


@dataclass(frozen=True)
class _Audits:
    canaries: int
    trials: int


@dataclass(frozen=True)
class _Bench:
    """Where candidates are trained and measured, all in the same way."""

    data: ProtectionData
    start: Heads
    out: Path
    how: MeasurementSettings
    audits: _Audits
    ledger: Ledger | None
    digest: str

    def unchanged(self, name: str, heads: Heads, guarantee: Guarantee) -> OperatingPoint:
        """Heads as they are given."""

        def embed(images: Vectors, reports: Vectors, _: int) -> tuple[Vectors, Vectors]:
            return heads.embed_images(images), heads.embed_reports(reports)

        point = OperatingPoint(name, name, _NOT_YET, guarantee)
        return self._measured(point, f"given-{_weights(heads)[:12]}", embed, f"{name} {_weights(heads)}")

    def released(self, data: ProtectionData) -> OperatingPoint:
        """The vectors of the whole model, whatever its heads make of features."""
        point = OperatingPoint(AS_IT_IS, AS_IT_IS, _NOT_YET, NOTHING)
        return self._measured(point, "released", lambda images, reports, _: (images, reports), "released", data=data)

    def on_features(self) -> tuple[RefitPoint, ...]:
        folder, mark = self.out / "frozen-features", self._fingerprint("features")
        known = load_point(folder, fingerprint=mark)
        if known is None:
            found = Measurements({}, {}, refitted_on_features(self.data, self.how))
            known = OperatingPoint("frozen features", "features", found, NOTHING)
            save_point(known, folder, fingerprint=mark)
        return known.measured.refit

    def candidate(self, candidate: Candidate) -> OperatingPoint:
        folder = self.out / candidate.folder
        train = self.data.train
        trained = self._train(candidate, train.images, train.reports, train.patients, folder / "heads")
        point = OperatingPoint(
            candidate.name,
            candidate.variant,
            _NOT_YET,
            trained.guarantee,
            epsilon=trained.record.get("epsilon", {}).get(candidate.settings.accountant),
            record=trained.record,
        )
        # before what is read back: a run that is found finished is booked like any other
        if candidate.audited and self.audits.canaries:
            point = self._audited(point, candidate, trained, folder)
        elif candidate.variant in PRIVATE and (folder / AUDITED / RECORD).exists():
            raise SettingsError(
                f"{folder} holds an audit of these heads, whose cost cannot be left out of what is stated; give as many"
                " canaries as before, or choose an empty folder"
            )

        def embed(images: Vectors, reports: Vectors, number: int) -> tuple[Vectors, Vectors]:
            return trained.embed(images, reports, seed=self.how.seed + number)

        mark = f"{_weights(trained.heads)} {trained.noise} {self.audits.trials}"
        point = self._measured(point, candidate.folder, embed, mark, partial(self._on_worst_data, candidate=candidate))
        return point if point.refuted is None or point.guarantee.kind != "formal" else _without_claim(point)

    def _measured(
        self,
        point: OperatingPoint,
        name: str,
        embed: Embed,
        mark: str,
        audited: Callable[[OperatingPoint], OperatingPoint] | None = None,
        data: ProtectionData | None = None,
    ) -> OperatingPoint:
        """The point with its measurements, from disk where they are there."""
        folder, mark = self.out / name, self._fingerprint(mark)
        known = load_point(folder, fingerprint=mark)
        if known is not None:
            return replace(point, measured=known.measured, worst_case=known.worst_case)
        point = replace(point, measured=measure(embed, data or self.data, self.how))
        point = audited(point) if audited else point
        save_point(point, folder, fingerprint=mark)
        return point

    def _on_worst_data(self, point: OperatingPoint, candidate: Candidate) -> OperatingPoint:
        if not (candidate.claims and self.audits.trials):
            return point
        worst = worst_case_audit(candidate.variant, candidate.settings, trials=self.audits.trials, seed=self.how.seed)
        return replace(point, worst_case=worst)

    def _audited(
        self, point: OperatingPoint, candidate: Candidate, trained: TrainedHeads, folder: Path
    ) -> OperatingPoint:
        """A second run, with canaries among the training pairs. What it tells is printed, so it is booked, and its
        cost is a part of what is stated."""
        planted = make_canaries(self.data, self.audits.canaries, seed=self.how.seed)
        try:
            second = self._train(candidate, *planted.planted(self.data.train), folder / AUDITED)
        except BudgetSpent:
            raise BudgetSpent(
                "the audit is a second private run on the same data and does not fit into the budget; run again with "
                "a larger budget or without canaries, and what was trained is kept"
            ) from None
        scores = canary_scores(self.start, second.heads, planted)
        point = replace(point, audit=audit_one_run(scores, planted.included, delta=candidate.settings.delta))
        if candidate.variant not in PRIVATE:
            return point
        facts = facts_of(trained.record, candidate.settings)
        later = facts_of(second.record, candidate.settings)
        # the ledger as it stands after both
        facts = replace(facts, audit=later.spending, budget=later.budget)
        guarantee = wording.formal(facts)
        record = {
            **trained.record,
            "budget": None if facts.budget is None else list(facts.budget),
            "guarantee": asdict(guarantee),
            "stated_epsilon": wording.stated_epsilon(facts),
            "stated_epsilon_of_patient": wording.epsilon_of_patient(facts),
            "audit_run": asdict(later.spending),
        }
        return replace(point, guarantee=guarantee, record=record)

    def _train(
        self,
        candidate: Candidate,
        images: Vectors,
        reports: Vectors,
        patients: np.ndarray,
        out: Path,
    ) -> TrainedHeads:
        public = self.data.public
        return AlignmentDefense(candidate.settings, variant=candidate.variant).apply(
            self.start,
            images,
            reports,
            patients=patients,
            out=out,
            public=None if public is None else (public.images, public.reports),
            public_are=self.data.public_are,
            findings=finding_directions(self.start, self.data) if candidate.variant == "findings" else None,
            ledger=self.ledger,
        )

    def _fingerprint(self, what: str) -> str:
        told = json.dumps([self.digest, asdict(self.how), what])
        return hashlib.sha256(told.encode()).hexdigest()


_NOT_YET = Measurements({}, {})


def _without_claim(point: OperatingPoint) -> OperatingPoint:
    assert point.epsilon is not None and point.refuted is not None
    guarantee = wording.refuted(point.epsilon, point.refuted)
    return replace(point, guarantee=guarantee, record={**(point.record or {}), "guarantee": asdict(guarantee)})


def _refuse_audit(candidate: Candidate, data: ProtectionData, canaries: int, trials: int) -> None:
    """Before anything is trained: an audit in which delta could explain whatever is seen."""
    settings = candidate.settings
    units = data.train.units if settings.unit == "patient" else len(data.train)
    many = max(canaries if candidate.audited else 0, trials if candidate.claims else 0)
    too_many = candidate.claims and canaries and (units + canaries) * settings.delta >= 1
    if too_many or 2 * many * settings.delta >= 1:
        raise SettingsError(
            f"with δ = {settings.delta:g}, {canaries:,} canaries or {trials:,} trials prove nothing; ask for a smaller"
            " delta, or for fewer canaries and trials"
        )


def finding_directions(heads: Heads, data: ProtectionData) -> np.ndarray:
    """Of the image embeddings, as a linear probe reads findings from them that is fitted as utility is measured."""
    parts = (
        LabelledEmbeddings(heads.embed_images(part.images), part.targets, part.counts)
        for part in (data.train, data.validation)
    )
    return fit_probe(*parts).directions


def _weights(heads: Heads) -> str:
    hasher = hashlib.sha256()
    for parameter in heads.parameters():
        hasher.update(np.ascontiguousarray(parameter.detach().numpy()).data)
    return hasher.hexdigest()


def _check(data: ProtectionData) -> None:
    widths = {(part.images.shape[1], part.reports.shape[1]) for part in data.parts().values()}
    if len(widths) != 1:
        raise InputError("the features of all parts must come from the same encoders")
    for name, part in data.parts().items():
        if len(part) < 2:
            raise InputError(f"the {name} part needs at least two pairs; split the cohort again")


def _concluded(
    points: list[OperatingPoint],
    start: OperatingPoint | None,
    features: tuple[RefitPoint, ...],
    goal: Goal,
    correction: Correction,
    how: MeasurementSettings,
    out: Path,
) -> FrontierResult:
    keys = MetricKeys.of(points)
    found = effects(points, keys)
    method = _method(points, how)
    finding = frontier_finding(points, features, start=start, goal=goal, correction=correction, method=method)
    write_bytes(out / CSV, csv_rows(with_start(points, start)).encode())
    write_json(out / JSON, finding.to_json())
    return FrontierResult(
        tuple(points), start, features, tuple(found), standings_of(points, keys), best_effect(found, goal), finding
    )


def _method(points: Sequence[OperatingPoint], how: MeasurementSettings) -> str:
    return (
        "Encoders frozen, only the two projection heads changed, on training patients; linkage and utility measured "
        "on test patients who took no part in anything else. Linkage: every image against its own report and others, "
        "exact expectation over random and pathology-matched pools, ties in random order; "
        f"{COMPETING[how.match]}. Utility: one linear layer "
        f"on fixed image embeddings, penalty chosen on validation patients. {how.redraws:,} redraws by {how.unit}, the "
        f"same for all {len(points)} settings, so that differences are paired. P-values are the redraws', two-sided; "
        "intervals are wider, for they also hold what so few with a finding cannot show."
    )
