"""What would change a reason against PASS, at what cost, and the command that does it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Remedy:
    """`about` names the reason in a few words. The command stands with IN for the originals, OUT for this output and
    NEW for a new folder, since paths may tell of people; it is empty where no command of medveil's would change it."""

    about: str
    reason: str
    change: str
    cost: str = ""
    command: str = ""
