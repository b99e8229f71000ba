"""The questionnaire: what only people know of a release, from a short TOML file. Nothing in it is required."""

from __future__ import annotations

import datetime as dt
import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from medveil.errors import SettingsError
from medveil.release.recipients import RECIPIENTS
from medveil.report.sheet import Answers

LONGEST = {"title": 100, "recipient_name": 120, "prepared_by": 120}  # characters: the sheet has two pages
LONGEST_TEXT, LONGEST_SIGNATORY, MOST_SIGNATORIES = 280, 60, 3


@dataclass(frozen=True)
class Questionnaire(Answers):
    """The answers in a file. `recipient` is public, researcher or secure-room."""

    @classmethod
    def read(cls, path: Path) -> Questionnaire:
        """As written in the file; a key that is not asked for is refused, for it may be a typing error."""
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError:
            raise SettingsError(f"{path} cannot be read; check the path") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError(f"{path} is not valid TOML: {error}") from None
        asked = [field.name for field in fields(cls)]
        strange = [name for name in content if name not in asked]
        if strange:
            raise SettingsError(
                f"{path} answers what is not asked: {', '.join(strange)}; choose from {', '.join(asked)}"
            )
        return cls(**{name: _answer(name, value, f"{path}: ") for name, value in content.items()})


def questionnaire_of(
    path: Path | None, *, title: str | None = None, recipient: str | None = None
) -> Questionnaire | None:
    """The answers in the file, with what was given beside it counting more; nothing where neither was given."""
    if path is None and not title and recipient is None:
        return None
    read = Questionnaire.read(path) if path else Questionnaire()
    given = {"title": title or "", "recipient": recipient or ""}
    return replace(read, **{name: _answer(name, value, "--") for name, value in given.items() if value})


def _answer(name: str, value: Any, where: str) -> Any:
    if name == "signatories":
        return _signatories(value, where)
    if name == "next_review":
        return _date(value, where)
    told = _text(name, value, LONGEST.get(name, LONGEST_TEXT), where)
    if name == "recipient" and told and told not in RECIPIENTS:
        raise SettingsError(f"{where}recipient is one of {', '.join(RECIPIENTS)}")
    return told


def _text(name: str, value: Any, longest: int, where: str) -> str:
    if not isinstance(value, str):
        raise SettingsError(f'{where}{name} is a text; write it as {name} = "…"')
    told = " ".join(value.split())
    if not told.isprintable():
        raise SettingsError(f"{where}{name} holds characters that cannot be printed; write it anew")
    if len(told) > longest:
        raise SettingsError(
            f"{where}{name} has {len(told):,} characters and the sheet has room for {longest}; shorten it"
        )
    return told


def _signatories(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MOST_SIGNATORIES:
        raise SettingsError(f"{where}signatories is a list of at most {MOST_SIGNATORIES} names or functions")
    told = (_text("a signatory", each, LONGEST_SIGNATORY, where) for each in value)
    return tuple(each for each in told if each)


def _date(value: Any, where: str) -> str:
    """As TOML knows dates, or as a text of the same form."""
    if value == "":
        return ""
    try:
        if isinstance(value, str):
            value = dt.date.fromisoformat(value)
        if type(value) is not dt.date:
            raise ValueError
    except ValueError:
        raise SettingsError(f"{where}next_review is a date such as 2027-11-01") from None
    return value.isoformat()
