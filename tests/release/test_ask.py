"""A question behind the cleaning: what reaches a model, what is refused, and what is told."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from medveil.cohort.images import load_image
from medveil.cohort.phantom.gold import Gold, ImageGold, load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.errors import InputError, Quarantined, SettingsError
from medveil.person.identifiers import Category
from medveil.release import ask as module
from medveil.release.ask import NotAsked, ask
from medveil.utility.vqa.models.endpoint import Endpoint
from medveil.utility.vqa.models.endpoint_answers import EndpointAnswers
from medveil.utility.vqa.question import Image as Picture

Serving = Callable[[bytes | Callable[[socket.socket], None]], Any]


class Witness:
    """Keeps what it is asked."""

    name, license, fingerprint = "witness", "none", "witness"

    def __init__(self) -> None:
        self.asked: list[tuple[Picture | None, str, str | None]] = []

    def answer(self, image: Picture | None, question: str, note: str | None = None) -> str:
        self.asked.append((image, question, note))
        return "no"

    def answer_many(self, queries: Any) -> list[str]:
        raise NotImplementedError


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Gold:
    """A few patients at a size at which their burned-in text can be read."""
    folder = tmp_path_factory.mktemp("ask") / "hospital"
    build_hospital(folder, patients=3, size=512, seed=11, workers=1)
    return load_gold(folder)


@pytest.fixture(scope="module")
def written_on(gold: Gold) -> ImageGold:
    """One with the patient's name in its pixels."""
    return next(one for one in gold.images.values() if any(part.category is Category.NAME for part in one.in_pixels))


def test_only_the_cleaned_image_and_words_leave(
    gold: Gold, written_on: ImageGold, loopback: Serving, chat_reply: Any
) -> None:
    """Read off the socket: no header, no file name, no burned-in text, no identifier of the report or the question."""
    server = loopback(chat_reply("no"))
    note = (gold.root / written_on.report_path).read_text()
    assert gold.leaks(note)
    name = next(one.value for one in written_on.in_pixels if one.category is Category.NAME)

    model = EndpointAnswers(Endpoint(server.url, "small"))
    reply = ask(gold.root / written_on.path, f"Is the heart of {name} large?", model, note=note)

    assert reply.answer == "no" and len(server.requests) == 1
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    sent = json.loads(body)
    picture, words = sent["messages"][-1]["content"]
    assert set(sent) == {"model", "messages", "temperature", "seed", "max_tokens", "stream"}
    assert not gold.leaks(head.decode()) and not gold.leaks(words["text"]) and name not in body.decode()
    png = base64.b64decode(picture["image_url"]["url"].partition("base64,")[2])
    pixels = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED)
    assert np.array_equal(pixels, reply.image) and pixels.shape == (512, 512)
    assert {png[at + 4 : at + 8] for at in _chunks(png)} == {b"IHDR", b"IDAT", b"IEND"}
    before = load_image(gold.root, written_on.path)
    for one in written_on.in_pixels:
        left, top, right, bottom = one.box
        brightest = before[top:bottom, left:right] > 0.9 * before.max()
        assert np.mean(pixels[top:bottom, left:right][brightest] > 0.9 * 255) < 0.3
    assert reply.removed["image"]["regions of text removed"] >= 1 and reply.painted_percent > 0
    assert sum(reply.removed["note"].values()) > 2 and sum(reply.removed["question"].values()) >= 1
    json.dumps(reply.to_json())


def _chunks(png: bytes) -> list[int]:
    places, at = [], 8
    while at < len(png):
        places.append(at)
        at += 12 + int.from_bytes(png[at : at + 4])
    return places


def test_what_the_header_knows_is_searched_for_in_the_question(gold: Gold, written_on: ImageGold) -> None:
    model = Witness()
    ask(gold.root / written_on.path, f"Patient {written_on.patient_id}: is there an effusion?", model)
    assert written_on.patient_id not in model.asked[0][1] and "effusion" in model.asked[0][1]


def test_words_are_the_same_whatever_the_key(gold: Gold, written_on: ImageGold) -> None:
    """A pseudonym or a moved date in a question changes answers: from run to run, if the key is drawn anew."""
    note = (gold.root / written_on.report_path).read_text()
    question = f"Is the heart of patient {written_on.patient_id} larger than on 03/04/2015?"
    model = Witness()
    for _ in range(2):
        module._engine.cache_clear()
        ask(gold.root / written_on.path, question, model, note=note)
    (_, *first), (_, *second) = model.asked
    assert first == second and first[0] == "Is the heart of patient [MRN] larger than on [DATE]?"
    assert not gold.leaks(str(first))


def test_what_names_of_files_and_folders_tell_is_searched_for_too(tmp_path: Path) -> None:
    model, folder = Witness(), tmp_path / "QUILLFEATHER_JOAN" / "4711081522"
    folder.mkdir(parents=True)
    ask(film(folder), "quillfeather joan, 4711081522: is it normal?", model)
    assert "quillfeather" not in model.asked[0][1].lower() and "4711081522" not in model.asked[0][1]


def film(path: Path, text: str = "", *, colour: bool = False, name: str = "film.png") -> Path:
    pixels = np.tile(np.linspace(30, 160, 400).astype(np.uint8), (400, 1))
    picture = Image.fromarray(pixels).convert("RGB" if colour else "L")
    if text:
        font = ImageFont.load_default(size=22)
        ImageDraw.Draw(picture).text((12, 12), text, fill=(255, 90, 90) if colour else 255, font=font)
    picture.save(path / name)
    return path / name


@pytest.mark.parametrize("colour", [False, True])
def test_a_picture_loses_its_text_too(tmp_path: Path, colour: bool) -> None:
    model, path = Witness(), film(tmp_path, "HARTWELL, JOAN 1951-03-04", colour=colour)
    before = np.asarray(Image.open(path))
    reply = ask(path, "Is it normal?", model)
    seen = model.asked[0][0]
    assert seen is not None and seen.dtype == np.uint8 and reply.removed["image"]["regions of text removed"] >= 1
    assert seen[12:40].max() < before[12:40].max()
    assert np.array_equal(seen[60:], before[60:])


def test_a_plain_picture_is_asked_about_as_it_is(tmp_path: Path) -> None:
    model, path = Witness(), film(tmp_path)
    reply = ask(path, "Is it normal?", model, note=" ")
    assert np.array_equal(model.asked[0][0], np.asarray(Image.open(path)))
    assert model.asked[0][1:] == ("Is it normal?", None) and "note" not in reply.removed


@pytest.mark.parametrize("what", ["image", "question", "note"])
def test_in_doubt_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    def doubtful(*_: Any) -> Any:
        raise Quarantined("something may be text")

    part = {"image": "_cleaned_picture", "question": "_cleaned_text", "note": "_cleaned_text"}[what]
    monkeypatch.setattr(module, part, doubtful)
    model = Witness()
    with pytest.raises(NotAsked, match=r"nothing was asked.*something may be text") as raised:
        ask(film(tmp_path), "Is it normal?", model, note="A note.")
    assert raised.value.exit_code == 1 and not model.asked


def test_a_surprise_in_the_cleaning_lets_nothing_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_cleaned_picture", lambda *_: 1 / 0)
    model = Witness()
    with pytest.raises(NotAsked, match="ZeroDivisionError"):
        ask(film(tmp_path), "Is it normal?", model)
    assert not model.asked


def test_text_that_another_reader_still_reads_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the cleaner had overlooked it."""
    monkeypatch.setattr(module, "_cleaned_picture", lambda engine, person, picture, header: _untouched(person, picture))
    model = Witness()
    with pytest.raises(NotAsked, match="text is still read"):
        ask(film(tmp_path, "HARTWELL, JOAN 1951-03-04"), "Is it normal?", model)
    assert not model.asked


def _untouched(person: Any, picture: Any) -> Any:
    from medveil.parts import Subject

    return Subject(person, picture=picture)


@pytest.mark.parametrize("content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n"])
def test_a_file_that_is_no_image(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "film.png").write_bytes(content)
    with pytest.raises(InputError, match="cannot be asked about"):
        ask(tmp_path / "film.png", "Is it normal?", Witness())


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="missing file"):
        ask(tmp_path / "gone.dcm", "Is it normal?", Witness())


@pytest.mark.parametrize(
    ("question", "note", "said"),
    [("  ", None, "empty"), ("x" * 2_001, None, "longer than 2,000"), ("Is it?", "x" * 100_001, "longer than 100,000")],
)
def test_words_that_cannot_be_asked(tmp_path: Path, question: str, note: str | None, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        ask(film(tmp_path), question, Witness(), note=note)
