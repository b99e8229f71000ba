"""Report text, the one entrance: whole reports, rows of reports, and the free text in headers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from medveil.defenses.reports.rewriting import DATES, STYLES, Dates, Rewriter, Style
from medveil.defenses.reports.told_ages import with_told_ages
from medveil.errors import Quarantined, SettingsError
from medveil.parts import Guarantee, Subject, register_defense
from medveil.person.identifiers import Category
from medveil.person.keys import Keys

if TYPE_CHECKING:
    from medveil.defenses.reports.cleaner import CleanedText, ReportCleaner
    from medveil.defenses.reports.tagger.token_classifier import TokenClassifier

NOT_REWRITTEN = "texts with surrogates, since rewriting would have lost content"


def replaced_in_reports(category: Category) -> str:
    return f"{category.spoken} replaced in reports"


@register_defense
class CleanReports:
    """Replaces every identifier in a text by a surrogate; dates move by the patient's own shift."""

    name = "reports"
    title = "Report text"
    place = "reports"
    order = 20
    default = True
    guarantee = Guarantee(
        "measured",
        "Rules, a trained tagger and a search for what is known of the patient find identifiers in the text; "
        "surrogates of the same form replace them, dates move by the patient's own shift, and the result is searched "
        "again for what is known. A report in which that is still found is not released. How many identifiers are "
        "missed is measured on texts whose identifiers are known.",
    )
    limits = (
        "No search finds every identifier: a nickname or an unusual event may still point to a person.",
        "Intervals between the dates of a report are kept exactly, unless the table's are coarsened or blurred.",
    )

    @dataclass(frozen=True)
    class Settings:
        """How texts come out, a model of the user's own that rewrites them (a folder, or a name on the hub), and a
        tagger of the user's own (a folder).
        """

        style: Style = "surrogates"
        dates: Dates = "moved"
        rewriter: str | None = None
        tagger: str | None = None

        def __post_init__(self) -> None:
            if self.style not in STYLES:
                raise SettingsError(f"reports come out as one of {', '.join(STYLES)}")
            if self.dates not in DATES:
                raise SettingsError(f"dates of reports come out as one of {', '.join(DATES)}")
            if self.rewriter and self.style != "rewritten":
                raise SettingsError("a rewriter is used for rewritten reports only; add --reports rewritten")

    def __init__(self, keys: Keys, settings: Settings | None = None) -> None:
        self.settings = settings or self.Settings()

    @cached_property
    def cleaner(self) -> ReportCleaner:
        from medveil.defenses.reports.cleaner import ReportCleaner

        settings = self.settings
        return ReportCleaner(
            style=settings.style, dates=settings.dates, rewriter=settings.rewriter, tagger=self._own_tagger or "bundled"
        )

    @cached_property
    def _own_tagger(self) -> TokenClassifier | None:
        if self.settings.tagger is None:
            return None
        from medveil.defenses.reports.tagger.token_classifier import TokenClassifier

        return TokenClassifier(Path(self.settings.tagger))

    def check_models(self) -> None:
        """The user's models are loaded and asked once."""
        if self.settings.rewriter:
            Rewriter(self.settings.rewriter).rewrite("[NAME]")
        if self._own_tagger is not None:
            self._own_tagger.tag(["Seen by Dr. Hartwell."])

    def apply(self, subject: Subject) -> Subject:
        (result,) = self.apply_many([subject])
        if isinstance(result, Quarantined):
            raise result
        return result

    def apply_many(self, subjects: Sequence[Subject]) -> list[Subject | Quarantined]:
        results: list[Subject | Quarantined] = list(subjects)
        for phrase in (False, True):
            places = [at for at, one in enumerate(subjects) if one.text is not None and one.phrase == phrase]
            attempt = self.cleaner.attempt_phrases if phrase else self.cleaner.attempt_many
            cleaned = attempt([subjects[at].text or "" for at in places], [subjects[at].person for at in places])
            for at, one in zip(places, cleaned, strict=True):
                results[at] = one if isinstance(one, Quarantined) else _with(subjects[at], one)
        return results


def _with(subject: Subject, cleaned: CleanedText) -> Subject:
    for found in cleaned.found:
        subject.note(replaced_in_reports(found.category))
    if cleaned.not_rewritten:
        subject.note(NOT_REWRITTEN)
    if not subject.phrase:
        subject.note("reports cleaned" if cleaned.found else "reports found free of identifiers")
    subject.text, ages = with_told_ages(cleaned.text, subject.person.telling)
    if ages:
        subject.note("ages in reports told as in the table", ages)
    return subject
