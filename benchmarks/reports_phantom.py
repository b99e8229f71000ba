"""Reports of phantom hospitals, as the tagger's recipe has them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from recipes.tagger.phantom_reports import HELD_OUT_STYLE, phantom_reports

__all__ = ["HELD_OUT_STYLE", "phantom_reports"]
