"""Who gets the data: what they have at hand, and how much risk is accepted before them.

A threshold is the highest chance of re-identification, at its upper end. Only the one for a public release
is a regulator's; that the other two go with these recipients is medveil's own choice, and is said wherever they stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from medveil.errors import SettingsError
from medveil.finding import ONE_IN_ELEVEN, Threshold

Kind = Literal["public", "researcher", "secure-room"]

_PRECEDENT = "a precedent that El Emam reports (Guide to the De-Identification of Personal Health Information, 2013)"


@dataclass(frozen=True)
class Recipient:
    """A kind of recipient: what they are called, what they have at hand, and the threshold they are judged by."""

    kind: Kind
    title: str
    means: str
    threshold: Threshold


RECIPIENTS: dict[str, Recipient] = {
    each.kind: each
    for each in (
        Recipient(
            "public",
            "The public",
            "Anybody may copy the data, keep them for ever, join them with anything else, and try as often and with "
            "whatever they like; nobody has promised anything.",
            ONE_IN_ELEVEN,
        ),
        Recipient(
            "researcher",
            "Registered researchers under an agreement",
            "Known by name and bound by a contract not to re-identify or pass on; they hold a copy, on their own "
            "computers, with other data and trained networks beside it.",
            Threshold(
                "0.2 (one in five)",
                0.2,
                f"chosen by medveil for researchers under an agreement, after the rule of groups of five, {_PRECEDENT}",
            ),
        ),
        Recipient(
            "secure-room",
            "People in a secure room",
            "Known by name, bound by a contract and watched; the data stay in the room, nothing is brought in, and "
            "what is taken out is checked.",
            Threshold(
                "0.33 (one in three)",
                0.33,
                f"chosen by medveil for secure rooms, after the rule of groups of three, {_PRECEDENT}",
            ),
        ),
    )
}


def recipient_called(kind: str | None) -> Recipient:
    """The recipient of this kind; where none is stated, the one who may do most."""
    if kind is None:
        return RECIPIENTS["public"]
    if kind not in RECIPIENTS:
        raise SettingsError(f"the recipient is one of {', '.join(RECIPIENTS)}")
    return RECIPIENTS[kind]
