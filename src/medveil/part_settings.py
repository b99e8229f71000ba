"""What a part can be set to: a frozen dataclass, filled from text such as `pixels:fill=black,margin=3`.

A value is read as its field is annotated: int, float, bool, str, Path, Literal, None, a union or a tuple of these.
A tuple is written by repeating its key (`pools=100,pools=all`), an empty one as `pools=`. A value that holds a comma
stands in double quotes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from medveil.errors import SettingsError

_PAIR = re.compile(r'([^=,"]+)=(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)')
_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")


@dataclass(frozen=True)
class NoSettings:
    """Of a part that has nothing to set."""


class _Written(NamedTuple):
    """A value as it was typed; in quotes it is text and nothing else."""

    text: str
    quoted: bool = False


def settings_class(part: Any) -> type[Any]:
    """The settings that a part declares, or none."""
    found: type[Any] = getattr(part, "Settings", NoSettings)
    return found


def split_name(text: str) -> tuple[str, str]:
    """`name:key=value` as the name and what it is set to."""
    name, _, rest = text.partition(":")
    return name.strip(), rest


def read_text(declared: type[Any], text: str, *, of: str) -> Any:
    """The settings that `key=value,key=value` stands for; `of` names the part in messages."""
    given: dict[str, list[_Written]] = {}
    at = 0
    while at < len(text):
        pair = _PAIR.match(text, at)
        if not pair:
            raise SettingsError(f"settings of {of} are written as key=value,key=value, which {text!r} is not")
        key, quoted, plain = pair.groups()
        value = _Written(plain) if quoted is None else _Written(quoted.replace('""', '"'), quoted=True)
        given.setdefault(_key(key), []).append(value)
        at = pair.end()
    hints = get_type_hints(declared)
    known = [field.name for field in fields(declared)]
    for key in given:
        if key not in known:
            have = f"it has {', '.join(known)}" if known else "it has none"
            raise SettingsError(f"{of} has no setting called {key}; {have}")
    values = {}
    for key, written in given.items():
        try:
            values[key] = _read(hints[key], written)
        except ValueError:
            told = ", ".join(value.text for value in written)
            raise SettingsError(f"{key} of {of} is {words(hints[key])}, not {told!r}") from None
    return declared(**values)


def write_text(settings: Any) -> str:
    """What differs from the defaults, as `read_text` reads it."""
    hints = get_type_hints(type(settings))
    pairs = []
    for field in fields(settings):
        value = getattr(settings, field.name)
        if value != default_of(field):
            pairs += [f"{field.name}={_write_one(each, hints[field.name])}" for each in _several(value)]
    return ",".join(pairs)


def write_table(name: str, table: Mapping[str, Any]) -> str:
    """A table of a TOML file as the same text."""
    pairs = [f"{key}={_write_one(each)}" for key, value in table.items() for each in _several(value)]
    return f"{name}:{','.join(pairs)}" if pairs else name


def to_json(settings: Any) -> dict[str, Any]:
    """Every setting by name, in JSON's own types."""
    return {field.name: _plain(getattr(settings, field.name)) for field in fields(settings)}


def changed(settings: Any) -> tuple[str, ...]:
    """The names of what differs from the defaults."""
    return tuple(field.name for field in fields(settings) if getattr(settings, field.name) != default_of(field))


def described(declared: type[Any]) -> dict[str, dict[str, Any]]:
    """What can be set, in words, and the defaults."""
    hints = get_type_hints(declared)
    return {
        field.name: {"is": words(hints[field.name]), "default": _plain(default_of(field))} for field in fields(declared)
    }


def in_words(value: Any) -> str:
    """A setting's value as a list shows it."""
    return ", ".join(map(_write_one, value)) or "nothing" if isinstance(value, tuple | list) else _write_one(value)


def default_of(field: Field[Any]) -> Any:
    if field.default is not MISSING:
        return field.default
    return field.default_factory() if field.default_factory is not MISSING else MISSING


def words(hint: Any) -> str:
    """What a value of this type looks like."""
    if _alternatives(hint):
        return " or ".join(words(each) for each in get_args(hint))
    if get_origin(hint) is Literal:
        return " or ".join(str(choice) for choice in get_args(hint))
    if get_origin(hint) is tuple:
        return f"{words(get_args(hint)[0])}, any number of times"
    simple = {
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        str: "a text",
        Path: "a path",
        NoneType: "none",
    }
    if hint not in simple:
        raise TypeError(f"settings cannot hold a {hint}")
    return simple[hint]


def _key(text: str) -> str:
    return text.strip().replace("-", "_")


def _alternatives(hint: Any) -> tuple[Any, ...]:
    """The types of a union, None first and text last: everything can be read as text."""
    if get_origin(hint) not in (Union, UnionType):
        return ()
    return tuple(sorted(get_args(hint), key=lambda each: (each is not NoneType, each in (Path, str), each is str)))


def _read(hint: Any, written: list[_Written]) -> Any:
    """The value, or ValueError."""
    for each in _alternatives(hint) or (hint,):
        try:
            if get_origin(each) is tuple:
                several = [] if written == [_Written("")] else written
                return tuple(_read(get_args(each)[0], [value]) for value in several)
            if len(written) == 1:
                return _read_one(each, written[0])
        except ValueError:
            continue
    raise ValueError("fits no type")


def _read_one(hint: Any, value: _Written) -> Any:
    text = value.text
    if hint is str:
        return text
    if hint is Path and text:
        return Path(text)
    if get_origin(hint) is Literal:
        for choice in get_args(hint):
            if str(choice) == text:
                return choice
    if not value.quoted:
        if hint is NoneType and text.lower() == "none":
            return None
        if hint is bool and text.lower() in _TRUE + _FALSE:
            return text.lower() in _TRUE
        if hint is int:
            return int(text)
        if hint is float and math.isfinite(float(text)):
            return float(text)
    raise ValueError("not of this type")


def _several(value: Any) -> tuple[Any, ...]:
    """A tuple's values, one by one; an empty one is told by a value that is not there."""
    if not isinstance(value, tuple | list):
        return (value,)
    return tuple(value) or (_Written(""),)


def _write_one(value: Any, hint: Any = None) -> str:
    if isinstance(value, _Written):
        return value.text
    if value is None or isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    told = hint is not None and isinstance(value, str | Path)  # a file may be called none
    misread = told and not isinstance(_read(hint, [_Written(text)]), str | Path | tuple)
    return '"' + text.replace('"', '""') + '"' if misread or not text or re.search('[",]', text) else text


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
