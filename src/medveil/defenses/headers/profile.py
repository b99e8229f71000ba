"""What to do with headers, as a short TOML or YAML file in the standard's own words.

    options = ["Clean Pixel Data", "Clean Descriptors", "Retain Patient Characteristics",
               "Retain Longitudinal Temporal Information Modified Dates"]

    [attributes]            # exceptions, by keyword or tag, to one of the actions D, Z, X, K, C, U
    StationName = "K"
    "(0018,1030)" = "X"

With the option Retain Safe Private, `safe_private` may add to the standard's own list: a private creator, or one
element of it such as "ACME 1.1 (0019,xx05)".
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydicom.datadict import tag_for_keyword

from medveil.defenses.headers.options import Option
from medveil.defenses.headers.table import table
from medveil.errors import SettingsError

ACTIONS = ("D", "Z", "X", "K", "C", "U")
_WORDS = ("options", "attributes", "safe_private")
_TAG = re.compile(r"\(?([0-9A-Fa-f]{4}),\s*([0-9A-Fa-f]{4})\)?")
_PRIVATE_TAG = re.compile(r"(.+?)\s*\(([0-9A-Fa-f]{3}[13579BDFbdf]),xx([0-9A-Fa-f]{2})\)")


@dataclass(frozen=True)
class Profile:
    """The Basic Profile with these options. `safe_private` holds (creator, group, element) or (creator, 0, 0)."""

    options: frozenset[Option] = frozenset()
    attributes: Mapping[int, str] = field(default_factory=dict)
    safe_private: frozenset[tuple[str, int, int]] = frozenset()

    def __post_init__(self) -> None:
        if {Option.FULL_DATES, Option.MODIFIED_DATES} <= self.options:
            raise SettingsError("dates are retained either in full or modified; choose one of the two options")
        if self.safe_private and Option.SAFE_PRIVATE not in self.options:
            raise SettingsError("safe_private needs the option Retain Safe Private; add it, or take the list out")

    @classmethod
    def default(cls) -> Profile:
        return cls(
            frozenset(
                {
                    Option.CLEAN_PIXEL_DATA,
                    Option.CLEAN_DESCRIPTORS,
                    Option.MODIFIED_DATES,
                    Option.PATIENT_CHARACTERISTICS,
                }
            )
        )

    @classmethod
    def read(cls, path: Path) -> Profile:
        """The profile in a .toml, .yaml or .yml file."""
        return cls.of(_content(path))

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Profile:
        """From the words of such a file."""
        unknown = [word for word in content if word not in _WORDS]
        if unknown:
            raise SettingsError(f"{unknown[0]!r} means nothing in a profile; use {', '.join(_WORDS)}")
        options = [Option.named(words) for words in _texts(content, "options")]
        attributes = content.get("attributes", {})
        if not isinstance(attributes, dict):
            raise SettingsError("attributes is a table of keyword and action, such as StationName = 'K'")
        return cls(
            frozenset(options),
            {_tag(str(name)): _action(str(name), action) for name, action in attributes.items()},
            frozenset(_private(words) for words in _texts(content, "safe_private")),
        )

    def told(self) -> dict[str, Any]:
        """In the words of such a file."""
        return {
            "options": sorted(option.meaning for option in self.options),
            "attributes": {_written(tag): action for tag, action in sorted(self.attributes.items())},
            "safe_private": [_private_written(*one) for one in sorted(self.safe_private)],
        }

    @property
    def moves_dates(self) -> bool:
        """Whether dates in reports have to move: not where those in headers stay as they are."""
        return Option.FULL_DATES not in self.options

    @property
    def weakened(self) -> bool:
        """Whether an exception keeps or only cleans what the table would remove, empty or replace."""
        rows = ((table().find(tag), action) for tag, action in self.attributes.items())
        return any(row is not None and action in ("K", "C") and not self._allows(row.options) for row, action in rows)

    def _allows(self, options: Mapping[Option, str]) -> bool:
        return any(option in self.options for option in options)


def _content(path: Path) -> dict[str, Any]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise SettingsError(f"the profile {path} cannot be read; give a TOML or YAML file") from None
    suffix = Path(path).suffix.lower()
    if suffix not in (".toml", ".yaml", ".yml"):
        raise SettingsError(f"the profile {path} must end in .toml, .yaml or .yml")
    try:
        content = tomllib.loads(text) if suffix == ".toml" else _yaml(text)
    except ValueError:
        raise SettingsError(f"the profile {path} is not well-formed {suffix[1:].upper()}; correct it") from None
    if not isinstance(content, dict):
        raise SettingsError(f"the profile {path} holds no settings; start with options = [...]")
    return content


def _yaml(text: str) -> Any:
    import yaml  # type: ignore[import-untyped]

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError from None


def _texts(content: Mapping[str, Any], word: str) -> list[str]:
    texts = content.get(word, [])
    if not isinstance(texts, list) or not all(isinstance(text, str | int) for text in texts):
        raise SettingsError(f"{word} is a list of names, such as {word} = ['...']")
    return [str(text) for text in texts]


def _tag(name: str) -> int:
    match = _TAG.fullmatch(name)
    if match and int(match[1], 16) % 2 == 0:
        return int(match[1] + match[2], 16)
    known = {row.keyword: tag for tag, row in table().single.items()}
    tag = known.get(name) or tag_for_keyword(name)
    if tag is None:
        raise SettingsError(
            f"{name!r} is not an attribute of the standard; give its keyword, or its tag as (gggg,eeee)"
        )
    return int(tag)


def _action(name: str, action: Any) -> str:
    if action not in ACTIONS:
        raise SettingsError(f"{name} is given an action that does not exist; choose from {', '.join(ACTIONS)}")
    return str(action)


def _private(words: str) -> tuple[str, int, int]:
    match = _PRIVATE_TAG.fullmatch(words.strip())
    if match:
        return match[1], int(match[2], 16), int(match[3], 16)
    return words.strip(), 0, 0


def _written(tag: int) -> str:
    return f"({tag >> 16:04X},{tag & 0xFFFF:04X})"


def _private_written(creator: str, group: int, element: int) -> str:
    return f"{creator} ({group:04X},xx{element:02X})" if group else creator
