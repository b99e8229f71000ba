"""What came of the experiment: the answer in words, and the finding that a report prints."""

from __future__ import annotations

from collections.abc import Sequence

from medveil.errors import NotMeasurable
from medveil.finding import Finding, Table, percent
from medveil.stats.estimate import Estimate
from medveil.utility.vqa.experiment import figures, tables
from medveil.utility.vqa.experiment.comparison import Compared, Pair, Stated, blindness
from medveil.utility.vqa.experiment.conditions import (
    CONTROLS,
    METHODS,
    ONE_TEXT,
    OTHER_TEXT,
    OURS,
    RAW,
    Condition,
)
from medveil.utility.vqa.experiment.judging import Judged
from medveil.utility.vqa.scores import DEFINITIONS, Score, definitions

# plain words such as judge mean something else in other parts of a report
_TERMS: dict[Score, str] = {
    "strict": "strict score",
    "relaxed": "relaxed score",
    "token F1": "token F1",
    "judge": "judge's score",
}
FOOLED = "wrong answers that the judge accepts"
SHORTCUT = "answers that change with the text on the image"


class Results:
    """Everything is derived from the answers; nothing is asked here."""

    def __init__(self, compared: Compared, stated: Stated, judged: Judged | None = None) -> None:
        if stated.score not in compared.scores:
            why = judged.trial.refusal if judged else None
            told = f": the judge was refused, for {why}" if why else ""
            raise NotMeasurable(f"the score that was to count, {stated.score}, was not measured{told}")
        self._compared, self._stated, self._judged = compared, stated, judged
        self._asked = compared.asked
        self.blind = compared.blind(stated.score)
        pair = compared.pair(Condition(RAW), Condition(OURS), stated.score)
        if pair is None:
            raise NotMeasurable("fewer than two images have answers both raw and cleaned; the others were withheld")
        self.pair: Pair = pair

    @property
    def holds(self) -> bool:
        """Whether cleaned images are shown to be as good as raw ones, by a model that is shown to look at them."""
        return not self.blind and self.pair.judged(self._stated.margin) == "not worse"

    @property
    def shortcut(self) -> Estimate | None:
        """How often an answer changes when nothing but the text on the image does."""
        pair = Condition(ONE_TEXT), Condition(OTHER_TEXT)
        return self._compared.changed(*pair) if all(each in self._asked.answers for each in pair) else None

    @property
    def answer(self) -> str:
        told = [
            f"{percent(self.pair.after.value)} of answers on cleaned images are right ({self._stated.score}), and "
            f"{percent(self.pair.before.value)} of those to the same questions on raw images.",
            blindness(self.blind) if self.blind else self.pair.sentence(self._stated.margin),
        ]
        if self.shortcut is not None:
            told.append(f"{percent(self.shortcut.value)} of answers change when only the text on the image does.")
        if self._judged and self._judged.trial.refusal:
            told.append(f"The judge was refused: {self._judged.trial.refusal}.")
        return " ".join(told)

    def estimates(self) -> dict[str, Estimate]:
        score = self._stated.score
        hidden = self._compared.where_hidden(Condition(OURS), score)
        found: dict[str, Estimate | None] = {
            self._headline: self.pair.after,
            f"{score}, raw": self.pair.before,
            "cleaned minus raw": self.pair.difference,
            "cleaned minus raw, where something was hidden": None if hidden is None else hidden.difference,
            **{f"raw minus {name}": each.difference for name, each in self._compared.sensitivity(score).items()},
            SHORTCUT: self.shortcut,
            FOOLED: self._judged.trial.false_positives["all"] if self._judged else None,
        }
        for condition in self._asked.under(RAW, *METHODS, *CONTROLS):
            for each in self._compared.scores:
                found[f"{each}, all answers, {condition.method}"] = self._compared.estimate(condition, each)
        return {name: each for name, each in found.items() if each is not None}

    def tables(self) -> dict[str, Table | None]:
        """By the name of the file that they are written to; None where there is nothing to tell."""
        return {
            "table-1-methods": tables.right_by_method(self._compared),
            "table-2-question-types": tables.by_question_type(self._compared),
            "table-3-hidden": tables.hidden_by_method(self._asked),
            "against-raw": tables.against_raw(self._compared, self._stated),
            "controls": tables.what_the_image_adds(self._compared, self._stated),
            "withheld": tables.withheld(self._asked),
            "relaxed-and-judge": tables.alignment(self._compared),
            "judge-probes": self._judged.trial.table() if self._judged else None,
        }

    def finding(self, part: str, *, model: str, remarks: Sequence[str] = ()) -> Finding:
        drawn = (
            figures.by_method(self._compared),
            figures.by_severity(self._compared, self._stated.score),
            figures.by_amount_found(self._compared, self._stated.score),
        )
        return Finding(
            part=part,
            kind="measure",
            question="Do answers to questions on the images stay right?",
            answer=self.answer,
            headline=self._headline,
            estimates=self.estimates(),
            method=self._method(model),
            limits=self._limits(remarks),
            figures=tuple(figure for figure in drawn if figure is not None),
            tables=tuple(table for table in self.tables().values() if table is not None),
            glossary={_TERMS[score]: DEFINITIONS[score] for score in self._compared.scores},
        )

    @property
    def _headline(self) -> str:
        return f"{self._stated.score}, cleaned"

    def _method(self, model: str) -> str:
        told = (
            f"{model} was asked {len(self._asked.questions):,} questions, in the same words under every condition. "
            f"Stated beforehand: the score that counts is {self._stated.score}, and answers on cleaned images may be "
            f"worse than on raw ones by {100 * self._stated.margin:g} points. Answers are paired by question; "
            "intervals are by image, p is McNemar's exact one. Controls are the question without any image, a blank "
            "image, and the image of another patient: where raw images do not beat each of them, there is no verdict."
        )
        return f"{told} {self._judging()}{definitions(self._compared.scores)}"

    def _judging(self) -> str:
        judged = self._judged
        if judged is None:
            return ""
        return (
            f"Judge: {judged.name}, {judged.wording} prompt, tried with {judged.trial.asked:,} probes, of which "
            f"{judged.trial.unreadable:,} replies could not be read; of {judged.answers:,} judgements "
            f"{judged.unreadable:,} could not be read and count as 0. "
        )

    def _limits(self, remarks: Sequence[str]) -> tuple[str, ...]:
        limits = [*remarks, "One model answered: another may lose more by the same cleaning."]
        lost = int((~self._asked.answered(Condition(OURS))).sum())
        if lost:
            limits.append(
                f"{lost:,} questions are on images that were withheld instead of cleaned; they are in no comparison."
            )
        if self._judged and self._judged.trial.doubt:
            limits.append(self._judged.trial.doubt)
        return tuple(limits)
