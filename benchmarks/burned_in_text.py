"""How much burned-in text `cover-text` covers, against the phantom hospital's answer key, and what it costs.

    python benchmarks/burned_in_text.py [PATIENTS]

A line counts as covered when at least 98 % of its box is black. The cost is the share of the image that is covered
outside the boxes of the answer key.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from medveil.cohort.phantom.gold import load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.defenses.keys import Keys
from medveil.defenses.pixels.cover import CoveredText
from medveil.errors import Quarantined
from medveil.parts import Record
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.shares import share


def main(patients: int) -> None:
    covered, owners, cost, quarantined = [], [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        cohort = build_hospital(Path(folder) / "hospital", patients=patients, seed=23)
        gold = load_gold(Path(folder) / "hospital")
        defense = CoveredText(Keys.for_demonstration(0))
        for row in range(len(cohort)):
            original = cohort.image(row)
            boxes = {identifier.box for identifier in gold.images[cohort.table["image_id"][row]].in_pixels}
            try:
                image = defense.apply(Record({}, original)).image
            except Quarantined:
                quarantined += 1
                continue
            black = (image == 0) & (original != 0)
            for left, top, right, bottom in boxes:
                covered.append(float((image[top:bottom, left:right] == 0).mean() >= 0.98))
                owners.append(cohort.table["patient_id"][row])
                black[top:bottom, left:right] = False
            cost.append(black.mean())
    codes, count = unit_codes(np.array(owners, dtype=object))
    lines = share(np.array(covered), codes, unit_weights(count, seed=0))
    interval = f"95 % interval {lines.low:.1%}-{lines.high:.1%}"
    print(f"{lines.n} lines of {lines.units} patients: {lines.value:.1%} covered, {interval}")
    print(
        f"covered outside the text: {np.mean(cost):.1%} of the image; {quarantined} of {len(cohort)} images quarantined"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 150)
