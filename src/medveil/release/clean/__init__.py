"""The one engine of `deid` and `release`: source, people, subjects, ordered defenses, writer. Start at `engine`.

`groups` and `people` say what belongs together and what is known of whom, `cleaning` takes a group through it,
`dicom_writer` and `table_writer` write what comes out, `run` does all of it, `records` and `summary` tell of it.
"""

from medveil.release.clean.engine import Engine
from medveil.release.clean.run import DeidOutcome, deidentify
from medveil.release.clean.settings import deid_defenses

__all__ = ["DeidOutcome", "Engine", "deid_defenses", "deidentify"]
