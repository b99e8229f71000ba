"""The errors medveil raises on purpose: what happened, where, and what to do next, in one sentence.

A message may name a path the user typed, a row number or a column, never a value found in the data:
file names inside a folder, identifiers and report text stay out.
"""


class MedveilError(Exception):
    """Something the user can put right; the command line prints it without a traceback and exits with 2."""

    exit_code = 2


class InputError(MedveilError):
    """A file, folder or table that cannot be used as it is."""


class SettingsError(MedveilError):
    """A flag or a settings file that does not make sense."""


class StorageError(MedveilError):
    """Output that could not be written: disk full, no permission."""


class Quarantined(MedveilError):
    """One image or report that could not be read, checked or cleaned, and so must not be released.

    `reason` is a short fixed phrase, the same for every case of its kind, so that it can be counted.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotMeasurable(MedveilError):
    """A cohort on which this attack or measure has nothing to work with, such as one image a patient."""


class NothingToAttack(NotMeasurable):
    """A cohort that holds nothing of what this attack works with: nothing was left untried."""
