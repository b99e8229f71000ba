from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from medveil.cohort import Cohort

# time is not tested: machines differ
settings.register_profile("medveil", deadline=None)
settings.load_profile("medveil")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of public data sets; tests that need it are skipped where it is absent."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("MEDVEIL_DATA", beside))
    if not folder.is_dir():
        pytest.skip("the public data sets are not here (set MEDVEIL_DATA)")
    return folder


@pytest.fixture(scope="session")
def hospital_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small phantom hospital, made once for all test processes."""
    from medveil.cohort.phantom.hospital import build_hospital

    shared = tmp_path_factory.getbasetemp().parent
    with (shared / "hospital.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build_hospital(shared / "hospital", patients=30, size=256, seed=11)
    return shared / "hospital"


@pytest.fixture(scope="session")
def hospital(hospital_folder: Path) -> Cohort:
    return Cohort.open(hospital_folder)


@pytest.fixture(scope="session")
def face() -> NDArray[np.uint8]:
    """A portrait from the front, drawn in colour, 256 pixels a side."""
    size = 256
    sheet = Image.new("RGB", (2 * size, 2 * size), (120, 150, 170))
    pen, unit = ImageDraw.Draw(sheet), size / 50
    skin, shade, hair, lip = (224, 172, 140), (179, 137, 112), (60, 40, 30), (170, 70, 70)

    def spot(x: float, y: float, across: float, down: float, tone: tuple[int, int, int]) -> None:
        pen.ellipse([(x - across) * unit, (y - down) * unit, (x + across) * unit, (y + down) * unit], fill=tone)

    spot(50, 110, 42, 30, (70, 80, 110))
    pen.rectangle([40 * unit, 70 * unit, 60 * unit, 90 * unit], fill=shade)
    spot(50, 44, 29, 36, hair)
    spot(50, 50, 23, 29, skin)
    for x in (27.5, 72.5):
        spot(x, 52, 3, 6, shade)
    for x in (41, 59):
        spot(x, 46, 6, 4.5, shade)
        spot(x, 47, 4.6, 2.6, (245, 245, 240))
        spot(x, 47, 2.2, 2.4, hair)
        pen.arc([(x - 6.5) * unit, 38 * unit, (x + 6.5) * unit, 46 * unit], 200, 340, fill=hair, width=int(1.8 * unit))
    pen.polygon([(50 * unit, 46 * unit), (45.5 * unit, 60 * unit), (54.5 * unit, 60 * unit)], fill=shade)
    for x in (47.7, 52.3):
        spot(x, 61, 1.1, 0.8, lip)
    spot(50, 69, 8, 2.8, lip)
    return np.asarray(sheet.filter(ImageFilter.GaussianBlur(size / 60)).resize((size, size)))


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker processes, so that what a test puts in place of something is met by the work."""
    from medveil.cohort.dicom import many
    from medveil.runtime import cluster, journal

    for module in (many, journal, cluster):
        monkeypatch.setattr(module, "ordered_map", lambda function, items, **more: map(function, items))


@pytest.fixture
def from_threads() -> Callable[..., list[Any]]:
    """Calls a function on every item, from four threads at once that take turns after every line of some modules."""

    def call(function: Callable[[Any], Any], items: Sequence[Any], *modules: ModuleType) -> list[Any]:
        files = {module.__file__ for module in modules}

        def in_turns(frame: FrameType, event: str, _: object) -> Any:
            if frame.f_code.co_filename not in files:
                return None
            time.sleep(0)  # gives the other threads their turn
            return in_turns

        before = threading.gettrace()
        threading.settrace(in_turns)
        try:
            with ThreadPoolExecutor(4) as pool:
                return list(pool.map(function, items))
        finally:
            threading.settrace(before)  # type: ignore[arg-type]

    return call
