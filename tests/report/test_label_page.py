"""The page on which answers are labelled, as text and in a real browser."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from medveil.report.label_page import render_labels
from medveil.utility.vqa.experiment.labels import read_labels

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@dataclass(frozen=True)
class One:
    item: str
    question: str = "Is there an <effusion>?"
    reference: str = "no"
    answer: str = "</dd><script>alert(1)</script>"


ITEMS = [One("aaaa"), One("bbbb", "Where?", "left", "  "), One("cccc", "How many?", "2", "two")]


def test_what_is_shown_is_escaped_and_nothing_is_loaded() -> None:
    text = render_labels(ITEMS, title="A <sample>")
    assert "&lt;script&gt;alert" in text and text.count("<script>") == 1 and "<sample>" not in text
    assert "(nothing)" in text
    assert not re.search(r"(src|href)=\"(?!data:|#)", text) and 'style="' not in text


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    path = tmp_path / "labels.html"
    path.write_text(render_labels(ITEMS, title="A <sample>"))
    troubles: list[str] = []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        shown = browser.new_context(viewport={"width": 1000, "height": 700}, accept_downloads=True).new_page()
        shown.on("console", lambda message: troubles.append(message.text))
        shown.on("pageerror", lambda error: troubles.append(str(error)))
        shown.on("request", lambda each: each.url.startswith(("file:", "blob:")) or troubles.append(each.url))
        shown.goto(path.as_uri())
        yield shown
        browser.close()
    assert troubles == []


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
def test_labels_are_given_by_keyboard_and_downloaded(page: Any, tmp_path: Path) -> None:
    done = page.locator("#done")
    assert done.inner_text() == "0"
    page.keyboard.press("1")  # the first one
    page.keyboard.press("0")
    assert done.inner_text() == "2"
    page.keyboard.press("k")  # back to the second
    assert page.evaluate("document.activeElement.dataset.item") == "bbbb"
    page.keyboard.press("u")
    assert done.inner_text() == "1"
    page.keyboard.press("1")
    page.locator("[data-item=cccc]").get_by_role("button", name="Wrong").click()
    pressed = page.locator("[aria-pressed=true]").evaluate_all("all => all.map((one) => one.dataset.label)")
    assert pressed == ["1", "1", "0"]
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download labels").click()
    waiting.value.save_as(tmp_path / "labels.csv")
    assert read_labels(tmp_path / "labels.csv") == {"aaaa": 1.0, "bbbb": 1.0, "cccc": 0.0}
    page.reload()
    assert page.locator("#done").inner_text() == "3", "the browser remembers"
    for width in (1000, 360):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
