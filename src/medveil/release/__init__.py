"""Defend, attack before and after, measure before and after, report."""

from medveil.release.run import Outcome, release
from medveil.release.settings import Settings

__all__ = ["Outcome", "Settings", "release"]
