"""The review page: films before and after, for a person to restore, remove, accept or reject. It shows patients."""

from __future__ import annotations

import base64
import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from markupsafe import Markup

from medveil.parts import Box
from medveil.report.page import policy, templates

Piece = tuple[str, bool]  # some text, and whether it differs from the other side
Kind = Literal["painted", "doubtful", "left", "kept"]


@dataclass(frozen=True)
class Region:
    """Something a person decides about: what was painted over, what may be text, what the check still reads as text
    (`left`), or what an earlier review kept.

    `before` and `after` are JPEG files of `around` at full size, where the whole film is shown smaller.
    """

    box: Box
    kind: Kind
    around: Box | None = None
    before: bytes = field(default=b"", repr=False)
    after: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class Shot:
    """One frame of a film, before and after, as JPEG files. Boxes are in its own pixels, whatever size is shown."""

    frame: int
    size: tuple[int, int]  # width, height
    before: bytes = field(repr=False)
    after: bytes = field(repr=False)
    regions: tuple[Region, ...] = ()
    drawn: tuple[Box, ...] = ()  # removed by an earlier review
    asks: bool = False  # whether it is a person's decision that it is released, now or in an earlier review


@dataclass(frozen=True)
class Case:
    """One film with the reports of its study, or a report alone. What is rejected is `file` and `reports` together:
    nobody can tell which of them it was. One that is `withheld` is not in the release unless it is accepted."""

    file: str
    reasons: tuple[str, ...]
    shots: tuple[Shot, ...] = ()
    withheld: bool = False
    acceptable: bool = True  # not, where some of what is doubtful is not shown
    report_before: str = field(default="", repr=False)
    report_after: str = field(default="", repr=False)
    reports: tuple[str, ...] = ()  # the released files these texts are from


def render_review(cases: Sequence[Case], *, title: str, hidden: int, run: str, page: str = "") -> str:
    """One page with every case; `hidden` says how many more there are, `run` ties the decisions to this output, and
    `page` what a browser remembers of them to this page."""
    environment = templates()
    style = environment.get_template("style.css").render() + environment.get_template("review.css").render()
    script = environment.get_template("review.js").render()
    return environment.get_template("review.html").render(
        cases=[(case, *changes(case.report_before, case.report_after)) for case in cases],
        title=title,
        hidden=hidden,
        run=run,
        page=page or run,
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
