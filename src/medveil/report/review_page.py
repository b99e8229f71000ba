"""The review page: before and after, worst first, for a person to accept or reject. It shows patients."""

from __future__ import annotations

import base64
import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from medveil.report.page import policy, templates

Box = tuple[int, int, int, int]
Piece = tuple[str, bool]  # some text, and whether it differs from the other side


@dataclass(frozen=True)
class Case:
    """One released image with the reports of its study, or a report alone. Boxes are (left, top, right, bottom) in
    percent of the image. What is rejected is `file` and `reports` together: nobody can tell which of them it was."""

    file: str
    reasons: tuple[str, ...]
    before: bytes = field(default=b"", repr=False)  # a JPEG file; none where there is no image
    after: bytes = field(default=b"", repr=False)
    removed: tuple[tuple[float, float, float, float], ...] = ()
    left: tuple[tuple[float, float, float, float], ...] = ()
    report_before: str = field(default="", repr=False)
    report_after: str = field(default="", repr=False)
    reports: tuple[str, ...] = ()  # the released files these texts are from


def render_review(cases: Sequence[Case], *, title: str, hidden: int, run: str) -> str:
    """One page with every case; `hidden` says how many more there are, `run` ties the decisions to this output."""
    environment = templates()
    style = environment.get_template("style.css").render() + environment.get_template("review.css").render()
    script = environment.get_template("review.js").render()
    return environment.get_template("review.html").render(
        cases=[(case, *changes(case.report_before, case.report_after)) for case in cases],
        title=title,
        hidden=hidden,
        run=run,
        picture=_picture,
        style=Markup(style),  # noqa: S704 - both come with the package and hold no content
        script=Markup(script),  # noqa: S704
        policy=policy(style, script),
    )


def changes(before: str, after: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces, those that differ marked; compared word by word."""
    old, new = _words(before), _words(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    left: list[Piece] = []
    right: list[Piece] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if a < b:
            left.append(("".join(old[a:b]), kind != "equal"))
        if c < d:
            right.append(("".join(new[c:d]), kind != "equal"))
    return left, right


def _words(text: str) -> list[str]:
    words: list[str] = []
    for character in text:
        if words and character.isalnum() and words[-1][-1].isalnum():
            words[-1] += character
        else:
            words.append(character)
    return words


def _picture(jpeg: bytes) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode()
