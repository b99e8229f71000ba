from __future__ import annotations

import json

import pytest

from medveil.encoders.findings.network import read_calling
from medveil.finding import Verdict
from medveil.utility.pixel_damage.damage import HEADLINE, Damage, damage_of
from medveil.utility.pixel_damage.film import FilmDamage
from medveil.weights.bundled import bundled

CALLING = read_calling(bundled("findings"))


def summed(*films: FilmDamage, of: int = 1000, **more: float) -> Damage:
    everything = [*films, *[FilmDamage()] * (of - len(films))]
    names = [f"film-{number}" for number in range(of)]
    return damage_of(everything, names, [str(number // 2) for number in range(of)], seed=1, **more)


def test_nothing_changed_passes() -> None:
    found = summed()
    assert found.verdict is Verdict.PASS
    assert found.estimates[HEADLINE].value == 0
    assert found.estimates[HEADLINE].high > 0  # none seen is not none ever
    assert not found.worst


def test_few_films_touched_in_the_lungs_pass_and_more_mean_review() -> None:
    touched = FilmDamage(0.001, 0.001, 0.001)
    assert summed(*[touched] * 5).verdict is Verdict.PASS
    assert summed(*[touched] * 6).verdict is Verdict.REVIEW
    assert summed(*[touched] * 1000).verdict is Verdict.REVIEW  # never worse: nobody is identified


def test_one_film_with_much_of_its_lungs_changed_means_review() -> None:
    found = summed(FilmDamage(0.005, 0.011, 0))
    assert found.verdict is Verdict.REVIEW
    assert "More than 1.0 % of the lungs was changed in 1 film." in found.answer
    assert summed(FilmDamage(0.005, 0.011, 0), most_area=0.02).verdict is Verdict.PASS


def test_the_worst_come_first_by_their_released_names() -> None:
    found = summed(FilmDamage(0.2, 0, 0.3), FilmDamage(0.01, 0.002, 0.01), FilmDamage(0.01, 0.5, 0))
    assert [one.name for one in found.worst] == ["film-2", "film-1"]
    assert "The worst: film-2, film-1." in found.answer
    assert found.to_json(withheld=3)["worst"][0] == {"file": "film-2", "lungs": 0.5, "film": 0.01, "outside": 0}
    assert found.to_json(withheld=3)["withheld"] == 3


def test_changes_outside_the_lungs_are_told_but_do_not_mean_review() -> None:
    found = summed(*[FilmDamage(0.01, 0, 0.02)] * 400)
    assert found.verdict is Verdict.PASS
    assert found.estimates["films changed"].value == 0.4
    assert found.estimates["other pixels changed"].value == pytest.approx(0.4 * 0.02)


def test_a_finding_that_crosses_its_threshold_is_counted() -> None:
    before = tuple(threshold - 0.02 for threshold in CALLING.thresholds)
    after = (CALLING.thresholds[0] + 0.1, *before[1:])
    found = summed(FilmDamage(0.1, 0, 0.1, True, before, after))
    assert found.estimates["films in which a finding crosses its threshold"].value == 0.001
    assert found.findings[0].crossed == 1 and abs(found.findings[0].largest - 0.12) < 1e-6
    assert not any(one.crossed or one.largest for one in found.findings[1:])


def test_a_second_look_finds_the_very_same() -> None:
    films = [FilmDamage(0.01 / number, 0.003 / number, 0.02 / number) for number in range(1, 40)]
    told = [json.dumps(summed(*films, of=60).to_json()) for _ in range(12)]
    assert len(set(told)) == 1


def test_every_interval_is_of_a_share() -> None:
    found = summed(*[FilmDamage(0.3, 0.999, 1.0)] * 3, of=14)
    assert all(0 <= one.low <= one.value <= one.high <= 1 for one in found.estimates.values())


def test_lungs_that_were_not_found_are_counted() -> None:
    assert summed(FilmDamage(0.1, 0, 0.1, False)).lungs_not_found == 1
