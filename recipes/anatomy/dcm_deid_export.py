"""The networks of DCM-DeID as they ship: large weights in eight bits.

python -m recipes.anatomy.dcm_deid_export FILE SMALL
"""

from __future__ import annotations

import sys
from pathlib import Path

from medveil.defenses.anatomy.dcm_deid.model_file import load_networks, save_networks


def main() -> None:
    source, target = map(Path, sys.argv[1:3])
    save_networks(target, load_networks(source), small=True)
    print(f"{target}: {target.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
