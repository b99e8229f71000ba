"""The sheet of a release: filled from the questionnaire, the settings and the reviews, and brought up to date later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from medveil.release.clean.reviewed import Reviewed
from medveil.release.questionnaire import Questionnaire
from medveil.release.recipients import recipient_called
from medveil.release.settings import Settings
from medveil.report.page import JSON_NAME, write_document
from medveil.report.sheet import ReviewSession, Sheet


def sheet_of(questionnaire: Questionnaire, settings: Settings, reviewed: Reviewed) -> Sheet:
    recipient = recipient_called(settings.recipient)
    return Sheet(
        questionnaire,
        recipient=recipient.kind,
        recipient_title=recipient.title,
        recipient_stated=settings.recipient is not None,
        assumed_means=recipient.means,
        threshold=settings.accepted,
        decisions=decisions_of(reviewed),
    )


def decisions_of(reviewed: Reviewed) -> tuple[ReviewSession, ...]:
    """The reviews that were carried out: who decided what, and when."""
    return tuple(
        ReviewSession(
            str(session["when"]),
            str(session.get("reviewer", "")),
            **{name: tuple(session.get(name, ())) for name in ("accepted", "rejected", "changed", "refused")},
        )
        for session in reviewed.sessions
    )


def bring_up_to_date(out: Path, sheet: Sheet, *, decisions_only: bool) -> None:
    """Write the report of a finished run anew where people have since stated or decided something else."""
    stated = sheet.stated()
    _rewrite(out, {"decisions": stated["decisions"]} if decisions_only else stated)


def note_decisions(out: Path, reviewed: Reviewed) -> None:
    """The same after a review, where the output is that of a release."""
    if (out / JSON_NAME).exists():
        _rewrite(out, {"decisions": [each.to_json() for each in decisions_of(reviewed)]})


def _rewrite(out: Path, stated: dict[str, Any]) -> None:
    document = json.loads((out / JSON_NAME).read_bytes())
    stated = json.loads(json.dumps(stated))  # lists where Python has tuples
    sheet = document.get("sheet")
    if sheet is not None and any(sheet.get(name) != value for name, value in stated.items()):
        write_document({**document, "sheet": {**sheet, **stated}}, out)
