"""De-identification of a folder: headers, pixels and reports, one identity for a person throughout."""

from medveil.release.clean.run import DeidOutcome, deidentify
from medveil.release.clean.settings import DeidSettings

__all__ = ["DeidOutcome", "DeidSettings", "deidentify"]
