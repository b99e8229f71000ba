from __future__ import annotations

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from medveil.defenses.pixels.decide import cached_reader, evidence
from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.evidence import Finding
from medveil.defenses.pixels.decide.evidence_network import EvidenceNetwork
from medveil.defenses.pixels.decide.words import Look
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.alphabet import OTHER
from medveil.defenses.pixels.read.reader import Reading
from medveil.weights.bundled import bundled


@pytest.fixture
def view():
    return np.random.default_rng(3).integers(0, 255, (400, 600)).astype(np.uint8)


def test_pixels_looked_at_once_weigh_as_much_as_with_the_numbers_at_once(view):
    sizes = ((300, 12), (40, 20), (14, 14), (90, 30), (25, 24))  # more and less than what counts as short, in turn
    rows = np.stack([evidence.row_of(Line(300, 200, *size, 0.2, 0.8), view) for size in sizes])
    rows[:, -14:-6] = np.random.default_rng(4).random((len(rows), 8))  # what reading would tell
    network = EvidenceNetwork().eval()
    network.load_state_dict({name: value.float() for name, value in load_file(bundled("text-evidence")).items()})
    with torch.no_grad():
        expected = network(torch.from_numpy(rows)).numpy()
    assert np.allclose(evidence._logits(*evidence._seen(rows)), expected, atol=0.03)


def test_the_second_reader_is_asked_once_a_look(view, monkeypatch):
    asked = []
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: asked.append(strip.shape) or ("AP", 0.9))
    read = CachedReader(view)
    look = Look(Line(300, 200, 60, 20, 0.0), 0)
    assert read.seconded(look) is None
    assert read.second(look) == read.second(look) == read.seconded(look) == ("AP", 0.9)
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("x", "score", "letters", "finding"),
    [
        (20, 0.95, 3, Finding.TYPE),  # small initials in lead
        (20, 0.9, 3, Finding.DOUBTFUL),
        (20, 0.95, 1, Finding.DOUBTFUL),  # hooks and clips
        (300, 0.95, 3, Finding.NOTHING),
        (300, 0.98, 3, Finding.DOUBTFUL),  # an earring scores as high
    ],
)
def test_what_nobody_can_read_goes_at_the_rim_alone(view, monkeypatch, x, score, letters, finding):
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: ("", 0.0))
    line = Line(x, 200, 24, 9, 0.0)
    reading = Reading("QKH"[:letters], 0.4, 0.1, letters, np.zeros((0, 0), np.float32))
    assert evidence._finding(line, score, Look(line, 0), reading, view, CachedReader(view)) is finding


@pytest.mark.parametrize(("letters", "finding"), [(2, Finding.TYPE), (1, Finding.DOUBTFUL)])
def test_a_long_line_in_which_no_two_letters_are_seen_is_for_a_person(view, monkeypatch, letters, finding):
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: ("", 0.0))
    line = Line(300, 200, 60, 12, 0.0)
    reading = Reading("KH"[:letters], 0.4, 0.1, letters, np.zeros((0, 0), np.float32))
    assert evidence._finding(line, 0.92, Look(line, 0), reading, view, CachedReader(view)) is finding


@pytest.mark.parametrize(("second", "finding"), [("0", Finding.NOTHING), ("K", Finding.DOUBTFUL)])
def test_a_wire_that_reads_like_a_ring_is_nothing(view, monkeypatch, second, finding):
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: (second, 0.6))
    line = Line(300, 200, 60, 24, 0.0)
    reading = Reading(OTHER, 0.7, 0.3, 1, np.zeros((0, 0), np.float32))
    assert evidence._finding(line, 0.99, Look(line, 0), reading, view, CachedReader(view)) is finding


@pytest.mark.parametrize(("sure", "finding"), [(0.99, Finding.TYPE), (0.9, Finding.NOTHING)])
def test_signs_of_another_script_are_letters_to_whom_can_read_them(view, monkeypatch, sure, finding):
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: ("李娜", sure))
    line = Line(20, 200, 60, 30, 0.0)
    reading = Reading(f"{OTHER}8", 0.5, 0.2, 2, np.zeros((0, 0), np.float32))
    assert evidence._finding(line, 0.7, Look(line, 0), reading, view, CachedReader(view)) is finding


@pytest.mark.parametrize(
    ("y", "text", "sure", "detected", "finding"),
    [
        (395, "OTTI", 0.9, 0.9, Finding.TYPE),  # cut off by the image's edge
        (200, "OTTI", 0.9, 0.9, Finding.NOTHING),
        (200, "OTTILIE", 0.9, 0.9, Finding.TYPE),
        (200, "OTTILIE", 0.8, 0.9, Finding.NOTHING),
        (200, "OTTILIE", 0.9, 0.5, Finding.NOTHING),  # the detector was not sure of it
    ],
)
def test_a_word_that_the_second_reader_is_certain_of_is_type_though_it_looks_like_none(
    view, monkeypatch, y, text, sure, detected, finding
):
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: (text, sure))
    line = Line(300, y, 120, 20, 0.0, detected)
    reading = Reading("UtA", 0.2, 0.1, 3, np.zeros((0, 0), np.float32))
    assert evidence._finding(line, 0.004, Look(line, 0), reading, view, CachedReader(view)) is finding
