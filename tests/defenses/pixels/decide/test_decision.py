from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from medveil.defenses.pixels.decide import cached_reader, decision
from medveil.defenses.pixels.decide.beside_initials import Parted
from medveil.defenses.pixels.decide.decision import Decision, decide
from medveil.defenses.pixels.decide.lead_letter import LeadLetter
from medveil.defenses.pixels.lines import Line
from medveil.person.identifiers import Category
from medveil.person.person import Known
from medveil.person.search.known import KnownSearch


class Sheet:
    """A gray sheet with words on it, and the lines a detector would hand over."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.view = np.clip(90 + rng.normal(0, 4, (600, 600)), 0, 255).astype(np.uint8)
        self.lines: list[Line] = []

    def write(self, text: str, x: int, y: int, *, size: int = 26, turn: int = 0, tone: int = 250) -> Sheet:
        font = ImageFont.load_default(size)
        left, top, right, bottom = (round(edge) for edge in font.getbbox(text))
        ink = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(ink).text((-left, -top), text, fill=255, font=font)
        share = np.asarray(ink.rotate(turn, expand=True)) / 255
        rows, columns = share.shape
        part = self.view[y : y + rows, x : x + columns]
        part[:] = part + (tone - part.astype(float)) * share
        self.lines.append(Line.of_box((x, y, x + columns, y + rows), 0.9))
        return self

    def kept(self, known: KnownSearch | None = None) -> list[str]:
        return sorted(text for text, _ in self.decided(known).kept)

    def gone(self, known: KnownSearch | None = None) -> int:
        """How many of the lines are removed or withheld."""
        found = self.decided(known)
        return len(found.removed) + len(found.doubtful)

    def decided(self, known: KnownSearch | None = None) -> Decision:
        return decide(self.lines, self.view, known, keep_markers=True)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("text", ["ERECT", "PORTABLE", "AP SUPINE"])
def test_a_marker_is_read_whichever_way_it_stands(text, turn):
    assert Sheet().write(text, 200, 200, turn=turn).kept() == [text]


@pytest.mark.parametrize("tone", [250, 5])
def test_side_letters_and_exposures_stay(tone):
    sheet = Sheet().write("L", 50, 50, size=50, tone=tone).write("R", 500, 50, size=50, tone=tone)
    assert sheet.write("85 kV 2.5 mAs", 200, 500, tone=tone).kept() == ["85 KV 2.5 MAS", "L", "R"]


@pytest.mark.parametrize("text", ["DOE, JANE", "12/03/1950", "884312", "KJ", "R. MILLER"])
def test_everything_else_goes(text):
    sheet = Sheet().write(text, 200, 200)
    assert (sheet.kept(), sheet.gone()) == ([], 1)


@pytest.mark.parametrize("turn", [0, 90, 180])
def test_mirrored_initials_go_too(turn):
    sheet = Sheet().write("JFC", 20, 20, turn=turn)
    sheet.view = np.ascontiguousarray(sheet.view[:, ::-1])
    left, top, right, bottom = sheet.lines[0].box(sheet.view.shape)
    sheet.lines = [Line.of_box((600 - right, top, 600 - left, bottom), 0.9)]
    assert (sheet.kept(), len(sheet.decided().removed)) == ([], 1)


@pytest.mark.parametrize(
    ("text", "marker", "is_first"), [("LT BMS", "LT", True), ("JH RT", "RT", False), ("SUPINE KJ", "SUPINE", True)]
)
@pytest.mark.parametrize("turn", [0, 180])
def test_a_marker_in_one_line_with_initials_stays_and_they_go(text, marker, is_first, turn):
    sheet = Sheet().write(text, 60, 40, turn=turn)
    found = sheet.decided()
    ((kept, line),) = found.kept
    (gone,) = found.removed
    assert kept == marker
    assert (line.x < gone.x) == (is_first == (turn == 0))
    assert line.share_inside(gone) < 0.1
    assert 0.9 < (line.length + gone.length) / sheet.lines[0].length < 1.3


def test_a_mirrored_marker_stays_as_lead_lies():
    sheet = Sheet().write("LEFT", 60, 40, size=34)
    sheet.view = np.ascontiguousarray(sheet.view[:, ::-1])
    left, top, right, bottom = sheet.lines[0].box(sheet.view.shape)
    sheet.lines = [Line.of_box((600 - right, top, 600 - left, bottom), 0.9)]
    assert (sheet.kept(), sheet.gone()) == (["LEFT"], 0)


def test_a_marker_in_one_line_with_a_name_goes_with_it():
    assert Sheet().write("PORT MILLER", 60, 40).kept() == []
    assert Sheet().write("LT MILLER", 60, 40).kept() == []


def test_a_side_read_in_a_line_far_longer_than_it_keeps_nothing_there():
    sheet = Sheet().write("L", 60, 300, size=60)
    left, top, _, bottom = sheet.lines[0].box(sheet.view.shape)
    assert sheet.kept() == ["L"]
    sheet.lines = [Line.of_box((left, top, left + 7 * (bottom - top), bottom), 0.9)]
    assert sheet.kept() == []


def test_what_is_no_type_stays():
    sheet = Sheet()
    for x, y in ((120, 150), (300, 200), (450, 480)):  # clips
        sheet.view[y : y + 3, x : x + 14] = 240
        sheet.lines.append(Line.of_box((x - 2, y - 5, x + 18, y + 9), 0.9))
    assert (sheet.kept(), sheet.gone()) == ([], 0)


def test_initials_beside_a_lead_letter_go_and_the_letter_stays():
    sheet = Sheet().write("L", 40, 40, size=90).write("DG", 100, 75, size=34)
    boxes = np.array([line.box(sheet.view.shape) for line in sheet.lines])
    sheet.lines = [Line.of_box((*boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist()), 0.9)]
    found = sheet.decided()
    assert [letter.text for letter in found.letters] == ["L"]
    (letter,) = found.letters
    assert letter.initials.sum() > 300
    (whole,) = decide(sheet.lines, sheet.view, None, keep_markers=False).letters
    assert not whole.ink.any()
    assert (whole.initials >= (letter.initials | letter.ink)).all()
    assert not (letter.initials & letter.ink).all()


@pytest.mark.parametrize(("text", "marker"), [("LEFTY", "LEFT"), ("GRIDLEY", "GRID")])
def test_a_name_is_not_kept_for_the_marker_it_begins_with(text, marker):
    sheet = Sheet().write(marker, 200, 300)
    left, top, right, bottom = sheet.lines[0].box(sheet.view.shape)
    sheet = Sheet().write(text, 200, 300)
    sheet.lines = [Line.of_box((left, top, right, bottom), 0.9)]
    assert (sheet.kept(), sheet.gone()) == ([], 1)


def test_a_piece_of_a_longer_word_is_not_taken_for_a_marker():
    sheet = Sheet().write("PAUL", 200, 200, size=40)
    whole = sheet.lines[0]
    sheet.lines = [Line(whole.x - whole.length / 4, whole.y, whole.length / 2, whole.height, 0.0, 0.9)]  # "PA"
    assert sheet.kept() == []


@pytest.mark.parametrize("gap", [20, 60])
def test_a_letter_among_initials_goes_however_widely_they_are_spaced(gap):
    assert Sheet().write("R", 100, 200, size=50).kept() == ["R"]
    assert Sheet().write("R", 100, 200, size=50).write("K", 130 + gap, 200, size=50).kept() == []


def test_a_side_written_twice_is_nobodys_initials_unless_the_two_stand_together():
    assert Sheet().write("L", 100, 200, size=50).write("L", 180, 200, size=50).kept() == ["L", "L"]
    assert Sheet().write("L", 100, 200, size=50).write("R", 180, 200, size=50).kept() == []
    assert Sheet().write("L", 100, 200, size=50).write("L", 140, 200, size=50).kept() == []


def test_a_letter_of_which_only_a_part_was_found_stays():
    sheet = Sheet().write("L", 200, 200, size=60)
    whole = sheet.lines[0].box(sheet.view.shape)
    sheet.lines = [Line.of_box((whole[0], whole[3] - 10, whole[2], whole[3]), 0.7)]
    assert sheet.gone() == 0


def test_what_the_second_reader_plainly_contradicts_is_no_marker(monkeypatch):
    sheet = Sheet().write("R", 100, 200, size=50)
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: ("K", 0.99))
    assert (sheet.kept(), sheet.gone()) == ([], 0)
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: ("R", 0.99))
    assert sheet.kept() == ["R"]


def test_two_letters_may_have_a_word_in_their_row_but_no_letters():
    assert Sheet().write("AP", 100, 200, size=40).write("MILLER", 200, 200, size=40).kept() == ["AP"]
    assert Sheet().write("AP", 100, 200, size=40).write("K", 200, 200, size=40).kept() == []


def test_what_the_readers_read_differently_goes_but_for_look_alikes(monkeypatch):
    sheet = Sheet().write("SUPINF", 100, 200, size=40)
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: ("SUPINE", 0.9))
    assert sheet.kept() == []
    sheet = Sheet().write("1I0 KV", 100, 200, size=40)
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: ("110 KV", 0.9))
    assert sheet.kept() == ["110 KV"]


@pytest.mark.parametrize(("second", "kept"), [("EREC T", ["ERECT"]), ("ERECTI", []), ("ERIKA", [])])
def test_a_space_that_only_the_second_reader_sees_is_none(monkeypatch, second, kept):
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: (second, 0.9))
    assert Sheet().write("ERECT", 100, 200, size=40).kept() == kept


def test_a_stroke_of_a_kept_letter_is_no_line_of_its_own():
    sheet = Sheet().write("L", 200, 200, size=60)
    left, top, right, bottom = sheet.lines[0].box(sheet.view.shape)
    foot = Line.of_box((left, bottom - 12, right + 4, bottom + 2), 0.7)
    stroke = Line.of_box((left + 1, top + 4, left + 17, top + 12), 0.7)
    sheet.lines += [foot, stroke]
    assert (sheet.kept(), sheet.gone()) == (["L"], 0)


def test_a_word_that_is_no_marker_takes_its_row_along_and_not_what_stands_above():
    above = Sheet().write("ERECT", 100, 100).write("DOE, JANE", 100, 132)
    assert (above.kept(), above.gone()) == (["ERECT"], 1)
    beside = Sheet().write("ERECT", 100, 100).write("DOE, JANE", 194, 100)
    assert (beside.kept(), beside.gone()) == ([], 2)


def test_a_known_name_takes_letters_of_its_size_nearby_and_no_words():
    known = KnownSearch([Known(Category.NAME, "Erecki^Paul"), Known(Category.MRN, "884312")])
    sheet = Sheet().write("PA", 100, 100).write("ERECKI", 100, 160).write("R", 500, 500, size=50)
    sheet.write("PORTABLE", 100, 220)
    assert sheet.kept() == ["PA", "PORTABLE", "R"]
    assert sheet.kept(known) == ["PORTABLE", "R"]


def test_without_markers_to_keep_they_go_as_all_type_does():
    sheet = Sheet().write("ERECT", 100, 100).write("R", 500, 50, size=50)
    found = decide(sheet.lines, sheet.view, None, keep_markers=False)
    assert found.kept == []
    assert len(found.removed) == 2


def test_a_loose_line_that_holds_more_than_the_marker_takes_it_along():
    sheet = Sheet().write("ERECT", 100, 100)
    left, top, right, bottom = sheet.lines[0].box(sheet.view.shape)
    for beyond, kept in ((8, ["ERECT"]), (200, [])):
        loose = Line.of_box((left - 8, top - 10, right + beyond, bottom + 10), 1.0)
        found = decide([*sheet.lines, loose], sheet.view, None, keep_markers=True)
        assert [text for text, _ in found.kept] == kept
        assert bool(found.removed) == (not kept)


def test_a_letter_beside_a_name_goes_and_one_beside_a_name_that_runs_across_stays():
    assert Sheet().write("R", 100, 200, size=40).write("MILLER", 170, 205, size=30).kept() == []
    assert Sheet().write("R", 100, 200, size=40).write("MILLER", 185, 150, size=30, turn=90).kept() == ["R"]


@pytest.mark.parametrize(("beside", "kept"), [("", ["ERECT"]), ("K4711", [])])
def test_a_loose_line_that_was_never_sure_goes_if_more_can_be_read_in_it(beside, kept):
    sheet = Sheet().write("ERECT", 100, 100)
    left, top, right, bottom = sheet.lines[0].box(sheet.view.shape)
    sheet.write(beside or ".", right + 60, 100)
    loose = Line.of_box((left - 8, top - 10, right + 200, bottom + 10), 0.2)
    found = decide([sheet.lines[0], loose], sheet.view, None, keep_markers=True)
    assert [text for text, _ in found.kept] == kept


def test_a_line_drawn_too_high_around_small_print_goes():
    sheet = Sheet().write("KLINIKUM FEATHERSTONE", 100, 200, size=13, tone=140)
    left, top, right, bottom = sheet.lines[0].box(sheet.view.shape)
    sheet.lines = [Line.of_box((left, top - 14, right, bottom + 16), 0.9)]
    gone = sheet.decided().removed
    assert gone and all(line.height < 0.8 * sheet.lines[0].height for line in gone)


def test_a_part_of_a_marker_seen_closer_does_not_take_it_along():
    sheet = Sheet().write("110 KV", 100, 200, size=40)
    left, top, right, bottom = sheet.lines[0].box(sheet.view.shape)
    part = Line.of_box((left + (right - left) * 6 // 10, top + 6, right, bottom - 6), 0.9)
    loose = Line.of_box((left - 4, top - 8, right + 4, bottom + 8), 0.9)
    assert [text for text, _ in decide([loose, part], sheet.view, None, keep_markers=True).kept] == ["110 KV"]


def test_a_loose_line_around_a_part_of_a_marker_is_not_the_marker():
    sheet = Sheet().write("AP SUPINE", 100, 200, size=40)
    left, top, right, bottom = sheet.lines[0].box(sheet.view.shape)
    loose = Line.of_box((left + (right - left) * 26 // 100, top - 14, right + 10, bottom + 14), 0.9)
    found = decide([*sheet.lines, loose], sheet.view, None, keep_markers=True)
    assert ([text for text, _ in found.kept], found.removed) == (["AP SUPINE"], [])


@pytest.mark.parametrize(
    ("second", "sure", "kept"), [("110 KV", 0.99, ["110 KV"]), ("110 KV", 0.6, []), ("1110", 0.99, [])]
)
def test_a_marker_that_the_first_reader_reads_in_part_stays_if_the_second_is_certain(monkeypatch, second, sure, kept):
    sheet = Sheet().write("0 KV", 100, 200, size=40)
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: (second, sure))
    assert sheet.kept() == kept


def test_an_l_of_lead_stays_where_its_initials_go():
    sheet = Sheet()
    sheet.view[40:100, 500:512] = sheet.view[88:100, 500:540] = 230  # an L too plain for a reader of type
    sheet.write("HS", 500, 108, size=26)
    found = sheet.decided()
    (letter,) = found.letters
    assert letter.text == "L"
    assert letter.initials.any()
    left, top, _, _ = letter.box
    assert letter.ink[60 - top, 505 - left]
    assert not letter.initials[60 - top, 505 - left]


def test_type_at_some_distance_from_a_side_in_lead_is_not_its_initials():
    sheet = Sheet()
    sheet.view[40:74, 480:487] = sheet.view[67:74, 480:505] = 230
    sheet.write("Nr 47", 535, 100, size=18)
    found = sheet.decided()
    assert [letter for letter in found.letters if letter.initials.any()] == []
    assert len(found.removed) == 1


def test_print_that_can_be_read_is_never_a_part_of_a_marker_around_it(monkeypatch):
    sheet = Sheet().write("ERECT", 200, 200, size=70).write("Nr 190137", 60, 225, size=20)
    small, (_, top, right, bottom) = sheet.lines[1], sheet.lines[0].box(sheet.view.shape)
    loose = Line.of_box((50, top - 10, right + 10, bottom + 10), 0.9)
    monkeypatch.setattr(decision, "marker_in", lambda word, read: "ERECT" if word.line is loose else None)
    found = decide([loose, small], sheet.view, None, keep_markers=True)
    assert any(small.share_inside(line) > 0.9 for line in found.removed)
    assert not any(small.share_inside(line) > 0.1 for _, line in found.kept)


def test_a_digit_that_reads_like_a_side_is_none_in_a_number(monkeypatch):
    sheet = Sheet().write("8.05.", 40, 40, size=40)
    (line,) = sheet.lines
    side = Line(line.x - line.length / 2 + 10, line.y, line.height * 0.8, line.height * 0.7, 0.0)
    ink = np.ones((20, 20), bool)
    letter = LeadLetter("R", side, (40, 40, 60, 60), ink, np.zeros_like(ink))
    monkeypatch.setattr(decision, "find_lead_letter", lambda *_: letter)
    assert sheet.decided().letters == []


@pytest.mark.parametrize(("gap", "doubtful"), [(10, 0), (200, 1)])
def test_what_cannot_be_read_beside_a_side_that_stays_are_initials(monkeypatch, gap, doubtful):
    sheet = Sheet().write("L", 40, 40, size=60)
    right = sheet.lines[0].box(sheet.view.shape)[2]
    unread = Line.of_box((right + gap, 45, right + gap + 60, 75), 0.9)
    found = Decision(kept=[("L", sheet.lines[0])], doubtful=[unread])
    monkeypatch.setattr(decision, "_sorted", lambda *_: found)
    assert len(sheet.decided().doubtful) == doubtful
    assert len(found.removed) == 1 - doubtful


@pytest.mark.parametrize(("gap", "stays"), [(10, False), (200, True)])
def test_two_letters_that_one_reader_knows_for_a_marker_go_beside_a_side(monkeypatch, gap, stays):
    sheet = Sheet().write("L", 40, 40, size=60)
    right = sheet.lines[0].box(sheet.view.shape)[2]
    short = Line.of_box((right + gap, 45, right + gap + 60, 75), 0.9)
    found = Decision(kept=[("L", sheet.lines[0])], removed=[short])
    monkeypatch.setattr(decision, "_sorted", lambda *_: found)
    monkeypatch.setattr(decision, "marker_in_line", lambda *_: Parted("AP", short, None))
    assert ("AP" in [text for text, _ in sheet.decided().kept]) == stays


@pytest.mark.parametrize(("share", "gone"), [(1.0, 0), (0.3, 1)])
def test_a_line_goes_by_itself_unless_side_and_initials_are_all_of_it(monkeypatch, share, gone):
    sheet = Sheet().write("KM", 40, 40, size=30)
    box = sheet.lines[0].box(sheet.view.shape)
    ink = np.zeros((box[3] - box[1], box[2] - box[0]), bool)
    initials = ink.copy()
    initials[:, : round(share * ink.shape[1])] = True
    initials[0, -1] = True
    letter = LeadLetter("L", Line(300, 300, 30, 30, 0.0), box, ink, initials)
    monkeypatch.setattr(decision, "find_lead_letter", lambda *_: letter)
    assert len(sheet.decided().removed) == gone


def test_a_side_that_was_read_is_no_other_side(monkeypatch):
    sheet = Sheet().write("R", 40, 40, size=60)
    box = sheet.lines[0].box(sheet.view.shape)
    ink = np.ones((box[3] - box[1], box[2] - box[0]), bool)
    monkeypatch.setattr(decision, "find_lead_letter", lambda *_: LeadLetter("L", sheet.lines[0], box, ink, ink))
    assert sheet.kept() == ["R"]
    assert sheet.decided().letters == []
