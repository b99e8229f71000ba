"""The page on which a person says of answers whether they are right: one HTML file, nothing fetched, keys work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from markupsafe import Markup

from medveil.report.page import policy, templates


class Labelled(Protocol):
    """One answer: `item` is what its label is written under."""

    @property
    def item(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def reference(self) -> str: ...
    @property
    def answer(self) -> str: ...


def render_labels(items: Sequence[Labelled], *, title: str) -> str:
    environment = templates()
    style = environment.get_template("style.css").render() + environment.get_template("review.css").render()
    script = environment.get_template("label.js").render()
    return environment.get_template("label.html").render(
        items=items,
        title=title,
        style=Markup(style),  # noqa: S704 - both come with the package and hold no content
        script=Markup(script),  # noqa: S704
        policy=policy(style, script),
    )
