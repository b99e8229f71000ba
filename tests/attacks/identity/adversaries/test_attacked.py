from __future__ import annotations

import numpy as np
import pytest

from medveil.attacks.identity.adversaries.attacked import Attacked, joined
from medveil.errors import NotMeasurable


def _attacked(rates: dict[str, float], *, n: int = 60, seed: int = 0) -> Attacked:
    rng = np.random.default_rng(seed)
    hits = {(name, mode): (rng.random(n) < rate).astype(float) for name, rate in rates.items() for mode in ("dd", "do")}
    each = {name: np.ones(n) for name in rates}
    return Attacked(np.arange(n) // 2, hits, each, each, np.full(n, 0.02), each, learned_from=(30, 20))


def test_the_strongest_upper_end_counts() -> None:
    done = _attacked({"frozen": 0.1, "retrained": 0.6, "restored": 0.3})
    found = done.strongest()
    every = [done.estimate(*key) for key in done.hits]
    assert found.attacker == "retrained"
    assert found.estimate.high == max(each.high for each in every)
    assert found.estimate.value == max(each.value for each in every)


def test_the_lower_end_is_corrected_for_looking_often() -> None:
    done = _attacked({"frozen": 0.5, "other": 0.5, "retrained": 0.5, "restored": 0.5})
    found = done.strongest()
    assert found.estimate.low < max(done.estimate(*key).low for key in done.hits)


def test_the_strongest_upper_end_covers_the_truth() -> None:
    """The best of four equal attackers is overrated, never underrated."""
    truth, covered = 0.1, []
    for seed in range(60):
        covered.append(_attacked(dict.fromkeys(("frozen", "other", "retrained", "restored"), truth), seed=seed))
    assert np.mean([each.strongest().estimate.high >= truth for each in covered]) >= 0.97


def test_pairs_of_defenses_share_their_redraws() -> None:
    one, other = _attacked({"frozen": 0.8}), _attacked({"frozen": 0.2}, seed=1)
    difference = one.estimate("frozen", "dd").minus(other.estimate("frozen", "dd"))
    assert difference.low > 0
    same = one.estimate("frozen", "dd").minus(one.estimate("frozen", "dd"))
    assert same.value == same.sd == 0 and same.low < 0 < same.high  # no change among so few is no proof of none


def test_joining_puts_every_film_in_its_place() -> None:
    done = _attacked({"frozen": 0.5})
    rows = np.flatnonzero(done.patients % 3 == 0), np.flatnonzero(done.patients % 3)
    parts = []
    for own in rows:
        parts.append(
            Attacked(
                done.patients[own],
                {key: values[own] for key, values in done.hits.items()},
                {key: values[own] for key, values in done.cmc.items()},
                {key: values[own] for key, values in done.own.items()},
                done.chance[own],
                {key: values[own] for key, values in done.undefended.items()},
                learned_from=(len(own), 3),
            )
        )
    again = joined(parts, rows)
    np.testing.assert_array_equal(again.patients, done.patients)
    np.testing.assert_array_equal(again.hits["frozen", "dd"], done.hits["frozen", "dd"])
    assert again.learned_from == (min(map(len, rows)), 3)


def test_without_queries_nothing_is_measured() -> None:
    done = _attacked({"frozen": 0.5})
    with pytest.raises(NotMeasurable):
        done.mean(np.full(60, np.nan))
