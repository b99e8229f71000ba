"""Thresholds in use for the chance of re-identification."""

from __future__ import annotations

from medveil.finding import Threshold

ONE_IN_ELEVEN = Threshold(
    name="0.09 (one in eleven)",
    value=0.09,
    source="in use for public releases of clinical data at the European Medicines Agency (Policy 0070) "
    "and Health Canada (Public Release of Clinical Information)",
)
