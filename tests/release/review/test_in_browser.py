"""The review from end to end: the page in a real browser, decided with the mouse, downloaded and carried out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pydicom
import pytest

from medveil.person.keys import Keys
from medveil.release.review.carrying_out import carry_out
from medveil.release.review.worst_first import write_review
from medveil.release.verify.run import verify

sync_api = pytest.importorskip("playwright.sync_api")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.browser, pytest.mark.skipif(BROWSER is None, reason="no Chromium here")]
Opened = Callable[[Any], "sync_api.Page"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[sync_api.Browser]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: sync_api.Browser, keys: Keys, tmp_path: Path) -> Iterator[Opened]:
    """Writes the page of an output and opens it from disk; nothing may be fetched, and nothing may complain."""
    troubles: list[str] = []
    context = chromium.new_context(viewport={"width": 1366, "height": 768})  # a laptop's

    def open_page(output: Any) -> sync_api.Page:
        path = tmp_path / "review.html"
        write_review(output.out, output.source, path, keys=keys, most=10)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: request.url == path.as_uri() or troubles.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    context.close()
    assert troubles == []


class Film:
    """One case of the page, pointed at in the film's own pixels."""

    def __init__(self, page: sync_api.Page, file: str) -> None:
        self.page = page
        self.case = page.locator(f'.case[data-file="{file}"]')

    def at(self, x: float, y: float, side: str = "before") -> tuple[float, float]:
        """Where on the screen a pixel of the film is."""
        view = self.case.locator(f".{side} .view")
        view.scroll_into_view_if_needed()
        point = view.evaluate(
            "(view, [x, y]) => { const at = new DOMPoint(x, y).matrixTransform(view.getScreenCTM());"
            " return [at.x, at.y]; }",
            [x, y],
        )
        return point[0], point[1]

    def click(self, box: list[int], side: str = "before") -> None:
        self.page.mouse.click(*self.at((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, side))

    def drag(self, left: int, top: int, right: int, bottom: int) -> None:
        self.page.mouse.move(*self.at(left, top))
        self.page.mouse.down()
        self.page.mouse.move(*self.at((left + right) / 2, (top + bottom) / 2))
        self.page.mouse.move(*self.at(right, bottom))
        self.page.mouse.up()

    def press(self, name: str) -> None:
        self.case.get_by_role("button", name=name, exact=True).click()

    def said(self) -> list[str]:
        return self.case.locator(".said").all_inner_texts()


def seen(film: Film, box: list[int], side: str) -> Any:
    """What the screen shows of a region, without outlines."""
    film.page.evaluate("document.body.classList.add('plain')")
    (left, top), (right, bottom) = film.at(box[0], box[1], side), film.at(box[2], box[3], side)
    png = film.page.screenshot(clip={"x": left, "y": top, "width": right - left, "height": bottom - top})
    film.page.evaluate("document.body.classList.remove('plain')")
    return cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE)


def test_after_shows_what_is_restored_and_nothing_else(dicom: Any, opened: Opened) -> None:
    a = Film(opened(dicom), dicom.places["a"])
    glass, name = dicom.box("a", "FRAGILE GLASS"), dicom.box("a", "PEMBERTON")
    assert seen(a, glass, "before").max() > 200 > seen(a, glass, "after").max()
    a.click(glass)
    assert seen(a, glass, "after").max() > 200 > seen(a, name, "after").max()


def download(page: sync_api.Page, path: Path) -> dict[str, Any]:
    with page.expect_download() as download:
        page.click("#save")
    shutil.copy(download.value.path(), path)
    decisions: dict[str, Any] = json.loads(path.read_text())["decisions"]
    return decisions


def test_a_person_restores_removes_and_accepts_with_the_mouse_and_it_is_done(
    output: Any, opened: Opened, keys: Keys, tmp_path: Path
) -> None:
    page = opened(output)
    a, b, c = (Film(page, output.places[name]) for name in "abc")
    glass, wire = output.box("a", "FRAGILE GLASS"), output.box("b", "WIRE LOOP")
    before = {name: output.released(name) for name in "ac"}

    accept = b.case.get_by_role("button", name="Accept", exact=True)
    assert accept.is_disabled()  # something in it is still to be decided about
    b.click(wire)
    assert b.said()[0] == "text, is removed"
    b.click(wire, "after")
    assert b.said()[0] == "no text, stays"
    accept.click()

    a.click(glass, "after")
    assert "restored" in a.said()
    a.press("Accept")

    c.drag(100, 200, 180, 230)
    assert c.case.locator(".before .drawn rect").count() == 1
    c.drag(20, 20, 60, 40)
    c.click([20, 20, 60, 40])  # taken back
    c.press("Accept")
    assert page.inner_text(".tally") == "3 of 3 decided, 0 rejected"

    decided = download(page, tmp_path / "decisions.json")
    assert decided[output.places["a"]]["frames"] == {"0": {"keep": [glass], "remove": [], "accept": False}}
    assert decided[output.places["b"]]["frames"] == {"0": {"keep": [wire], "remove": [], "accept": True}}
    (drawn,) = decided[output.places["c"]]["frames"]["0"]["remove"]
    assert np.abs(np.subtract(drawn, [100, 200, 180, 230])).max() <= 2

    done = carry_out(output.out, tmp_path / "decisions.json", keys=keys, source=output.source, workers=1)
    assert done.exit_code == 0 and done.released == (output.places["b"],)
    assert len(done.changed) == 3 and output.is_released("b")
    for name, box in (("a", glass), ("c", drawn)):
        changed = before[name] != output.released(name)
        inside = changed[box[1] : box[3], box[0] : box[2]]
        assert inside.any() and changed.sum() == inside.sum()
    outcome = verify(output.out, output.source, keys=keys, workers=1)
    assert outcome.leaks == 0 and outcome.kept_by_review


@pytest.mark.slow
def test_on_a_phantom_the_name_stays_removed_and_what_was_drawn_goes(
    phantom: Any, opened: Opened, keys: Keys, tmp_path: Path
) -> None:
    page = opened(phantom)
    first, second = (Film(page, file) for file in list(phantom.places)[:2])
    for region in first.case.locator("li[data-region] button", has_text="Restore").all():
        region.click()
    first.press("Accept")
    second.drag(100, 120, 130, 140)
    second.press("Accept")
    decided = download(page, tmp_path / "decisions.json")
    restored, drawn = list(phantom.places)[:2]
    assert decided[restored]["frames"]["0"]["keep"]
    before = phantom.released(drawn)
    done = carry_out(phantom.out, tmp_path / "decisions.json", keys=keys, source=phantom.source, workers=1)
    assert (done.exit_code, done.refused, done.changed) == (1, (restored,), (drawn,))
    assert (before != phantom.released(drawn))[122:138, 102:128].mean() > 0.5
    assert verify(phantom.out, phantom.source, keys=keys, workers=1).leaks == 0


def test_what_the_check_still_reads_can_be_let_stay(dicom: Any, opened: Opened, keys: Keys, tmp_path: Path) -> None:
    picture = pydicom.dcmread(dicom.source / "c.dcm")
    pixels = picture.pixel_array.copy()
    cv2.putText(pixels, "ACME GRID", (20, 60), cv2.FONT_HERSHEY_SIMPLEX, 0.9, 200, 2)  # which the cleaner does not see
    picture.PixelData = pixels.tobytes()
    picture.save_as(dicom.source / "c.dcm")
    dicom.repeat()
    assert verify(dicom.out, dicom.source, keys=keys, workers=1).leaks
    page = opened(dicom)
    c = Film(page, dicom.places["c"])
    assert set(c.said()) == {"still read as text"}
    for keep in c.case.get_by_role("button", name="Keep", exact=True).all():
        keep.click()
    c.press("Accept")
    download(page, tmp_path / "decisions.json")
    done = carry_out(dicom.out, tmp_path / "decisions.json", keys=keys, source=dicom.source, workers=1)
    assert done.exit_code == 0
    assert json.loads((dicom.out / "verify.json").read_text())["leaks"] == 0


def test_keys_undo_notes_and_a_reload(dicom: Any, opened: Opened, tmp_path: Path) -> None:
    page = opened(dicom)
    a, b, c = (Film(page, dicom.places[name]) for name in "abc")
    for key in "j11a":  # the doubtful region is text, no, none; accept
        page.keyboard.press(key)
    assert b.said()[0] == "no text, stays" and b.case.get_attribute("data-decided") == "accept"
    page.keyboard.press("1")  # the next one: restored
    assert "restored" in a.said()
    page.keyboard.press("u")
    assert "restored" not in a.said()
    page.keyboard.press("r")
    c.case.locator("textarea").fill("jar of nails, see the log")
    c.drag(100, 200, 180, 230)
    assert page.inner_text(".tally") == "2 of 3 decided, 1 rejected, 1 changed and not accepted"
    page.reload()
    assert page.inner_text(".tally") == "2 of 3 decided, 1 rejected, 1 changed and not accepted"
    assert c.case.locator("textarea").input_value() == "jar of nails, see the log"
    assert c.case.locator(".after .drawn rect").count() == 1
    b.click(dicom.box("b", "WIRE LOOP"))  # a new question
    assert b.case.get_attribute("data-decided") == ""
    decided = download(page, tmp_path / "decisions.json")
    assert {file: one["decision"] for file, one in decided.items()} == {dicom.places["a"]: "reject"}


def test_a_film_is_zoomed_moved_and_decided_about_there(dicom: Any, opened: Opened) -> None:
    page = opened(dicom)
    a = Film(page, dicom.places["a"])
    views = a.case.locator(".view")
    whole = views.first.get_attribute("viewBox")
    a.case.get_by_role("button", name="Look closer at region 1").click()
    close = views.first.get_attribute("viewBox")
    assert close != whole and views.last.get_attribute("viewBox") == close
    a.click(dicom.box("a", "FRAGILE GLASS"))
    assert "restored" in a.said()
    a.press("Move")
    a.drag(90, 90, 60, 60)
    assert views.first.get_attribute("viewBox") != close
    assert a.case.locator(".drawn rect").count() == 0
    a.press("Whole film")
    assert views.first.get_attribute("viewBox") == whole
    for width in (1366, 1024, 390):
        page.set_viewport_size({"width": width, "height": 768})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
