"""Rows in a line that was drawn too high: faint print is often found together with what it stands on, a bone, a device.

Which of them is print, if any, is for the evidence to say.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from medveil.defenses.pixels.lines import Line

HEIGHTS = ((0.45, 5), (0.6, 3), (0.75, 3))  # shares of the line's height, and how many rows of each
LONG = 1.6  # heights; in a shorter line there is no row
LOWEST = 7  # pixels of print


def bands_of(line: Line) -> list[Line]:
    """Rows of several heights, from its upper side to its lower."""
    if line.length < LONG * line.height:
        return []
    down = np.array([-line.along[1], line.along[0]]) * line.height
    return [
        replace(line.moved(*(down * place)), height=share * line.height)
        for share, count in HEIGHTS
        if share * line.height >= LOWEST
        for place in np.linspace((share - 1) / 2, (1 - share) / 2, count)
    ]
