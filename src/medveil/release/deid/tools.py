"""What cleans headers, pixels and reports, set up once for each process: models are slow to load."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from medveil.defenses.headers.engine import HeaderCleaner
from medveil.defenses.headers.profile import Profile
from medveil.defenses.pixels.removal import TextRemover
from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.release.deid.settings import DeidSettings


@dataclass(frozen=True)
class Tools:
    profile: Profile
    headers: HeaderCleaner
    pixels: TextRemover
    reports: ReportCleaner


@lru_cache(maxsize=1)
def tools_for(settings: DeidSettings) -> Tools:
    profile = profile_of(settings)
    reports = ReportCleaner(style=settings.reports, rewriter=settings.rewriter)
    headers = HeaderCleaner(
        profile,
        clean_text=lambda text, person: reports.clean_phrase(text, person).text,
        realistic=settings.realistic,
    )
    return Tools(profile, headers, TextRemover(fill=settings.fill), reports)


def profile_of(settings: DeidSettings) -> Profile:
    return Profile.default() if settings.profile is None else Profile.read(settings.profile)
