"""The options of the Basic Profile, in the standard's words and with the standard's codes (PS3.16 CID 7050)."""

from __future__ import annotations

import re
from enum import Enum

from medveil.errors import SettingsError

BASIC_CODE = "113100"
BASIC_MEANING = "Basic Application Confidentiality Profile"


class Option(Enum):
    """The code and its meaning."""

    CLEAN_PIXEL_DATA = ("113101", "Clean Pixel Data Option")
    CLEAN_RECOGNIZABLE = ("113102", "Clean Recognizable Visual Features Option")
    CLEAN_GRAPHICS = ("113103", "Clean Graphics Option")
    CLEAN_STRUCTURED = ("113104", "Clean Structured Content Option")
    CLEAN_DESCRIPTORS = ("113105", "Clean Descriptors Option")
    FULL_DATES = ("113106", "Retain Longitudinal Temporal Information Full Dates Option")
    MODIFIED_DATES = ("113107", "Retain Longitudinal Temporal Information Modified Dates Option")
    PATIENT_CHARACTERISTICS = ("113108", "Retain Patient Characteristics Option")
    DEVICE_IDENTITY = ("113109", "Retain Device Identity Option")
    UIDS = ("113110", "Retain UIDs Option")
    SAFE_PRIVATE = ("113111", "Retain Safe Private Option")
    INSTITUTION_IDENTITY = ("113112", "Retain Institution Identity Option")

    @property
    def code(self) -> str:
        return str(self.value[0])

    @property
    def meaning(self) -> str:
        return str(self.value[1])

    @classmethod
    def named(cls, words: str) -> Option:
        """By its meaning, with or without the word Option, or by its code."""
        wanted = _plain(words)
        for option in cls:
            if wanted in (_plain(option.meaning), option.code):
                return option
        known = ", ".join(option.meaning.removesuffix(" Option") for option in cls)
        raise SettingsError(f"{words!r} is not an option of the Basic Profile; choose from {known}")


NOT_DONE = frozenset({Option.CLEAN_RECOGNIZABLE})  # no part of medveil can: a profile may ask, but no file claims it
RETAINING = frozenset(option for option in Option if option.meaning.startswith("Retain"))
BY_CODE = {option.code: option for option in Option}


def _plain(words: str) -> str:
    """Without case, punctuation and the words the standard itself uses or leaves out."""
    return " ".join(word for word in re.findall(r"[a-z0-9]+", words.lower()) if word not in {"option", "with"})
