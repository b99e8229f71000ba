"""`release --advise`: what would change the verdict, tried on a sample of whole patients; nothing is released.

Burned-in text and reports are cleaned in the release itself and not here, since no attack that is tried reads them.
What a trial wrote is deleted when its figures are noted; a killed run goes on with the trial it was at.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Literal

import numpy as np

import medveil
from medveil.cohort import Cohort
from medveil.cohort.input import read_source
from medveil.defenses.anatomy.defense import HiddenAnatomy
from medveil.defenses.table.defense import PseudonymousRecords
from medveil.errors import MedveilError, NothingToAttack, NotMeasurable
from medveil.finding import Finding
from medveil.parts import Attack, Choice, Measure, choose
from medveil.person.keys import Keys
from medveil.release.attack_report import Input
from medveil.release.clean.engine import Engine
from medveil.release.clean.run import Work, clean, load_workers
from medveil.release.examine import judged
from medveil.release.folder import ADVICE, TRIALS, begin, check_places, held
from medveil.release.protection import ADVERSARIES, DIAGNOSIS, Protect, changes_films, planned
from medveil.release.provenance import command_given
from medveil.release.released import Released, released_table
from medveil.release.remedies import changed
from medveil.release.settings import Progress, Settings
from medveil.report.advice import Advice, Trial, TriedAttack
from medveil.report.content import Comparison, plain
from medveil.report.page import JSON_NAME, write_document
from medveil.runtime.storage import told, write_json
from medveil.stats.estimate import Estimate

MOST_PATIENTS, MOST_IMAGES = 100, 400  # of the sample
EFFORT = 12  # steps that attackers on changed films learn: a few minutes; the release itself tries harder
FORMAT = "medveil.advice/1"
UNMEASURED = Estimate(math.nan, math.nan, math.nan, math.nan, 0, 0)
Place = Literal["table", "films"]
_UNREAD = ("pixels", "reports")  # places of defenses that change nothing an attack looks at


@dataclass(frozen=True)
class _Way:
    """A setting to try: what it protects, how far, and which attacks and measures can tell the difference."""

    name: str
    title: str
    protect: Protect
    risk: float | None
    places: tuple[Place, ...]


def advise(
    source: Path,
    out: Path,
    *,
    keys: Keys,
    settings: Settings,
    workers: int | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Advice:
    """OUT/advice.json, and the table in the report where OUT holds a finished release."""
    settings = replace(settings.resolved(), writer="table")
    check_places(source, out, None)
    read = partial(read_source, source, layout=settings.layout, options=settings.input, workers=workers)
    whole = read(progress=partial(progress, "reading")).cohort
    sample = sample_of(whole, settings.seed)
    trying = _Trying(sample, out, keys, settings, workers, progress)
    with held(out):
        trials = trying.all()
        advice = Advice(
            patients=sample.table["patient_id"].nunique(),
            of_patients=whole.table["patient_id"].nunique(),
            images=len(sample),
            accepted=settings.accepted.value,
            trials=trials,
            best=(best := _best(trials, settings)),
            nearest=None if best else _nearest(trials, settings),
        )
        _note(out, advice, trying.digest)
        shutil.rmtree(out / TRIALS, ignore_errors=True)
    return advice


def sample_of(cohort: Cohort, seed: int) -> Cohort:
    """Whole patients, drawn at random, as many as the bounds allow."""
    patients = cohort.table["patient_id"]
    order = np.random.default_rng(seed).permutation(np.sort(patients.unique()))[:MOST_PATIENTS]
    counts = patients.value_counts()[order].cumsum()
    kept = order[: max(2, int((counts <= MOST_IMAGES).sum()))]
    return cohort.where(patients.isin(kept).tolist())


@dataclass(frozen=True)
class _Trying:
    sample: Cohort
    out: Path
    keys: Keys
    settings: Settings
    workers: int | None
    progress: Progress
    _parts: dict[Choice, Attack | Measure] = field(default_factory=dict)
    _originals: dict[tuple[int, ...], Cohort] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Of what the trials follow from: figures of an earlier call are kept only where it is the same."""
        table = self.sample.table.to_csv(index=False)
        told = [medveil.__version__, self.settings.to_json(), table, Input.of_cohort(self.sample).sha256]
        return self.keys.pseudonym("advice", sha256(json.dumps(told, default=str).encode()).hexdigest())

    def all(self) -> tuple[Trial, ...]:
        """The release as it was asked for; then, where that is not enough, less of the table and films drawn anew."""
        earlier, settings = self._noted(), self.settings
        trials: list[Trial] = []

        def tried(way: _Way) -> Trial:
            trials.append(earlier.get(way.name) or self._tried(way))
            self._keep(trials)
            return trials[-1]

        asked = tried(_Way("asked", "As asked for", settings.protect, settings.risk, ("table", "films")))
        if asked.exceeds("table", settings.accepted.value):
            self._at_dials(tried, "table", "Table told more coarsely", "table")
        if asked.exceeds("films", settings.accepted.value):
            self._at_dials(tried, "anatomy", "Films drawn anew", "films")
        return tuple(trials)

    def _at_dials(self, tried: Callable[[_Way], Trial], protect: Protect, title: str, place: Place) -> None:
        """At the accepted risk and at half of it; where so few patients do not allow that, at the next that they do."""
        wanted = self.settings.accepted.value
        if self.settings.protect in (protect, "all"):
            wanted = (wanted if self.settings.risk is None else self.settings.risk) / 2

        def at(risk: float) -> Trial:
            told = f"{risk:.2g}"
            way = _Way(f"{protect}-{told}", f"{title}, for a risk of {told}", protect, float(told), (place,))
            return tried(way)

        if at(wanted).failed is None:
            at(wanted / 2)
            return
        for factor in (2, 4, 8):
            if factor * wanted < 1 and at(factor * wanted).failed is None:
                return

    def _tried(self, way: _Way) -> Trial:
        """The figures of one setting, or the reason why it could not be tried."""
        trial = Trial(way.name, way.title, _command(way, self.settings))
        progress = partial(_named, self.progress, way.title.lower())
        try:
            settings = self._planned(way)
            released = self._cleaned(way, settings, progress)
        except MedveilError as reason:
            return replace(trial, failed=str(reason))
        if released.cohort is None:
            return replace(trial, failed="every image was withheld")
        originals = self._beside(released)
        films = changes_films(way.protect, settings.chosen("defenses"))
        # films that nothing has changed are the originals: whoever looks at films alone attacks them once, not twice
        seen: dict[Place, Cohort] = {"table": released.cohort, "films": released.cohort if films else originals}
        attacks = [
            _attack(each, found and judged(found, settings))
            for each in _attacks(way, settings.chosen("attacks"))
            for found in self._found(each, seen[_place(each.name)], originals, progress)
        ]
        (measure,) = choose("measures", [DIAGNOSIS])
        before = utility = None
        if any(each.place == "films" for each in attacks):
            (before,) = self._found(measure, originals, originals, progress)
            (utility,) = self._found(measure, released.cohort, originals, progress) if films else (before,)
        return replace(
            trial,
            attacks=tuple(attacks),
            utility=plain(utility.estimate.to_json()) if utility else None,
            before=plain(before.estimate.to_json()) if before else None,
            setting=_setting(way, settings.chosen("defenses")),
            released=len(released.rows),
        )

    def _beside(self, released: Released) -> Cohort:
        """The originals of what was released; the same object for the same rows, so that attacks know it again."""
        rows = tuple(released.rows)
        if rows not in self._originals:
            table = self.sample.table.iloc[list(rows)].reset_index(drop=True)
            self._originals[rows] = replace(self.sample, table=table)
        return self._originals[rows]

    def _found(
        self, choice: Choice, released: Cohort, originals: Cohort, progress: Progress
    ) -> tuple[Finding | None, ...]:
        """What the attack or measure finds; None where the sample does not let it be measured, and nothing at all where
        there is nothing to attack. It is made once for all trials, since it may keep what originals have shown it."""
        part = self._parts.get(choice)
        if part is None:
            part = choice.build(device=self.settings.device, progress=partial(self.progress, choice.name))
            self._parts[choice] = part
        progress(choice.name, 0, 1)
        try:
            return (part.run(released, originals, seed=self.settings.seed),)
        except NothingToAttack:
            return ()
        except NotMeasurable:
            return (None,)
        finally:
            progress(choice.name, 1, 1)

    def _planned(self, way: _Way) -> Settings:
        """With the defenses that this way needs on the sample, and without those that no attack would notice."""
        settings = replace(self.settings, protect=way.protect, risk=way.risk)
        defenses = [each for each in settings.chosen("defenses") if each.part.place not in _UNREAD]
        if way.protect != "none":
            wanted = settings.accepted.value if way.risk is None else way.risk
            defenses = list(planned(way.protect, wanted, defenses, self.sample, self.keys, seed=settings.seed))
        return settings.naming({"defenses": defenses})

    def _cleaned(self, way: _Way, settings: Settings, progress: Progress) -> Released:
        engine = Engine(self.keys, settings.chosen("defenses"))
        load_workers(engine)
        engine.check_models()
        work = Work.of_images(self.sample, engine)
        folder = self._folder(way)
        created = begin(folder, "table", {**settings.to_json(), "defenses": engine.told()}, self.keys)
        summary = clean(
            work,
            folder,
            engine,
            created=created,
            workers=self.workers,
            runner=None,
            crosswalk=None,
            progress=progress,
        )
        return released_table(folder, self.sample, summary, engine)

    def _folder(self, way: _Way) -> Path:
        folder = self.out / TRIALS / f"{way.name}-{self.digest[:8]}"
        with told():
            folder.mkdir(parents=True, exist_ok=True)
            (self.out / TRIALS).chmod(0o700)
        return folder

    def _noted(self) -> dict[str, Trial]:
        """The trials of an earlier call on the same sample with the same settings."""
        try:
            noted = json.loads((self.out / ADVICE).read_bytes())
            if noted["format"] != FORMAT or noted["digest"] != self.digest:
                return {}
            return {each["name"]: Trial.of_json(each) for each in noted["trials"]}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def _keep(self, trials: Sequence[Trial]) -> None:
        """Note the figures, and delete what the last trial wrote."""
        content = {"format": FORMAT, "digest": self.digest, "trials": [each.to_json() for each in trials]}
        write_json(self.out / ADVICE, content)
        for folder in (self.out / TRIALS).glob(f"{trials[-1].name}-*"):
            shutil.rmtree(folder, ignore_errors=True)


def _named(progress: Progress, name: str, stage: str, done: int, total: int) -> None:
    progress(f"{name}: {stage}", done, total)


def _attacks(way: _Way, chosen: Sequence[Choice]) -> tuple[Choice, ...]:
    """Those that look at what was changed; those who learn from changed films do so with little effort."""
    looking = [each for each in chosen if _place(each.name) in way.places]
    (hurried,) = choose("attacks", [f"{ADVERSARIES}:effort={EFFORT}"])
    return tuple(hurried if each.name == ADVERSARIES else each for each in looking)


def _place(attack: str) -> Place:
    (choice,) = choose("attacks", [attack])
    return "table" if getattr(choice.part, "place", None) == "table" else "films"


def _setting(way: _Way, defenses: Sequence[Choice]) -> str:
    """What the search for the accepted risk has set, in words."""
    named = {each.name: each for each in defenses}
    told = []
    if way.protect in ("anatomy", "all"):
        hidden = named[HiddenAnatomy.name]
        told.append(f"{hidden.settings.bits} bits a film" if hidden.settings.bits else hidden.text)
    if way.protect in ("table", "all"):
        ages, sites, dates, studies = named[PseudonymousRecords.name].settings.node
        told += [f"bands of {ages} years" if ages else "no ages", f"sites {sites}", f"dates {dates}"]
        told += [f"studies: {studies}"] if studies != "all" else []
    return ", ".join(told)


def _attack(choice: Choice, finding: Finding | None) -> TriedAttack:
    """What it found; where the sample did not let it be measured, nothing is known and nothing is kept."""
    if finding is None:
        return TriedAttack(choice.name, _place(choice.name), None, plain(UNMEASURED.to_json()))
    verdict = Comparison(None, finding).verdict
    return TriedAttack(choice.name, _place(choice.name), verdict and str(verdict), plain(finding.estimate.to_json()))


def _command(way: _Way, settings: Settings) -> str:
    given = command_given(f"medveil release IN -o OUT --seed {settings.seed}")
    if way.name == "asked":
        return " ".join(word for word in given.split() if word != "--advise")
    wider = "all" if settings.protect not in ("none", way.protect) else way.protect
    return changed(given, ("--protect", wider, "--risk", f"{way.risk:g}"))


def _best(trials: Sequence[Trial], settings: Settings) -> str | None:
    """The mildest setting that kept the accepted risk on the sample, joined where both places needed one."""
    accepted, asked = settings.accepted.value, trials[0]
    needed = [place for place in ("table", "films") if asked.exceeds(place, accepted)]
    if not needed:
        return asked.command if asked.attacks else None
    kept = [next((each for each in trials[1:] if each.keeps(place, accepted)), None) for place in needed]
    return None if None in kept else _together([each for each in kept if each], settings)


def _nearest(trials: Sequence[Trial], settings: Settings) -> str | None:
    """Where none kept it, what came nearest to it on each place that needed something, joined."""
    accepted, nearest = settings.accepted.value, []
    for place in ("table", "films"):
        ends = {each.name: found.upper_end for each in trials[1:] if (found := each.strongest(place))}
        if trials[0].exceeds(place, accepted) and ends:
            nearest.append(min((each for each in trials if each.name in ends), key=lambda each: ends[each.name]))
    return _together(nearest, settings) if nearest else None


def _together(trials: Sequence[Trial], settings: Settings) -> str:
    protect = "all" if len(trials) > 1 or settings.protect != "none" else trials[0].name.partition("-")[0]
    risk = min(float(each.name.rpartition("-")[2]) for each in trials)
    given = command_given(f"medveil release IN -o OUT --seed {settings.seed}")
    return changed(given, ("--protect", protect, "--risk", f"{risk:g}"))


def _note(out: Path, advice: Advice, digest: str) -> None:
    document = {"format": FORMAT, "digest": digest, **json.loads(json.dumps(advice.to_json()))}
    write_json(out / ADVICE, document)
    if (out / JSON_NAME).exists() and (out / "finished.json").exists():
        report = json.loads((out / JSON_NAME).read_bytes())
        if "advice" in report:
            advised = {name: value for name, value in document.items() if name not in ("format", "digest")}
            write_document({**report, "advice": advised}, out)
