"""The pictures of the documentation, from a finished demonstration:

medveil demo --out medveil-demo
python docs/pictures.py medveil-demo
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import cv2
import numpy as np

from medveil.cohort import Cohort
from medveil.cohort.preprocess import resize, to_8_bit
from medveil.person.keys import Keys
from medveil.release.anatomy.pictures import before_and_after

IMAGES = Path(__file__).parent / "images"
PATIENTS, SIDE, GAP = 4, 300, 6
SEED, SHOWN, SMALL = 7, 8, 160  # of the demonstration; films before and after, and pixels of each
LEVELS = 64  # gray levels: fewer make a smaller file


def draw_phantoms(hospital: Path, target: Path) -> None:
    """Two visits, one below the other, of patients whose films are all PA."""
    cohort = Cohort.open(hospital)
    frontal = cohort.table.groupby("patient_id", sort=False)["view"].agg(list)
    chosen = [patient for patient, views in frontal.items() if views[:2] == ["PA", "PA"]][:PATIENTS]
    columns = []
    for patient in chosen:
        rows = np.flatnonzero(cohort.table["patient_id"] == patient)[:2]
        films = [resize(to_8_bit(cohort.image(int(row))), SIDE) for row in rows]
        gap = np.full((GAP, SIDE), 255, np.uint8)
        columns += [np.vstack([films[0], gap, films[1]]), np.full((2 * SIDE + GAP, GAP), 255, np.uint8)]
    sheet = np.hstack(columns[:-1])
    step = 256 // LEVELS
    cv2.imwrite(str(target), sheet // step * step + step // 2, [cv2.IMWRITE_PNG_COMPRESSION, 9])


def draw_protected(demo: Path, target: Path) -> None:
    """Films above, and below them what the protected release has in their place."""
    keys = Keys.for_demonstration(SEED)
    before, after = Cohort.open(demo / "hospital"), Cohort.open(demo / "protected" / "data")
    released = {Path(path).stem: row for row, path in enumerate(after.table["path"])}
    found = ((row, released.get(keys.pseudonym("image", image))) for row, image in enumerate(before.table["image_id"]))
    pairs = [(row, there) for row, there in found if there is not None][:: max(1, len(released) // SHOWN)][:SHOWN]
    rows = {
        "before": np.stack([resize(to_8_bit(before.image(row)), SMALL) for row, _ in pairs]),
        "after": np.stack([resize(after.image(there), SMALL) for _, there in pairs]),
    }
    target.write_bytes(before_and_after(rows).png)


def photograph_report(page: Path, target: Path) -> None:
    """The top of the page, as a browser of 1200 pixels shows it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme="light")
        tab.goto(page.resolve().as_uri())
        tab.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    demo = Path(sys.argv[1])
    draw_phantoms(demo / "hospital", IMAGES / "phantom.png")
    draw_protected(demo, IMAGES / "protected.png")
    photograph_report(demo / "release" / "report.html", IMAGES / "report.png")
