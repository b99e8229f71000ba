"""A gallery for k-same averages: one film of each of NIH's training patients.

python -m recipes.anatomy.baselines_gallery PACKED/nih.npz GALLERY
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from medveil.defenses.anatomy.baselines.k_same import gallery_of, save_gallery
from recipes.films import unpacked


def main() -> None:
    packed = np.load(Path(sys.argv[1]))
    rows = np.flatnonzero(packed["split"] == "train")
    first = rows[np.sort(np.unique(packed["patients"][rows], return_index=True)[1])]
    films = unpacked(packed["bytes"], packed["ends"])[first]
    save_gallery(Path(sys.argv[2]), gallery_of(list(films)))
    print(len(films), "films")


if __name__ == "__main__":
    main()
