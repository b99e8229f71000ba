from __future__ import annotations

import fcntl
import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
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


class Loopback:
    """A server on this machine that keeps what it receives and replies as told, byte by byte."""

    def __init__(self, reply: Callable[[socket.socket], None]) -> None:
        self.requests: list[bytes] = []
        self.ended = threading.Event()
        self._reply = reply
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.ended.set()
        with socket.create_connection(("127.0.0.1", self.port)):
            pass
        self._thread.join()
        self._listening.close()

    def _serve(self) -> None:
        while not self.ended.is_set():
            connection, _ = self._listening.accept()
            with connection, suppress(OSError):
                if self.ended.is_set():
                    return
                self.requests.append(whole_request(connection))
                self._reply(connection)


def whole_request(connection: socket.socket) -> bytes:
    """Read to its end: a server that closes with bytes unread resets the connection, and its reply may be lost."""
    connection.settimeout(10)
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65536) or b"\r\n\r\n"
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head, re.I)[1])  # type: ignore[index]
    while len(body) < length:
        body += connection.recv(65536) or b" " * length
    return head + b"\r\n\r\n" + body


@pytest.fixture
def loopback() -> Iterator[Callable[[bytes | Callable[[socket.socket], None]], Loopback]]:
    """Servers with these replies: bytes as they are, or a function that writes to the connection."""
    servers: list[Loopback] = []

    def serving(reply: bytes | Callable[[socket.socket], None]) -> Loopback:
        servers.append(Loopback(reply if callable(reply) else lambda connection: connection.sendall(reply)))
        return servers[-1]

    yield serving
    for server in servers:
        server.close()


def chat_reply(content: Any, *, status: str = "200 OK") -> bytes:
    """What an OpenAI-compatible server answers."""
    body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.fixture(name="chat_reply")
def _chat_reply() -> Callable[..., bytes]:
    return chat_reply
