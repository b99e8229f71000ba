"""The tables of the experiment, as they are in print (tables 1 to 3 and 6) and more, with intervals by image."""

from __future__ import annotations

import numpy as np

from medveil.finding import Table, percent
from medveil.stats.estimate import Estimate
from medveil.utility.vqa.experiment.asking import Asked
from medveil.utility.vqa.experiment.comparison import Compared, Pair, Stated
from medveil.utility.vqa.experiment.conditions import CONTROLS, METHODS, OURS, RAW, Condition
from medveil.utility.vqa.scores import GROUPS, Score

Row = tuple[str | float | int | None, ...]
BINS = ((0.0, 0.05, "under 5 %"), (0.05, 0.15, "5 to 15 %"), (0.15, 0.30, "15 to 30 %"), (0.30, 1.01, "over 30 %"))
ALIGNED: tuple[Score, Score] = ("relaxed", "judge")
_PAIRED = ("points", "right now", "wrong now", "p (McNemar)", "p by image")


def right_by_method(compared: Compared) -> Table:
    """As table 1 in print, with the controls."""
    asked, rows = compared.asked, []
    for condition in asked.under(RAW, *METHODS, *CONTROLS):
        found: Row = tuple(told(compared.estimate(condition, score)) for score in compared.scores)
        answers = int(asked.answered(condition).sum())
        rows.append((condition.method, *found, answers, len(asked.questions) - answers))
    return Table("Right answers by method", ("method", *compared.scores, "answers", "withheld"), tuple(rows))


def by_question_type(compared: Compared) -> Table:
    """As table 2 in print: raw against cleaned, yes/no and open apart."""
    rows: list[Row] = []
    for group in GROUPS:
        for score in compared.scores:
            pair = compared.pair(Condition(RAW), Condition(OURS), score, group)
            if pair is not None:
                rows.append((group, score, pair.before.n, told(pair.before), told(pair.after), *_paired(pair)))
    columns = ("questions", "score", "n", "raw", "cleaned", *_PAIRED)
    return Table("Raw and cleaned by type of question", columns, tuple(rows))


def hidden_by_method(asked: Asked) -> Table:
    """As table 3 in print: how much of the images is hidden, each image counted once."""
    rows: list[Row] = []
    images = np.array([question.image_id for question in asked.questions], dtype=object)
    first = np.isin(np.arange(len(images)), np.unique(images.astype(str), return_index=True)[1])
    for condition in asked.under(*METHODS):
        shares = asked.hidden[condition][first & asked.answered(condition)]
        if len(shares):
            bins = [int(((shares >= low) & (shares < high)).sum()) for low, high, _ in BINS]
            rows.append((condition.method, len(shares), percent(float(shares.mean())), *bins))
    columns = ("method", "images", "hidden on average", *(name for *_, name in BINS))
    return Table("How much of the images is hidden", columns, tuple(rows))


def against_raw(compared: Compared, stated: Stated) -> Table:
    """Every way of cleaning, at every severity, by the score that counts."""
    rows: list[Row] = []
    blind = compared.blind(stated.score)
    for condition in compared.asked.answers:
        if condition.method not in METHODS:
            continue
        found = {percent(condition.severity): compared.pair(Condition(RAW), condition, stated.score)}
        if not condition.severity:
            found["something"] = compared.where_hidden(condition, stated.score)
        for hidden, pair in found.items():
            if pair is not None:
                verdict = "no verdict" if blind else pair.judged(stated.margin)
                images = pair.before.units
                rows.append((condition.method, hidden, pair.before.n, images, *_paired(pair), verdict))
    columns = ("method", "hidden at least", "n", "images", *_PAIRED, "verdict")
    return Table(f"Against raw images ({stated.score})", columns, tuple(rows))


def what_the_image_adds(compared: Compared, stated: Stated) -> Table:
    rows = tuple(
        (name, pair.before.n, told(pair.before), told(pair.after), *_paired(pair))
        for name, pair in compared.sensitivity(stated.score).items()
    )
    columns = ("control", "n", "control's answers", "raw", *_PAIRED)
    return Table(f"What the image adds ({stated.score})", columns, rows)


def withheld(asked: Asked) -> Table | None:
    rows: list[Row] = [("unreadable", reason, number) for reason, number in sorted(asked.unreadable.items())]
    for condition in asked.under(*METHODS):
        reasons = asked.withheld.get(condition, {})
        rows += [(condition.method, reason, number) for reason, number in sorted(reasons.items())]
    return Table("Images that were not asked about", ("method", "reason", "images"), tuple(rows)) if rows else None


def alignment(compared: Compared) -> Table | None:
    """As table 6 in print: how often the judge and the relaxed score say the same."""
    if "judge" not in compared.scores:
        return None
    rows: list[Row] = []
    for condition in compared.asked.under(RAW, *METHODS):
        one, other = (compared.values[condition, score] for score in ALIGNED)
        same = np.where(np.isfinite(one) & np.isfinite(other), (one == other).astype(float), np.nan)
        scores = (told(compared.estimate(condition, score)) for score in ALIGNED)
        rows.append((condition.method, *scores, told(compared.scoring.estimate(same, "relaxed"))))
    return Table("Relaxed score and judge", ("method", *ALIGNED, "they agree"), tuple(rows))


def every_score(compared: Compared) -> Table:
    """All there is, in plain numbers: for programs."""
    rows: list[Row] = []
    for condition in compared.asked.under(RAW, *METHODS, *CONTROLS) + tuple(
        each for each in compared.asked.answers if each.severity
    ):
        for score in compared.scores:
            for group in GROUPS:
                each = compared.estimate(condition, score, group)
                if each is not None:
                    numbers = (each.value, each.low, each.high, each.sd, each.chance, each.control, each.n, each.units)
                    rows.append((condition.method, condition.severity, score, group, *numbers))
    columns = ("method", "hidden_at_least", "score", "questions", "value", "low", "high", "sd", "chance", "control")
    return Table("Every score", (*columns, "n", "images"), tuple(rows))


def told(estimate: Estimate | None) -> str:
    """In percent, with its interval."""
    if estimate is None:
        return "–"
    return f"{100 * estimate.value:.1f} ({100 * estimate.low:.1f} to {100 * estimate.high:.1f})"


def _paired(pair: Pair) -> Row:
    change = pair.difference
    points = f"{100 * change.value:+.1f} ({100 * change.low:+.1f} to {100 * change.high:+.1f})"
    return points, pair.gained, pair.lost, "–" if pair.p is None else f"{pair.p:.3g}", f"{pair.p_by_image:.3g}"
