"""Makes the recipes importable where a benchmark is run as a script; to be imported before they are."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
