"""What a part can be set to: a frozen dataclass of its own."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class NoSettings:
    """Of a part that has nothing to set."""


def settings_class(part: Any) -> type[Any]:
    """The settings that a part declares, or none."""
    found: type[Any] = getattr(part, "Settings", NoSettings)
    return found


def to_json(settings: Any) -> dict[str, Any]:
    """Every setting by name, in JSON's own types."""
    return {field.name: _plain(getattr(settings, field.name)) for field in fields(settings)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
