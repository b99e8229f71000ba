"""The entrance of the alignment defense."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from medveil.defenses.alignment.defense import AlignmentDefense
from medveil.defenses.alignment.heads import Heads, HeadShape
from medveil.defenses.alignment.settings import Settings


def test_it_returns_new_heads_beside_a_record_and_leaves_the_given_ones(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    images, reports = (rng.standard_normal((40, 6), dtype=np.float32) for _ in range(2))
    heads = Heads(HeadShape(6, 4), HeadShape(6, 4))
    before = heads.embed_images(images)
    defense = AlignmentDefense(Settings(directions=2), variant="erase")
    changed = defense.apply(heads, images, reports, patients=np.arange(40), out=tmp_path)
    assert np.array_equal(heads.embed_images(images), before)
    assert not np.allclose(changed.heads.embed_images(images), before)
    assert (changed.record["variant"], changed.guarantee.kind) == ("erase", "none")


def test_looking_at_it_loads_no_torch() -> None:
    code = "import sys, medveil.defenses.alignment.defense; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
