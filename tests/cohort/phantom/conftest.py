from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from medveil.cohort import Cohort
from medveil.cohort.phantom.gold import Gold, load_gold
from medveil.cohort.phantom.hospital import build_hospital


@dataclass(frozen=True)
class Phantom:
    out: Path
    cohort: Cohort
    gold: Gold
    patients: int
    sites: int
    seed: int
    size: int


@pytest.fixture(scope="session")
def phantom(tmp_path_factory: pytest.TempPathFactory) -> Phantom:
    """A small hospital with every site's habits in it."""
    out = tmp_path_factory.mktemp("phantom") / "hospital"
    settings = {"patients": 30, "sites": 10, "seed": 28, "size": 128}
    cohort = build_hospital(out, **settings, workers=2)
    return Phantom(out, cohort, load_gold(out), **settings)
