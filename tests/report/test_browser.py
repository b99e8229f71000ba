"""The page in a real browser: from disk, on a desk and on a phone, with and without JavaScript."""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from medveil.release.questionnaire import LONGEST, LONGEST_SIGNATORY, LONGEST_TEXT, MOST_SIGNATORIES
from medveil.release.recipients import RECIPIENTS
from medveil.report.content import ReportContent
from medveil.report.page import render

sync_api = pytest.importorskip("playwright.sync_api")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.browser, pytest.mark.skipif(BROWSER is None, reason="no Chromium here")]
Written = Callable[[ReportContent], Path]
Opened = Callable[..., "sync_api.Page"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[sync_api.Browser]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: sync_api.Browser) -> Iterator[Opened]:
    """Opens a page from disk; at the end, nothing may have complained or been fetched."""
    troubles: list[str] = []
    contexts = []

    def open_page(path: Path, width: int = 1280, **options: object) -> sync_api.Page:
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: request.url == path.as_uri() or troubles.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def test_the_page_fits_and_shows_its_verdict(sample: ReportContent, written: Written, opened: Opened) -> None:
    page = opened(written(sample))
    for width in (1280, 390, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        heading = page.locator("#verdict-title")
        assert heading.inner_text() == sample.verdict
        box = heading.bounding_box()
        assert box is not None and box["y"] + box["height"] < 900  # seen without scrolling
        beyond = page.evaluate(
            """[...document.querySelectorAll('.mark, .plot text')].map((e) => e.getBoundingClientRect())
               .filter((box) => box.left < 0 || box.right > innerWidth).length"""
        )
        assert beyond == 0


def test_without_javascript_the_page_is_complete(passing: ReportContent, written: Written, opened: Opened) -> None:
    page = opened(written(passing), 390, java_script_enabled=False)
    assert page.locator("#verdict-title").is_visible()
    assert not page.locator("#theme").is_visible()
    assert page.locator(".plot").count() >= 6
    for plot in page.locator(".plot svg.row, .plot svg.field").all():
        box = plot.bounding_box()
        assert box is not None and box["width"] > 120 and box["height"] > 20
    titles = [text.replace("\u00a0", " ") for text in page.locator(".mark > title").all_text_contents()]
    assert any(title.startswith("After, precision@1: 4.1 % (95 % interval") for title in titles)
    page.locator("details:has(table) > summary").first.click()
    assert page.locator("details table").first.is_visible()


def test_the_toggle_changes_the_colours_and_remembers_nothing(
    passing: ReportContent, written: Written, opened: Opened
) -> None:
    page = opened(written(passing), color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Light colours").click()
    light = page.evaluate(ground)
    assert light != dark
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Light colours").click()
    page.reload()
    assert page.evaluate(ground) == dark
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 35, 43)"
    assert not page.locator(".contents").is_visible() and not page.locator("#theme").is_visible()


def test_tooltips_come_by_pointer_and_by_keyboard(passing: ReportContent, written: Written, opened: Opened) -> None:
    page = opened(written(passing))
    tip = page.locator("#tip")
    assert not tip.is_visible()
    page.locator("#attack-pixel-similarity .mark.series-1").first.hover()
    assert "After, precision@1: 4.1" in tip.inner_text().replace("\u00a0", " ")
    page.locator("h1").hover()
    assert not tip.is_visible()
    plot = page.locator("#measure-label-probe .plot").last
    plot.locator(".mark[tabindex='0']").focus()
    first = tip.inner_text()
    page.keyboard.press("ArrowDown")
    assert tip.is_visible() and tip.inner_text() != first
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    page.locator(".term").first.hover()
    assert len(tip.inner_text()) > 20


def test_a_series_can_be_hidden(passing: ReportContent, written: Written, opened: Opened) -> None:
    page = opened(written(passing))
    figure = page.locator("#measure-label-probe .figure").last
    before = figure.locator(".mark.series-0").first
    assert before.is_visible()
    figure.locator(".show-0").uncheck()
    assert not before.is_visible()
    assert figure.locator(".mark.series-1").first.is_visible()


def test_paper_shows_the_closed_tables(passing: ReportContent, written: Written, opened: Opened) -> None:
    page = opened(written(passing))
    page.evaluate("window.opened = 0; addEventListener('beforeprint', () => {"
                  " window.opened = document.querySelectorAll('details[open]').length; })")  # fmt: skip
    assert len(page.pdf(prefer_css_page_size=True)) > 10_000
    assert page.evaluate("window.opened") == page.locator("details:not(.repeats)").count() > 3
    assert page.locator("details[open]").count() == 0


def test_hostile_text_does_nothing(passing: ReportContent, opened: Opened, tmp_path: Path) -> None:
    document = passing.to_json()
    hostile = "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 2'>"
    document["sheet"]["title"] = document["comparisons"][0]["after"]["question"] = hostile
    document["comparisons"][0]["after"]["glossary"] = {hostile: hostile}
    document["comparisons"][2]["after"]["figures"][0]["series"][0]["x"][0] = hostile
    path = tmp_path / "report.html"
    path.write_text(render(document), encoding="utf-8")
    page = opened(path)
    assert page.locator("h1").inner_text() == hostile
    for mark in page.locator("#measure-label-probe .mark").all()[:8]:
        mark.hover(force=True)
    assert page.evaluate("window.harmed") is None


PAGE = re.compile(rb"/Type\s*/Page\b")


def printed(page: sync_api.Page, *, without: str = "") -> int:
    """How many pages of paper; `without` is a selector of what is taken out first."""
    if without:
        page.evaluate("(what) => document.querySelectorAll(what).forEach((each) => each.remove())", without)
    return len(PAGE.findall(page.pdf(prefer_css_page_size=True)))


@pytest.mark.parametrize("filled", ["empty", "usual", "to the limit"])
def test_the_sheet_takes_the_first_two_pages_of_paper_and_the_annex_the_rest(
    filled: str, passing: ReportContent, failing: ReportContent, opened: Opened, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    document = {"empty": failing.to_json, "usual": passing.to_json, "to the limit": lambda: crowded(failing)}[filled]()
    path.write_text(render(document), encoding="utf-8")
    page = opened(path)
    whole = printed(page)
    annex = printed(opened(path), without="#sheet")
    assert printed(page, without=".annex-mark, main > section:not(#sheet)") == 2
    assert whole == 2 + annex, "the annex begins on a page of its own"


def test_the_fullest_sheet_can_be_read_on_a_phone(failing: ReportContent, opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(crowded(failing)), encoding="utf-8")
    page = opened(path, 390)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    outside = """[...document.querySelectorAll('#sheet *, #decision *')].map((e) => e.getBoundingClientRect())
                 .filter((box) => box.width && (box.left < 0 || box.right > innerWidth + 0.5)).length"""
    assert page.evaluate(outside) == 0
    sizes = """[...document.querySelectorAll('#sheet :is(p, li, dd, td, th, blockquote)')]
               .map((e) => parseFloat(getComputedStyle(e).fontSize))"""
    assert min(page.evaluate(sizes)) >= 12.5
    assert page.locator(".results td[data-name='Accepted']").first.is_visible()


def crowded(content: ReportContent) -> dict[str, Any]:
    """A report whose sheet holds as much as the questionnaire lets through, and more of the rest than it shows."""
    document = content.to_json()
    sheet = document["sheet"]
    words = "Wide words, moreover, and so on and on " * 10
    for name in ("title", "data", "purpose", "legal_basis", "conditions", "prepared_by"):
        sheet[name] = words[: LONGEST.get(name, LONGEST_TEXT)]
    sheet["recipient"] |= {"name": words[: LONGEST["recipient_name"]], "means": words[:LONGEST_TEXT]}
    sheet["threshold"] = vars(RECIPIENTS["secure-room"].threshold)
    sheet["signatories"] = [words[:LONGEST_SIGNATORY]] * MOST_SIGNATORIES
    sheet["residual_risk"] = sheet["residual_risk"][:-1] + "; 12 further attacks could not be measured."
    sheet["not_assessed"] = [words] * 12
    files = ["images/5f3a.png"] * 1234
    decision = {"when": "2025-02-01T10:15:00+00:00", "reviewer": words[:100]}
    sheet["decisions"] = [decision | dict.fromkeys(("accepted", "rejected", "changed", "refused"), files)] * 9
    document["remedies"] = [document["remedies"][0] | {"change": words}] * 12
    attack, _, measure = document["comparisons"]
    document["comparisons"] = [copy.deepcopy(attack) | {"part": f"attack-{n}"} for n in range(9)]
    document["comparisons"] += [copy.deepcopy(measure) | {"part": f"measure-{n}"} for n in range(5)]
    return document
