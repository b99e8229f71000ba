"""How embeddings are measured: as published, or as the people in them need it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from medveil.attacks.refit.pairs import SeenPairs
from medveil.attacks.refit.refitting import RefitPoint, Target
from medveil.defenses.alignment.heads import Heads
from medveil.release.protect import measurement
from medveil.release.protect.measurement import EmbeddedPairs, MeasurementSettings, linkage, refitted_on_features
from medveil.release.protect.paired_features import ProtectionData


@pytest.mark.parametrize("by_image", [False, True])
def test_an_adversary_keeps_patients_together_whatever_is_redrawn(
    data: ProtectionData, quick: MeasurementSettings, monkeypatch: pytest.MonkeyPatch, by_image: bool
) -> None:
    """With images of one patient on both sides of their check, adversaries would choose worse, and look weaker."""
    seen: list[tuple[SeenPairs, Target]] = []

    def attacked(own: SeenPairs, target: Target, **_: Any) -> tuple[RefitPoint, ...]:
        seen.append((own, target))
        return ()

    monkeypatch.setattr(measurement, "refit_attack", attacked)
    refitted_on_features(data, replace(quick, by_image=by_image))
    ((own, target),) = seen
    assert data.own is not None and np.array_equal(own.patients, data.own.patients)
    assert target.unit == ("image" if by_image else "patient")
    assert len(np.unique(target.pairs.patients)) == target.redraws.shape[1] == (180 if by_image else 90)


def test_every_other_report_competes_as_published(
    data: ProtectionData, start: Heads, quick: MeasurementSettings
) -> None:
    """Of two pairs with one report each is a wrong answer to the other, and they tie."""
    part = replace(data.test, texts=data.test.patients, reports=np.repeat(data.test.reports[::2], 2, axis=0))
    pairs = EmbeddedPairs(start.embed_images(part.images), start.embed_reports(part.reports), part)
    usual, published = (linkage(pairs, replace(quick, match=each)) for each in ("text", "pair"))
    assert usual["random all Recall@1"].chance == pytest.approx(1 / 179)
    assert published["random all Recall@1"].chance == pytest.approx(1 / 180)
    assert published["random all Recall@1"].value < 0.6 * usual["random all Recall@1"].value
