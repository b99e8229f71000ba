"""What was left out of the attack, and why: counted in the finding, listed for the steward alone."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from medveil.attacks.identity.copies import Copies
from medveil.attacks.identity.embedded_images import EmbeddedImages
from medveil.finding import Table
from medveil.runtime.storage import write_bytes

EXACT = "exact copy of another image"
NEAR = "near copy of another image (saved anew, resized, cropped or with other grays)"


def set_aside_table(counts: dict[str, int], copies: Copies) -> list[Table]:
    """Images by reason; no table where nothing was set aside."""
    rows = [*counts.items(), (EXACT, copies.exact), (NEAR, copies.near)]
    kept = tuple((reason, images) for reason, images in rows if images)
    return [Table("Set aside before the attack", ("reason", "images"), kept)] if kept else []


def write_set_aside(embedded: list[EmbeddedImages], path: Path) -> None:
    """As CSV, by cohort and row of its table (from 1), readable by its owner only."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("cohort", "row", "reason"))
    for name, seen in zip("AB", embedded, strict=False):
        writer.writerows((name, row + 1, reason) for row, reason in sorted(seen.set_aside.items()))
    write_bytes(path, text.getvalue().encode(), private=True)
