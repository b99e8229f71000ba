"""Can this be released? Clean, attack before and after, measure before and after, check, report.

Start in `run.py` (`release`). `clean` is the engine that removes identifiers, `examine.py` brings attacks and measures
to what came out (`released.py`), `verify` checks it, and `medveil.report` writes it down with its `provenance.py`.
`attack_identity.py` and `attack_linkage.py` run one attack on its own; `protect` is the same question for a model, and
`protect_anatomy.py` hides the body on films alone, or finds out in `anatomy` what that costs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medveil.release.run import Outcome, release
    from medveil.release.settings import Settings

__all__ = ["Outcome", "Settings", "release"]

_HOMES = {"Outcome": "run", "Settings": "settings", "release": "run"}


def __getattr__(name: str) -> Any:
    """Loaded when asked for: what works on arrays alone needs neither tables nor pictures."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
