"""Can this be released? Clean, attack before and after, measure before and after, check, report.

Start in `run.py` (`release`). `clean` is the engine that removes identifiers, `examine.py` brings attacks and measures
to what came out (`released.py`), `verify` checks it, and `medveil.report` writes it down with its `provenance.py`.
`attack_identity.py` and `attack_linkage.py` run one attack on its own; `protect` is the same question for a model.
"""

from medveil.release.run import Outcome, release
from medveil.release.settings import Settings

__all__ = ["Outcome", "Settings", "release"]
