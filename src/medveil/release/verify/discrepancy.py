"""`Discrepancy`: one thing that is not as it should be, told without the value itself."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import Any

KEPT = "kept"
BY_REVIEW = "kept by review"


@dataclass(frozen=True, order=True)
class Discrepancy:
    """A row of the discrepancy table.

    `file` is the released file's own name or, where there is none, the pseudonym it should have had; `place` a tag
    path, a box or characters [start, end); `action` what should have happened there. `expected` and `found` are fixed
    phrases: the value might identify someone.
    """

    file: str
    check: str
    place: str
    action: str
    expected: str
    found: str

    @property
    def leak(self) -> bool:
        """Whether it may identify someone."""
        return self.expected not in (KEPT, BY_REVIEW)

    @property
    def loss(self) -> bool:
        """Whether something is gone that should have stayed. What a person let stay is neither."""
        return self.expected == KEPT

    def to_json(self) -> dict[str, str]:
        return {field.name: str(value) for field, value in zip(fields(self), astuple(self), strict=True)}

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Discrepancy:
        return cls(**entry)
