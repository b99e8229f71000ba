"""What cleans headers, pixels and reports, set up once for each process: models are slow to load."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache

from medveil.defenses.headers.cleaner import HeaderCleaner
from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.defenses.pixels.removal import TextRemover
from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.person.identifiers import Category
from medveil.person.person import Person
from medveil.release.clean.settings import DeidSettings

LONGEST_PHRASE = 120  # characters; more, or a second line, is read as a report


class FreeText:
    """Free text inside DICOM files, from a study's description to the content of a structured report."""

    def __init__(self, reports: ReportCleaner) -> None:
        self._reports = reports
        self.found: Counter[Category] = Counter()
        self.not_rewritten = 0

    def begin(self) -> None:
        """Count anew, for the next file."""
        self.found.clear()
        self.not_rewritten = 0

    def __call__(self, text: str, person: Person) -> str:
        whole = len(text) > LONGEST_PHRASE or "\n" in text.strip()
        cleaned = self._reports.clean(text, person) if whole else self._reports.clean_phrase(text, person)
        self.found.update(one.category for one in cleaned.found)
        self.not_rewritten += cleaned.not_rewritten
        return cleaned.text


@dataclass(frozen=True)
class Tools:
    profile: Profile
    free_text: FreeText
    headers: HeaderCleaner
    structured: HeaderCleaner  # for structured reports, whose content is the report
    pixels: TextRemover
    reports: ReportCleaner


@lru_cache(maxsize=1)
def tools_for(settings: DeidSettings) -> Tools:
    import torch  # here, since the process that only hands out the work needs no networks

    if multiprocessing.parent_process():
        torch.set_num_threads(1)  # each worker has a core, and no more
    profile = settings.header_profile
    reports = ReportCleaner(style=settings.reports, rewriter=settings.rewriter)
    text = FreeText(reports)
    with_content = replace(profile, options=profile.options | {Option.CLEAN_STRUCTURED})
    return Tools(
        profile,
        text,
        HeaderCleaner(profile, clean_text=text, realistic=settings.realistic),
        HeaderCleaner(with_content, clean_text=text, realistic=settings.realistic),
        TextRemover(fill=settings.fill),
        reports,
    )
