"""Why a site does not do what it is asked: fixed words, so that nothing of its data is in them."""

from __future__ import annotations

from medveil.errors import MedveilError

REFUSALS = {
    "plan": "has approved another plan",
    "version": "runs another version of medveil",
    "approval": "has not shown that it approved the plan",
    "order": "was asked for a round that is over, or again with another model",
    "opened": "has already opened the sum of this round for other sites",
    "protocol": "was shown something in the secure sum that it does not accept",
    "budget": "has spent its privacy budget",
    "not-finite": "got numbers in training that are not finite, and sent nothing; a smaller learning rate helps",
    "shape": "sent an update of another size or with numbers that are not finite; it was not counted",
    "data": "cannot train on its data under this plan",
    "disk": "cannot write to its disk",
    "failed": "stopped at a failure that medveil does not know",
}
FOR_GOOD = {"plan", "version", "approval", "budget"}  # asking again does not help


class Refusal(MedveilError):
    """A site declines; `code` is one of `REFUSALS`."""

    def __init__(self, code: str) -> None:
        super().__init__(f"this site {REFUSALS[code]}")
        self.code = code
