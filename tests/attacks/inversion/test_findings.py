from __future__ import annotations

import numpy as np

from medveil.attacks.inversion.findings import Drawn, Gallery, inversion_finding, judge


def test_films_that_come_out_whole_are_told_where_nobody_is_recognised_in_them() -> None:
    rng = np.random.default_rng(0)
    own, people = rng.random((6, 1, 16, 16)), np.arange(6)[:, None]
    gallery = Gallery(np.eye(12, dtype=np.float32)[6:], np.arange(6))
    nobody = np.eye(12, dtype=np.float32)[:6]
    noise = rng.random(own.shape).astype(np.float32)
    ways = {
        way: judge(Drawn(films, nobody, own, people), gallery, seed=0)
        for way, films in (("by distance", noise), ("closed form", own.astype(np.float32)))
    }
    told = inversion_finding({"none": ways}, "none", network="vit", noise=1.0, sites=3, films=1)
    assert "(closed form) find a patient" in told.answer and "(SSIM) of 1.00 (1.00 to 1.00)" in told.answer
    assert told.power is not None and not told.power.enough
