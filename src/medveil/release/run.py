"""`release`: defend a cohort, attack and measure it before and after, and write the report."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from medveil.cohort.input import Kind, Source, read_source
from medveil.errors import InputError
from medveil.finding import Verdict
from medveil.person.keys import Keys
from medveil.release.clean.engine import Engine
from medveil.release.clean.records import withdraw
from medveil.release.clean.run import Work, clean, load_workers
from medveil.release.clean.summary import Summary
from medveil.release.examine import examine
from medveil.release.folder import begin, check_places, check_run, held
from medveil.release.protection import planned
from medveil.release.questionnaire import Questionnaire
from medveil.release.released import released_dicom, released_table
from medveil.release.settings import Progress, Settings
from medveil.release.signing import bring_up_to_date, sheet_of
from medveil.release.verify.read_again import read_again
from medveil.release.verify.release_check import check_release
from medveil.report import write_report
from medveil.runtime.meanwhile import load_meanwhile, meanwhile
from medveil.runtime.storage import write_json
from medveil.runtime.workers import Runner

_COMPUTING = ("torch", "scipy.stats", "scipy.optimize")  # what attacks work with: seconds, while the workers read


@dataclass(frozen=True)
class Outcome:
    verdict: Verdict
    released: int
    withheld: int
    report: Path

    @property
    def exit_code(self) -> int:
        """0 only where everything passed and nothing was withheld."""
        return 0 if self.verdict is Verdict.PASS and not self.withheld else 1


def release(
    source: Path,
    out: Path,
    *,
    keys: Keys,
    settings: Settings,
    workers: int | None = None,
    runner: Runner | None = None,
    crosswalk: Path | None = None,
    questionnaire: Questionnaire | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Outcome:
    """Everything under `out`: `data/` is what may be published, the rest explains it."""
    settings = settings.resolved()
    check_places(source, out, crosswalk)
    _refuse_ledger_inside(out, settings)
    reading = partial(progress, "reading")
    read = partial(
        read_source, source, layout=settings.layout, options=settings.input, workers=workers, progress=reading
    )
    data = None
    if settings.protect != "none":  # what is needed depends on everything there is
        data = read()
        settings = _protected(settings, data, keys)
    engine = Engine(keys, settings.chosen("defenses"))
    told = {**settings.to_json(), "defenses": engine.told()}
    check_run(out, settings.writer, told, keys)
    load_workers(engine)
    data = data or read()
    load_meanwhile(*_COMPUTING)
    originals = data.cohort
    if settings.writer == "dicom":
        _refuse_pictures(source, data)
    work = Work.of_images(originals, engine) if settings.writer == "table" else Work.of_files(data, engine)
    engine.check_models()
    with held(out):
        created = begin(out, settings.writer, told, keys)
        cleaned = partial(
            clean,
            work,
            out,
            engine,
            created=created,
            workers=workers,
            runner=runner,
            crosswalk=crosswalk,
            progress=progress,
        )
        summary = cleaned()
        sheet = sheet_of(questionnaire or Questionnaire(), settings, summary.reviewed)
        finished = _finished(out, summary)
        if finished:
            bring_up_to_date(out, sheet, decisions_only=questionnaire is None)
            return finished
        again = read_again(work, out, engine, seed=settings.seed, workers=workers, progress=progress)
        if again.withheld:
            withdraw(out, again.withheld)
            summary = cleaned()  # the table and the records follow; nothing else is cleaned twice
        if settings.writer == "table":
            released = released_table(out, originals, summary, engine)
        else:
            released = released_dicom(out, originals, data, summary, engine.keys)
        check = partial(
            check_release, work, out, engine, images_read=again.images - len(again.withheld), workers=workers
        )
        with meanwhile(check, progress) as checked:  # it reads in the workers, and the attacks compute in this process
            content = examine(
                originals,
                released,
                settings,
                engine,
                created,
                progress,
                check=checked.result,
                sheet=sheet,
                workers=workers,
            )
        report = write_report(content, out)
        write_json(out / "finished.json", {"source": summary.digest})
        return Outcome(content.verdict, content.subject.released, content.subject.withheld, report)


def _protected(settings: Settings, data: Source, keys: Keys) -> Settings:
    chosen = settings.chosen("defenses")
    wanted = settings.accepted.value if settings.risk is None else settings.risk
    defenses = planned(settings.protect, wanted, chosen, data.cohort, keys, seed=settings.seed)
    return settings.naming({"defenses": defenses})


def _refuse_ledger_inside(out: Path, settings: Settings) -> None:
    for each in settings.chosen("defenses"):
        ledger = getattr(each.settings, "ledger", None)
        if ledger is not None and ledger.resolve().is_relative_to(out.resolve()):
            raise InputError("the ledger counts over all releases and must not be in the output folder of one")


def _refuse_pictures(source: Path, data: Source) -> None:
    """Attacks look at the DICOM files that come out: other images would go unmeasured."""
    pictures = sum(one.kind is Kind.IMAGE for one in data.files)
    if pictures:
        raise InputError(
            f"{source} holds images that are not DICOM files ({pictures:,}), which --as dicom cannot measure; "
            "leave --as out, or clean them with medveil deid"
        )


def _finished(out: Path, summary: Summary) -> Outcome | None:
    """The outcome of an earlier, complete run on the same input of which the same was withheld."""
    try:
        same = json.loads((out / "finished.json").read_text())["source"] == summary.digest
        report = json.loads((out / "report.json").read_text())
    except (OSError, ValueError, KeyError):
        return None
    if not same:
        return None
    subject = report["subject"]
    return Outcome(Verdict(report["verdict"]), subject["released"], subject["withheld"], out / "report.html")
