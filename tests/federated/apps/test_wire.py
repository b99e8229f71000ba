"""Everything that leaves a site is read: on the socket, and in every file and log outside it."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.federated.approval import approve, write_approval
from medveil.federated.credentials import read_node_key
from medveil.federated.local_training import LocalTraining
from medveil.federated.participant import Participant, Reply
from medveil.federated.plan import PROTOCOL
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.films import Films

NAMES = ("north", "south", "west")
PATIENTS = (23, 29, 31)
WORDS = ("quicksilverish", "hydropneumothorax", "zygapophyseal", "retrosternal")

# what an answer may hold, by what was asked; whatever else a site should say must be entered here first
TOLD = {
    "introduce": {"site", "plan", "when", "signature", "version", "protocol"},
    "update": {"epsilon"},
    "masked": {"epsilon"},
    "keys": {"site", "sealing", "masking", "signed"},
    "shares": {"to", "sealed"},
    "agreed": {"survivors", "signed"},
    "opened": {"of", "shares"},
    "over": set(),
}


class Tap:
    """Passes bytes on between sites and the coordinator, and keeps a copy."""

    def __init__(self, to: int) -> None:
        self.sent, self.received, self._to = bytearray(), bytearray(), to
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self._held: list[socket.socket] = [self._socket]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._socket.accept()
                self._held.append(near)
                far = socket.create_connection(("127.0.0.1", self._to))
                self._held.append(far)
            except ConnectionRefusedError:
                near.close()
                continue
            except OSError:
                return
            for one, other, kept in ((near, far, self.sent), (far, near, self.received)):
                self._threads.append(threading.Thread(target=self._pass, args=(one, other, kept)))
                self._threads[-1].start()

    @staticmethod
    def _pass(one: socket.socket, other: socket.socket, kept: bytearray) -> None:
        try:
            while got := one.recv(1 << 16):
                kept += got
                other.sendall(got)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self) -> None:
        for one in self._held:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        for one in self._held:
            one.close()


@contextmanager
def tapped(here: Any) -> Iterator[Tap]:
    """The sites call the tap, which calls the coordinator."""
    behind = here.plan.coordinator.port
    tap = Tap(behind)
    here.plan = replace(here.plan, coordinator=replace(here.plan.coordinator, address=f"127.0.0.1:{tap.port}"))
    for name in NAMES:
        write_approval(here.folder / name, approve(here.plan, read_node_key(here.folder / name)))
    try:
        yield tap
    finally:
        tap.close()


@pytest.fixture
def noted(small_recipe: Recipe) -> Callable[[int, int], Films]:
    """Films of noise, reports of rare words, ids that are nowhere else."""

    def make(site: int, patients: int) -> Films:
        rng = np.random.default_rng(site)
        count, side = 2 * patients, small_recipe.side
        pixels = rng.integers(1, 256, (count, side, side)).astype(np.uint8)
        texts = [" ".join(rng.choice(WORDS, 4)) for _ in range(count)]
        targets = (rng.random((count, len(small_recipe.findings))) < 0.5).astype(np.float32)
        ids = [f"patient-{site}-{number // 2:04}-xq" for number in range(count)]
        return Films.gathered(pixels, texts, targets, np.ones_like(targets, bool), ids, small_recipe)

    return make


def needles(films: Films) -> Iterator[bytes]:
    """Pieces of films as they are and as numbers from 0 to 1 and ±1, words, ids."""
    for film in films.pixels:
        row = film[film.shape[0] // 2, :8]
        yield row.tobytes()
        for scaled in (row / 255, row / 127.5 - 1):
            yield from (scaled[:4].astype(kind).tobytes() for kind in (np.float32, np.float16, np.float64))
    for word in WORDS:
        yield from (word.encode(), word.encode("utf-16-le"))
    yield from (one.encode() for one in films.people)
    yield from (row[:6].tobytes() for row in films.words if row[:6].any())  # reports as numbers


@pytest.mark.parametrize("secure_sums", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_no_image_report_id_or_count_leaves_a_site(
    consortium: Callable[..., Any],
    noted: Callable[[int, int], Films],
    small_recipe: Recipe,
    secure_sums: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    table = {name: value for name, value in small_recipe.to_json().items() if value is not None}
    table["weighting"] = "patients" if secure_sums else "equal"
    here = consortium(dict.fromkeys(NAMES, 0.0), recipe=table, secure_sums=secure_sums, rounds=1, patience=60)
    answers: list[tuple[str, Reply]] = []
    answered = Participant.answer

    def overheard(self: Participant, asked: str, told: Any, arrays: Any) -> Reply:
        reply = answered(self, asked, told, arrays)
        answers.append((asked, reply))
        return reply

    monkeypatch.setattr(Participant, "answer", overheard)
    films = {name: noted(number, PATIENTS[number]) for number, name in enumerate(NAMES)}
    behind = here.plan.coordinator.port
    with tapped(here) as tap:
        for name in NAMES:
            here.trainings[name] = LocalTraining(here.plan.recipe, films[name], here.folder / name / "training")
        here.start()
        record = here.coordinate(port=behind)
        here.wait()
    assert [one.took_part for one in record.history] == [NAMES]

    shown = capfd.readouterr()
    outside = {str(path.relative_to(here.out)): path.read_bytes() for path in sorted(here.out.rglob("*.*"))}
    outside |= {
        "the wire": bytes(tap.sent + tap.received),
        "the log": caplog.text.encode(),
        "said": "".join(here.said).encode(),
    }
    outside |= {"standard output": shown.out.encode(), "standard error": shown.err.encode()}
    for held in films.values():
        for needle in needles(held):
            for place, content in outside.items():
                assert needle not in content, place

    # the tap works: what may be seen is seen
    wire = outside["the wire"]
    assert here.plan.digest.encode() in wire and b"/v1/fleet/push-object" in wire
    assert len(tap.sent) > sum(site.bytes_sent for site in record.sites.values())
    update = np.load(here.folder / "south" / "training" / "last-update.npz")
    numbers = np.concatenate([update[name].ravel() for name in sorted(update.files) if name != "question"])
    assert (numbers[:32].tobytes() in wire) is not secure_sums
    low = np.floor(numbers[:2].astype(np.float64) / here.plan.grid.step).astype(np.int32)
    if secure_sums:
        assert low.tobytes() not in wire and (low + 1).tobytes() not in wire

    # every answer holds what it may, and no number that could be a count
    for asked, reply in answers:
        assert set(reply.told) <= TOLD[asked], asked
        for name, value in reply.told.items():
            assert not isinstance(value, int | float) or (name, value) == ("protocol", PROTOCOL)
    # a site of other patients sends as many bytes; signatures differ by a few
    sizes = {name: site.bytes_sent for name, site in record.sites.items()}
    assert max(sizes.values()) - min(sizes.values()) < 100, sizes
    # the record tells of rounds, names and bytes
    told = {value for site in record.to_json()["sites"].values() for value in site.values() if isinstance(value, int)}
    assert not told & {*PATIENTS, *(2 * count for count in PATIENTS)}


def test_how_long_training_takes_is_not_told(consortium: Callable[..., Any]) -> None:
    """Flower's node adds it to every answer; it grows with the number of films."""
    from flwr.proto.fleet_pb2 import PushMessagesRequest

    from medveil.federated.apps import connection

    found: list[Any] = []
    here = consortium(dict.fromkeys(NAMES, 0.1), secure_sums=False, rounds=1)
    here.trainings["south"].before = lambda number: threading.Event().wait(0.3)

    def kept(**fields: Any) -> Any:
        found.append(list(fields["clientapp_runtime_list"]))
        return PushMessagesRequest(**fields)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "PushMessagesRequest", kept)
        here.start()
        here.coordinate()
        here.wait()
    assert found and all(one == [0.0] for one in found)


def test_nothing_is_reported_to_anybody() -> None:
    from flwr.supercore import telemetry

    assert telemetry.FLWR_TELEMETRY_ENABLED == "0"


def test_the_tap_reads_files_too(tmp_path: Path) -> None:
    """The search finds what it is to find."""
    pixels = np.arange(1, 65, dtype=np.uint8).reshape(8, 8)
    row = pixels[4]
    (tmp_path / "leak").write_bytes(b"..." + (row[:4] / 255).astype(np.float32).tobytes() + b"...")
    films = Films(
        np.stack([pixels]),
        np.ones((1, 8), np.int32),
        np.ones((1, 1), np.float32),
        np.ones((1, 1), bool),
        np.zeros(1, np.intp),
        ("patient-0",),
    )
    content = (tmp_path / "leak").read_bytes()
    assert [needle for needle in needles(films) if needle in content]
