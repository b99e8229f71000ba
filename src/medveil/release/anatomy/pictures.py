"""Films before and after, side by side, for those who may see them."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from medveil.finding import Picture

SIDE, GAP = 160, 4  # pixels


def before_and_after(rows: Mapping[str, NDArray[np.uint8]]) -> Picture:
    """One row of small films a name; the same film stands in the same column."""
    most = max(len(films) for films in rows.values())
    size = most * (SIDE + GAP) - GAP, len(rows) * (SIDE + GAP) - GAP
    sheet = Image.new("L", size, 255)
    for at, films in enumerate(rows.values()):
        for place, film in enumerate(films):
            small = (
                Image.fromarray(np.ascontiguousarray(film)).convert("L").resize((SIDE, SIDE), Image.Resampling.LANCZOS)
            )
            sheet.paste(small, (place * (SIDE + GAP), at * (SIDE + GAP)))
    content = BytesIO()
    sheet.save(content, "PNG", optimize=True)
    names = "; ".join(rows)
    return Picture(
        "Films before and after",
        content.getvalue(),
        f"Rows of small films, from above: {names}",
        f"From above: {names}.",
    )
