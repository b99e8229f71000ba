"""Attacks and measures side by side: the same page whoever is done first, and one that fails ends the others."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.errors import NotMeasurable
from medveil.finding import ONE_IN_ELEVEN, Finding
from medveil.parts import Choice, choose
from medveil.person.keys import Keys
from medveil.release import examine as examining
from medveil.release.clean.engine import Engine
from medveil.release.released import Released
from medveil.release.settings import Settings
from medveil.report.content import Comparison, ReportContent
from medveil.stats.estimate import Estimate

NAMES = ("linkage", "pixel-similarity", "identity", "singling-out")
MEASURE = "label-probe"
FOUND = Estimate(0.0, 0.0, 0.0, 0.012, 600, 300, "patient")


class Attacks:
    """In place of the real ones: each waits for those it is told to wait for."""

    def __init__(self, **after: str) -> None:
        self.after = after
        self.done = {name: threading.Event() for name in (*NAMES, MEASURE)}
        self.begun = threading.Event()
        self.lock, self.now, self.most = threading.Lock(), 0, 0

    def __call__(self, choice: Choice, before: Cohort, after: Cohort, asked: Settings, progress: Any) -> Comparison:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        if choice.name in self.after:
            self.begun.set()
            assert self.done[self.after[choice.name]].wait(60)
        elif self.after:  # else those that somebody waits for may be done before anybody does
            assert self.begun.wait(60)
        progress(choice.name, 1, 1)
        with self.lock:
            self.now -= 1
        self.done[choice.name].set()
        if choice.name == "identity":
            raise NotMeasurable("nobody returns")
        finding = Finding(choice.name, "attack", "?", "!", "share", {"share": FOUND}, "", threshold=ONE_IN_ELEVEN)
        return Comparison(finding, finding)


def examined(monkeypatch: pytest.MonkeyPatch, attacks: Any, workers: int, told: Any = None) -> ReportContent:
    monkeypatch.setattr(examining, "_compare", attacks)
    settings = Settings(attacks=NAMES, measures=(MEASURE,)).resolved()
    row = {"image_id": "i", "patient_id": "p", "study_id": "s", "site": "north", "path": "i.png", "view": "PA"}
    cohort = Cohort.of(pd.DataFrame([row]), Path("/nowhere"))
    engine = Engine(Keys.for_demonstration(1), settings.chosen("defenses"))
    return examining.examine(
        cohort,
        Released(cohort, [0]),
        settings,
        engine,
        "2026-01-01",
        told or (lambda *_: None),
        check=lambda: None,
        workers=workers,
    )


def test_the_page_does_not_depend_on_who_is_done_first(monkeypatch: pytest.MonkeyPatch) -> None:
    alone, first = Attacks(), Attacks(linkage="identity", identity="pixel-similarity")
    one, two = examined(monkeypatch, alone, 1), examined(monkeypatch, first, 2)
    assert (alone.most, first.most) == (1, 2)
    assert [each.after.part for each in two.comparisons] == ["linkage", "pixel-similarity", "singling-out", MEASURE]
    assert one == two
    assert any("nobody returns" in gap.why for gap in two.gaps)


def test_progress_counts_those_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, int, int]] = []
    examined(monkeypatch, Attacks(), 2, lambda *step: told.append(step))
    measuring = [step[1:] for step in told if step[0] == "measuring"]
    assert measuring == [(done, measuring[-1][1]) for done in range(measuring[-1][1] + 1)]


def test_one_that_fails_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    started = threading.Event()

    def attack(choice: Choice, *given: Any) -> Comparison:
        if choice.name == "pixel-similarity":
            assert started.wait(60)
            raise ValueError("a fault")
        while True:
            started.set()
            given[-1](choice.name, 0, 1)

    with pytest.raises(ValueError, match="a fault"):
        examined(monkeypatch, attack, 2)


@pytest.mark.parametrize(
    ("text", "alone"), [("diagnosis", False), ("diagnosis:effort=full", True), ("drafted-reports", True)]
)
def test_what_draws_from_the_process_s_own_chance_runs_alone(text: str, alone: bool) -> None:
    assert choose("measures", [text])[0].alone is alone


def test_of_a_part_of_another_package_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    (choice,) = choose("attacks", ["identity"])
    assert not choice.alone
    monkeypatch.setattr(choice.part, "__module__", "elsewhere")
    assert choice.alone
