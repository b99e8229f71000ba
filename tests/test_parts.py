from __future__ import annotations

import subprocess
import sys


def test_looking_for_defenses_does_not_load_torch() -> None:
    """Every worker of a release does it; in a process of its own, for here torch may be loaded already."""
    code = (
        "import sys; from medveil.parts import registered; found = registered('defenses');"
        "print(sorted(found), 'torch' in sys.modules, 'medveil.defenses.reports.defense' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, loaded, deeper = done.stdout.strip().rsplit(" ", 2)
    assert "headers" in names
    assert (loaded, deeper) == ("False", "True")
