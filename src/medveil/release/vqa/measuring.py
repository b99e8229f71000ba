"""`medveil measure vqa`, below the command line: questions read, asked under every condition, judged and reported."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from medveil.errors import SettingsError
from medveil.finding import Finding
from medveil.part_settings import to_json
from medveil.release.attack_report import how_to_repeat
from medveil.release.folder import held
from medveil.release.settings import Progress
from medveil.release.vqa.cleaners import Cleaners
from medveil.release.vqa.files import ANSWERS, JOURNAL, PAGE, SCORES, SHEET, write_answers, write_table
from medveil.release.vqa.questions import Questions
from medveil.report import write_report
from medveil.report.content import Comparison, Gap, ReportContent, ReportSubject
from medveil.report.label_page import render_labels
from medveil.runtime.storage import check_writable, write_bytes
from medveil.utility.vqa.experiment.asking import Asked, Asking
from medveil.utility.vqa.experiment.comparison import Compared, Stated
from medveil.utility.vqa.experiment.conditions import SEVERITIES, conditions
from medveil.utility.vqa.experiment.judging import Judged, judged
from medveil.utility.vqa.experiment.kept import Kept
from medveil.utility.vqa.experiment.labels import held_against_people, read_labels, sample, sheet
from medveil.utility.vqa.experiment.results import Results
from medveil.utility.vqa.experiment.tables import every_score
from medveil.utility.vqa.judge.judge import Judge
from medveil.utility.vqa.model import AnswerModel
from medveil.utility.vqa.scores import Score

PART = "vqa"
TITLE = "Answers to be labelled"


@dataclass(frozen=True)
class VqaPlan:
    """What is fixed before anything is asked: the score that counts, the margin, how much is hidden, the seed."""

    score: Score = "relaxed"
    margin: float = 0.02
    severities: tuple[float, ...] = SEVERITIES
    seed: int = 7

    def __post_init__(self) -> None:
        if not 0 < self.margin < 1:
            raise SettingsError("the margin is a share of the answers between 0 and 1, such as 0.02")


@dataclass(frozen=True)
class VqaOutcome:
    """The answer in a sentence; `holds` where cleaned images are shown to be as good as raw ones."""

    answer: str
    holds: bool
    unreadable: int
    report: Path

    @property
    def exit_code(self) -> int:
        """0 only where that was shown, and every image could be read."""
        return 0 if self.holds and not self.unreadable else 1


def measure_vqa(
    asked_of: Questions,
    out: Path,
    *,
    model: AnswerModel,
    plan: VqaPlan,
    judge: Judge | None = None,
    labels: Path | None = None,
    label_sheet: bool = False,
    progress: Progress = lambda stage, done, total: None,
) -> VqaOutcome:
    """`out` gets the report, its tables as CSV, every answer, and a journal by which a killed run continues."""
    check_writable(out)
    if plan.score == "judge" and judge is None:
        raise SettingsError("the score that counts is the judge's, and there is none; name one with --judge")
    if labels and judge is None:
        raise SettingsError("labels are held against a judge, and there is none; name it with --judge")
    told = read_labels(labels) if labels else None
    if judge and not judge.lasting:
        judge.ask("Is this a test?", "yes", "yes")  # one that is not there would be noticed after the last answer
    cleaners = Cleaners(seed=plan.seed)
    asking = Asking(
        asked_of.table,
        model,
        conditions(cleaners.by_method(), plan.severities),
        cleaners.by_method(),
        cleaners.versions(),
        asked_of.patients,
        plan.seed,
    )
    with held(out):
        with closing(Kept(out / JOURNAL)) as kept:
            asked = asking.run(kept, partial(progress, "asking"))
            found = judged(judge, asked, kept, seed=plan.seed, progress=progress) if judge else None
            kept.finish()
        compared = Compared(asked, found.scores if found else None, seed=plan.seed)
        results = Results(compared, Stated(plan.score, plan.margin), found)
        finding = results.finding(PART, model=model.name, remarks=asked_of.table.remarks)
        if told is not None:
            finding = _with_people(finding, asked, found, told, seed=plan.seed)
        if label_sheet:
            _write_sheet(asked, out, seed=plan.seed)
        for name, table in results.tables().items():
            if table is None:
                (out / f"{name}.csv").unlink(missing_ok=True)  # an earlier run may have had one
            else:
                write_table(table, out / f"{name}.csv")
        write_table(every_score(compared), out / SCORES)
        write_answers(compared, out / ANSWERS)
        page = _report(finding, asked_of, asked, out, model=model, judge=judge, plan=plan)
    return VqaOutcome(finding.answer, results.holds, sum(asked.unreadable.values()), page)


def _with_people(finding: Finding, asked: Asked, found: Judged | None, told: dict[str, float], *, seed: int) -> Finding:
    people = held_against_people(asked, found.scores if found else {}, told, seed=seed)
    return replace(
        finding,
        estimates={**finding.estimates, **people.estimates()},
        tables=(*finding.tables, people.table()),
        method=f"{finding.method} {people.labels:,} answers were labelled by a person who saw neither judge nor "
        "condition; scores of the judge are corrected by them with prediction-powered inference.",
        answer=f"{finding.answer} {people.sentence}",
    )


def _write_sheet(asked: Asked, out: Path, *, seed: int) -> None:
    items = sample(asked, seed=seed)
    write_bytes(out / SHEET, sheet(items).encode("utf-8-sig"))  # so that spreadsheets know the encoding
    write_bytes(out / PAGE, render_labels(items, title=TITLE).encode())


def _report(
    finding: Finding,
    asked_of: Questions,
    asked: Asked,
    out: Path,
    *,
    model: AnswerModel,
    judge: Judge | None,
    plan: VqaPlan,
) -> Path:
    images = len({question.image_id for question in asked.questions})
    subject = ReportSubject(
        name=asked_of.table.name,
        patients=asked_of.people,
        studies=images,
        images=images + sum(asked.unreadable.values()),
        released=0,
        quarantined=dict(asked.unreadable),
    )
    settings = {
        **to_json(plan),
        "model": model.name,
        "judge": judge.name if judge else None,
        "prompt": judge.wording if judge else None,
    }
    content = ReportContent(
        subject=subject,
        removals=(),
        comparisons=(Comparison(None, finding, judged=False),),
        gaps=(Gap("Everything else", "only this measure was run, and nothing is released.", blocking=False),),
        provenance=how_to_repeat(
            f"medveil measure vqa IN -o OUT --seed {plan.seed}", plan.seed, settings, input_sha256=asked_of.sha256
        ),
        about="a measure",
    )
    return write_report(content, out)
