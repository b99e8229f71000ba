"""Text as consoles, scanners and stickers leave it on a radiograph, and lines that only look like text.

Everything is drawn with Pillow into layers that lie over any image: ink, its tone, plates under it, and where the
text is. Used to train the text detector and, with other fonts and words, to measure it.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

Ink = NDArray[np.uint8]
Quad = NDArray[np.float64]  # four corners (x, y): top left, top right, bottom right, bottom left of the upright line
Shape = Callable[[ImageDraw.ImageDraw, np.random.Generator, Quad, int], None]

_WORDS = """
    HOSPITAL CLINIC MEDICAL CENTER GENERAL SAINT RADIOLOGY DEPT WARD ROOM BED PATIENT NAME ID MRN DOB SEX DATE TIME
    TECH DR ACC STUDY SERIES IMAGE CHEST PORTABLE SUPINE ERECT UPRIGHT SEMI AP PA LAT LEFT RIGHT KV MAS SID DOSE
    EXP INSP PHYSICIAN REF UNIT ICU ER Chest Hospital Patient Name Date born Room Dr. Clinic kV mAs cm Exposure
"""
_SYLLABLES = """
    ba ber bo cha dan del der do el en fer ga gen ha hol in ja jo ka kel kim la len lin ma mar mi mon na nor o ol pe
    quin ra rey ri ro sa sen son ta ton ul va ven wa wil xi ya yos za zell
"""
_LETTERS = {
    "latin": string.ascii_uppercase + string.ascii_lowercase,
    "accents": "ÀÁÂÄÅÆÇÈÉÊËÌÍÑÒÓÔÖØÙÚÜßàáâäåæçèéêëìíñòóôöøùúüčěřšžłńśż",
    "greek": "ΑΒΓΔΕΖΗΘΚΛΜΝΞΠΡΣΤΦΧΨΩαβγδεζηθικλμνξοπρστυφχψω",
    "cyrillic": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯабвгдежзиклмнопрстуфхцчшщыэюя",
}


@dataclass
class Layers:
    """What to lay over an image of this size: shapes, then plates (0 for none, else 1 + tone), then text."""

    shape: Ink
    shape_tone: Ink
    plate: Ink
    ink: Ink
    tone: Ink
    quads: list[Quad] = field(default_factory=list)
    singles: list[Quad] = field(default_factory=list)  # letters standing alone: neither here nor there

    @classmethod
    def empty(cls, rows: int, columns: int) -> Layers:
        return cls(*(np.zeros((rows, columns), np.uint8) for _ in range(5)))


def some_text(rng: np.random.Generator) -> str:
    """A line of what is burned in: names, dates, numbers, words, now and then other alphabets."""
    kind = rng.random()
    if kind < 0.28:
        text = _pick(rng, ("{0}, {1}", "{0}^{1}", "{1} {0}", "{0} {2}.", "{0}", "{0},{1} {2}")).format(
            _name(rng), _name(rng), chr(65 + int(rng.integers(26)))
        )
    elif kind < 0.44:
        text = _date(rng)
    elif kind < 0.6:
        text = _pick(rng, ("{}", "ID {}", "MRN {}", "ACC {}", "#{}", "{}/1", "ID: {}", "H{}")).format(_number(rng))
    elif kind < 0.82:
        text = " ".join(_pick(rng, _WORDS.split()) for _ in range(int(rng.integers(1, 5))))
    elif kind < 0.9:
        text = _pick(
            rng, ("{} kV", "{} KV", "{}.{} mAs", "{} mAs", "SID {}", "AP", "PA", "L", "R", "{}", "{}:{}")
        ).format(int(rng.integers(1, 140)), int(rng.integers(0, 60)))
    else:
        letters = _LETTERS[_pick(rng, ("latin", "latin", "accents", "greek", "cyrillic"))]
        sizes = [int(rng.integers(2, 10)) for _ in range(int(rng.integers(1, 4)))]
        text = " ".join("".join(_pick(rng, letters) for _ in range(size)) for size in sizes)
    return text.upper() if rng.random() < 0.5 else text


def _name(rng: np.random.Generator) -> str:
    return "".join(_pick(rng, _SYLLABLES.split()) for _ in range(int(rng.integers(2, 5)))).capitalize()


def _date(rng: np.random.Generator) -> str:
    year, month, day = int(rng.integers(1920, 2030)), int(rng.integers(1, 13)), int(rng.integers(1, 29))
    clock = f" {int(rng.integers(24)):02}:{int(rng.integers(60)):02}" + _pick(
        rng, ("", f":{int(rng.integers(60)):02}", " PM")
    )
    form = _pick(rng, ("{m:02}/{d:02}/{y}", "{y}-{m:02}-{d:02}", "{d:02}.{m:02}.{y}", "{y}{m:02}{d:02}", "{d}-{n}-{y}"))
    months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
    text = form.format(y=year, m=month, d=day, n=months[month - 1])
    return _pick(rng, ("", "", "DOB ", "Date: ", "*")) + text + (clock if rng.random() < 0.4 else "")


def _number(rng: np.random.Generator) -> str:
    digits = "".join(str(int(rng.integers(10))) for _ in range(int(rng.integers(2, 11))))
    return digits[: len(digits) // 2] + "-" + digits[len(digits) // 2 :] if rng.random() < 0.2 else digits


def _pick(rng: np.random.Generator, choices: Sequence[str]) -> str:
    return choices[int(rng.integers(len(choices)))]


# Lines drawn beforehand by other means (thin strokes such as OpenCV's), chosen by the font name "prepared".
PREPARED: list[Ink] = []


@lru_cache(maxsize=2048)
def font_of(path: str, points: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(points) if path == "default" else ImageFont.truetype(path, points)


def line_ink(text: str, path: str, points: int, *, spacing: float = 0.0, stroke: int = 0) -> tuple[Ink, int]:
    """The line cropped to its ink, and how far below the line's top the ink begins."""
    font = font_of(path, points)
    if spacing:
        places, x = [], 0.0
        for letter in text:
            places.append((x, letter))
            x += font.getlength(letter) + spacing * points
        sheet = Image.new("L", (int(x) + 2 * points, 3 * points))
        draw = ImageDraw.Draw(sheet)
        for place, letter in places:
            draw.text((points // 2 + place, points // 2), letter, fill=255, font=font, stroke_width=stroke)
    else:
        sheet = Image.new("L", (int(font.getlength(text)) + 2 * points + 4, 3 * points))
        ImageDraw.Draw(sheet).text((points // 2, points // 2), text, fill=255, font=font, stroke_width=stroke)
    box = sheet.getbbox()
    if box is None:
        return np.zeros((0, 0), np.uint8), 0
    return np.asarray(sheet.crop(box)), box[1]


def dotted_ink(text: str, cell: int, rng: np.random.Generator) -> tuple[Ink, int]:
    """Dot-matrix print: each pixel of a tiny bitmap font becomes a dot or a block."""
    text = text.encode("ascii", "replace").decode()  # all it has
    font = ImageFont.load_default_imagefont()
    _, _, right, bottom = font.getbbox(text)
    sheet = Image.new("L", (int(right) + 2, int(bottom) + 2))
    ImageDraw.Draw(sheet).text((0, 0), text, fill=255, font=font)
    box = sheet.getbbox()
    if box is None:
        return np.zeros((0, 0), np.uint8), 0
    tiny = np.asarray(sheet.crop(box))
    dot = np.full((cell, cell), 255, np.uint8)
    if cell > 2 and rng.random() < 0.6:
        dot[-1, :] = dot[:, -1] = 0
    return np.kron((tiny > 100).astype(np.uint8), dot), 0


@dataclass(frozen=True)
class Style:
    font: str
    points: int
    tone: int
    spacing: float = 0.0
    stroke: int = 0
    dots: int = 0
    soft: float = 0.0
    outline: bool = False
    plate: int = -1  # its tone, -1 for none
    opacity: float = 1.0

    @classmethod
    def draw(cls, rng: np.random.Generator, fonts: Sequence[str], *, smallest: float, largest: float) -> Style:
        light = rng.random() < 0.6
        extreme = rng.random() < 0.5
        tone = (
            (255 if extreme else int(rng.integers(140, 256)))
            if light
            else (0 if extreme else int(rng.integers(0, 110)))
        )
        points = round(math.exp(rng.uniform(math.log(smallest), math.log(largest))))
        plate = -1
        if rng.random() < 0.22:
            plate = int(rng.integers(0, 60)) if light else int(rng.integers(190, 255))
        return cls(
            font=_pick(rng, fonts),
            points=points,
            tone=tone,
            spacing=float(rng.uniform(0.05, 0.5)) if rng.random() < 0.12 else 0.0,
            stroke=1 if points >= 18 and rng.random() < 0.15 else 0,
            dots=max(1, round(points / 11)) if rng.random() < 0.1 else 0,
            soft=float(rng.uniform(0.4, 0.09 * points)) if points >= 10 and rng.random() < 0.25 else 0.0,
            outline=rng.random() < 0.12,
            plate=plate,
            opacity=float(rng.uniform(0.6, 1)) if rng.random() < 0.3 else 1.0,
        )


def _ink(line: str, style: Style, rng: np.random.Generator) -> tuple[Ink, int]:
    if style.dots:
        return dotted_ink(line, style.dots, rng)
    if style.font == "prepared":
        like = [ink for ink in PREPARED if abs(ink.shape[0] - style.points) <= 0.25 * style.points]
        return (like[int(rng.integers(len(like)))], 0) if like else (np.zeros((0, 0), np.uint8), 0)
    return line_ink(line, style.font, style.points, spacing=style.spacing, stroke=style.stroke)


def block(lines: Sequence[str], style: Style, rng: np.random.Generator) -> tuple[Ink, list[Quad]]:
    """Lines below one another as one stamp, and the corners of each."""
    inks = [_ink(line, style, rng) for line in lines]
    pitch = max(round(style.points * rng.uniform(1.1, 1.7)), 1)
    if style.dots:
        pitch = max(pitch, 13 * style.dots)
    width = max(ink.shape[1] for ink, _ in inks)
    tops = [row * pitch + above for row, (_, above) in enumerate(inks)]
    height = max((top + ink.shape[0] for top, (ink, _) in zip(tops, inks, strict=True)), default=0)
    first = min(tops)
    margin = 2 + math.ceil(2 * style.soft)
    sheet = np.zeros((height - first + 2 * margin, width + 2 * margin), np.uint8)
    quads = []
    align = int(rng.integers(3))
    for top, (ink, _) in zip(tops, inks, strict=True):
        if not ink.size:
            continue
        x = margin + (0, width - ink.shape[1], (width - ink.shape[1]) // 2)[align]
        y = margin + top - first
        part = sheet[y : y + ink.shape[0], x : x + ink.shape[1]]
        np.maximum(part, ink, out=part)
        right, bottom = x + ink.shape[1], y + ink.shape[0]
        quads.append(np.array([[x, y], [right, y], [right, bottom], [x, bottom]], float))
    if style.soft:
        sheet = np.asarray(Image.fromarray(sheet).filter(ImageFilter.GaussianBlur(style.soft)))
    return sheet, quads


def turned(ink: Ink, quads: list[Quad], degrees: float) -> tuple[Ink, list[Quad]]:
    """Counter-clockwise."""
    if degrees % 360 == 0:
        return ink, quads
    picture = Image.fromarray(ink)
    new = picture.rotate(degrees, resample=Image.Resampling.BICUBIC, expand=True)
    angle = math.radians(degrees)
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    old_middle, new_middle = np.array(picture.size) / 2, np.array(new.size) / 2
    return np.asarray(new), [(quad - old_middle) @ turn.T + new_middle for quad in quads]


def some_angle(rng: np.random.Generator) -> float:
    kind = rng.random()
    if kind < 0.4:
        return 0.0
    if kind < 0.55:
        return float(rng.normal(0, 5))
    if kind < 0.75:
        return _near(rng, (90.0, 270.0))
    if kind < 0.82:
        return _near(rng, (180.0, 180.0))
    return float(rng.uniform(0, 360))


def _near(rng: np.random.Generator, angles: tuple[float, float]) -> float:
    return angles[int(rng.integers(2))] + (float(rng.normal(0, 4)) if rng.random() < 0.3 else 0.0)


def lay(
    layers: Layers, ink: Ink, quads: list[Quad], style: Style, left: int, top: int, *, single: bool = False
) -> None:
    """Put a stamp down; parts beyond the border are lost."""
    rows, columns = layers.ink.shape
    y0, x0, y1, x1 = max(top, 0), max(left, 0), min(top + ink.shape[0], rows), min(left + ink.shape[1], columns)
    if y0 >= y1 or x0 >= x1:
        return
    ink = ink[y0 - top : y1 - top, x0 - left : x1 - left]
    here = (slice(y0, y1), slice(x0, x1))
    if style.plate >= 0:
        _lay_plate(layers, [quad + np.array([left, top]) for quad in quads], style)
    if style.outline:
        wide = np.asarray(Image.fromarray(ink).filter(ImageFilter.MaxFilter(3))) > 60
        layers.plate[here][wide] = 1 + (20 if style.tone > 127 else 235)
    solid = (ink * style.opacity).astype(np.uint8)
    stronger = solid > layers.ink[here]
    layers.ink[here][stronger] = solid[stronger]
    layers.tone[here][stronger] = style.tone
    (layers.singles if single else layers.quads).extend(quad + np.array([left, top]) for quad in quads)


def _lay_plate(layers: Layers, quads: list[Quad], style: Style) -> None:
    sheet = Image.fromarray(layers.plate)
    draw = ImageDraw.Draw(sheet)
    for quad in quads:
        middle = quad.mean(axis=0)
        away = quad - middle
        draw.polygon(
            [tuple(corner) for corner in middle + away + np.sign(away) * 0.25 * style.points],
            fill=1 + min(style.plate, 254),
        )
    layers.plate[:] = np.asarray(sheet)


def write_text(layers: Layers, rng: np.random.Generator, fonts: Sequence[str], mix: Mix) -> None:
    """One block of text somewhere, often close to the border."""
    rows, columns = layers.ink.shape
    style = Style.draw(rng, fonts, smallest=mix.smallest, largest=mix.largest)
    lines = [some_text(rng) for _ in range(int(rng.choice((1, 1, 1, 2, 3, 4, 5))))]
    while style.points * 0.6 * max(map(len, lines)) > 1.1 * max(rows, columns) and style.points > 10:
        style = Style(**{**vars(style), "points": round(style.points * 0.8), "stroke": 0})
    ink, quads = block(lines, style, rng)
    if not quads:
        return
    single = len(lines) == 1 and len(lines[0].replace(" ", "")) == 1
    ink, quads = turned(ink, quads, some_angle(rng))
    height, width = ink.shape
    left, top = (
        int(rng.integers(min(0, columns - width), max(1, columns - width + 1))),
        int(rng.integers(min(0, rows - height), max(1, rows - height + 1))),
    )
    if rng.random() < 0.4:
        gap = int(rng.integers(-2, 12))
        left = (gap, columns - width - gap)[int(rng.integers(2))] if rng.random() < 0.6 else left
        top = (gap, rows - height - gap)[int(rng.integers(2))]
    if layers.ink[max(top, 0) : max(top + height, 0), max(left, 0) : max(left + width, 0)].any():
        return
    lay(layers, ink, quads, style, left, top, single=single)


def scribble(layers: Layers, rng: np.random.Generator, mix: Mix) -> None:
    """Something drawn that is no text: wires, clips, rulers, electrodes, frames, shutters."""
    rows, columns = layers.ink.shape
    sheet = Image.new("L", (columns, rows))
    draw = ImageDraw.Draw(sheet)
    middle = rng.uniform((0, 0), (columns, rows))
    width = int(rng.integers(1, 5))
    mix.shapes[int(rng.integers(len(mix.shapes)))](draw, rng, middle, width)
    share, most = mix.blurred
    if rng.random() < share:
        sheet = sheet.filter(ImageFilter.GaussianBlur(math.exp(rng.uniform(math.log(0.3), math.log(most)))))
    ink = np.asarray(sheet)
    solid = (ink * rng.uniform(mix.faintest, 1)).astype(np.uint8)
    stronger = solid > layers.shape
    layers.shape[stronger] = solid[stronger]
    layers.shape_tone[stronger] = int(rng.choice(mix.tones))


def _wire(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    points = at + np.cumsum(rng.normal(0, 60, (4, 2)), axis=0)
    t = np.linspace(0, 1, 60)[:, None]
    curve = (
        (1 - t) ** 3 * points[0] + 3 * t * (1 - t) ** 2 * points[1] + 3 * t**2 * (1 - t) * points[2] + t**3 * points[3]
    )
    draw.line([tuple(point) for point in curve], fill=255, width=width, joint="curve")


def _electrode(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    x, y = at
    outer, inner = rng.uniform(6, 30), rng.uniform(2, 6)
    draw.ellipse((x - outer, y - outer, x + outer, y + outer), outline=255, width=width)
    if rng.random() < 0.7:
        draw.ellipse((x - inner, y - inner, x + inner, y + inner), fill=255)
    _wire(draw, rng, at, width)


def _clips(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    for _ in range(int(rng.integers(1, 7))):
        x, y = at + rng.normal(0, 40, 2)
        across = rng.uniform(-12, 12, 2)
        draw.line((x, y, x + across[0], y + across[1]), fill=255, width=width)


def _sutures(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    """Sternal wires: small loops below one another."""
    x, y = at
    size, pitch = rng.uniform(4, 14), rng.uniform(18, 50)
    for k in range(int(rng.integers(3, 8))):
        shift = rng.normal(0, 3)
        draw.ellipse(
            (x + shift - size, y + k * pitch, x + shift + size, y + k * pitch + 0.7 * size), outline=255, width=width
        )


def _ruler(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    x, y = at
    pitch, ticks = rng.uniform(4, 22), int(rng.integers(6, 40))
    upright = rng.random() < 0.5
    for k in range(ticks):
        length = (14 if k % 5 == 0 else 7) * rng.uniform(0.9, 1.1)
        along = k * pitch
        draw.line(
            (x, y + along, x + length, y + along) if upright else (x + along, y, x + along, y + length),
            fill=255,
            width=min(width, 2),
        )
    if rng.random() < 0.5:
        end = ticks * pitch
        draw.line((x, y, x, y + end) if upright else (x, y, x + end, y), fill=255, width=1)


def _frame(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    x, y = at
    across, down = rng.uniform(10, 160), rng.uniform(8, 60)
    draw.rectangle((x, y, x + across, y + down), outline=255, width=width, fill=255 if rng.random() < 0.4 else None)


def _straight(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    angle = rng.choice((0, math.pi / 2, rng.uniform(0, math.pi)))
    reach = rng.uniform(30, 600) * np.array([math.cos(angle), math.sin(angle)])
    draw.line((*(at - reach), *(at + reach)), fill=255, width=width)


def _shutter(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    angle = rng.uniform(0, 2 * math.pi)
    along, out = (
        np.array([math.cos(angle), math.sin(angle)]) * 2000,
        np.array([-math.sin(angle), math.cos(angle)]) * 2000,
    )
    draw.polygon([tuple(at - along), tuple(at + along), tuple(at + along + out), tuple(at - along + out)], fill=255)


def _blobs(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    """Buttons, stents, beads, staples: like shapes in a chain, but wider apart than letters."""
    step = rng.uniform(8, 40) * np.array([math.cos(t := rng.uniform(0, 6.3)), math.sin(t)])
    size = rng.uniform(1.5, 6)
    for k in range(int(rng.integers(2, 9))):
        x, y = at + k * step
        draw.ellipse((x - size, y - size, x + size, y + size), fill=255 if rng.random() < 0.5 else 0, outline=255)


def _arrow(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    angle, length = rng.uniform(0, 6.3), rng.uniform(12, 60)
    end = at + length * np.array([math.cos(angle), math.sin(angle)])
    draw.line((*at, *end), fill=255, width=width)
    for side in (2.6, -2.6):
        tip = end + 0.35 * length * np.array([math.cos(angle + side), math.sin(angle + side)])
        draw.line((*end, *tip), fill=255, width=width)


def _coil(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    t = np.linspace(0, rng.uniform(6, 40), 200)
    size, pitch, angle = rng.uniform(3, 12), rng.uniform(0.6, 3), rng.uniform(0, 6.3)
    x, y = pitch * t + size * np.cos(t), size * np.sin(t)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    draw.line([tuple(point) for point in np.stack([x, y], axis=1) @ turn.T + at], fill=255, width=min(width, 2))


def _grid(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    """Stripes of a grid, or of a fabric."""
    x, y = at
    pitch, reach = rng.uniform(4, 16), rng.uniform(30, 250)
    for k in range(int(rng.integers(8, 40))):
        draw.line((x + k * pitch, y, x + k * pitch, y + reach), fill=255, width=1)
        if width == 1:
            draw.line((x, y + k * pitch, x + reach, y + k * pitch), fill=255, width=1)


def _vertebrae(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    """Blocks one below the other, with rounded corners and a gap between: a spine, or a row of teeth or buttons."""
    angle = rng.choice((0, math.pi / 2)) + rng.normal(0, 0.1)
    along, aside = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    size = math.exp(rng.uniform(math.log(14), math.log(80)))
    high = size * rng.uniform(0.7, 1.8)
    for k in range(int(rng.integers(3, 12))):
        middle = at + along * k * size * 1.25 + aside * rng.normal(0, 0.05 * size)
        half = size * rng.uniform(0.42, 0.55)
        waist = high / 2 * rng.uniform(0.8, 1)
        corners = [middle + a * along * half + b * aside * c for a, b, c in _block(high / 2, waist)]
        filled = 255 if width % 2 else None
        draw.polygon([tuple(corner) for corner in corners], fill=filled, outline=255)


def _block(high: float, waist: float) -> list[tuple[float, float, float]]:
    return [(-1, -1, high), (0, -1, waist), (1, -1, high), (1, 1, high), (0, 1, waist), (-1, 1, high)]


def _ribs(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    """Arcs of like shape, side by side."""
    x, y = at
    across, down, pitch = rng.uniform(20, 240), rng.uniform(10, 120), rng.uniform(8, 45)
    start, sweep = rng.uniform(0, 360), rng.uniform(40, 160)
    for k in range(int(rng.integers(3, 10))):
        top = y + k * pitch
        draw.arc((x - across, top - down, x + across, top + down), start, start + sweep, fill=255, width=2 * width)


def _pacemaker(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    """A case with things inside, and a lead that leaves it."""
    x, y = at
    across, down = rng.uniform(18, 70, 2)
    draw.rounded_rectangle((x, y, x + across, y + down), min(across, down) * 0.4, outline=255, width=width)
    for _ in range(int(rng.integers(1, 6))):
        left, top = x + rng.uniform(0.1, 0.7) * across, y + rng.uniform(0.1, 0.7) * down
        right, bottom = left + rng.uniform(0.1, 0.3) * across, top + rng.uniform(0.1, 0.3) * down
        draw.rectangle((left, top, right, bottom), fill=255 if rng.random() < 0.5 else None, outline=255)
    _wire(draw, rng, at, width)


def _tube(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: Quad, width: int) -> None:
    """Two parallel lines, or a line of dashes."""
    points = at + np.cumsum(rng.normal(0, 50, (4, 2)), axis=0)
    t = np.linspace(0, 1, 80)[:, None]
    curve = (
        (1 - t) ** 3 * points[0] + 3 * t * (1 - t) ** 2 * points[1] + 3 * t**2 * (1 - t) * points[2] + t**3 * points[3]
    )
    apart = rng.uniform(3, 12)
    if rng.random() < 0.5:
        for shift in (0.0, apart):
            draw.line([(float(x) + shift, float(y) + 0.3 * shift) for x, y in curve], fill=255, width=min(width, 2))
    else:
        step = int(rng.integers(2, 6))
        for k in range(0, len(curve) - step, 2 * step):
            draw.line([tuple(point) for point in curve[k : k + step]], fill=255, width=width)


_SHAPES = (
    _wire,
    _wire,
    _wire,
    _electrode,
    _clips,
    _sutures,
    _ruler,
    _frame,
    _straight,
    _shutter,
    _blobs,
    _arrow,
    _coil,
)
_ANATOMY = (_grid, _vertebrae, _vertebrae, _ribs, _pacemaker, _tube)


@dataclass(frozen=True)
class Mix:
    """What is on the sheets that a network is trained on."""

    smallest: int  # points
    largest: int
    without_text: float  # share of the sheets
    shapes: tuple[Shape, ...]
    how_many: tuple[int, ...]  # shapes on a sheet
    tones: tuple[int, ...]  # of shapes
    faintest: float  # opacity of shapes
    blurred: tuple[float, float]  # share of the shapes, and up to how many pixels


FINE = Mix(9, 64, 0.12, _SHAPES, (0, 0, 1, 2, 4), (255, 255, 220, 0, 30), 0.4, (0.5, 1.5))
COARSE = Mix(8, 110, 0.2, _SHAPES + _ANATOMY, (0, 1, 2, 3, 5), (255, 255, 220, 160, 90, 30, 0), 0.15, (0.6, 4.0))


def some_layers(rng: np.random.Generator, fonts: Sequence[str], size: int, mix: Mix) -> Layers:
    """A training sheet: shapes that are no text, then text, now and then none."""
    layers = Layers.empty(size, size)
    for _ in range(int(rng.choice(mix.how_many))):
        scribble(layers, rng, mix)
    for _ in range(0 if rng.random() < mix.without_text else int(rng.integers(1, 7))):
        write_text(layers, rng, fonts, mix)
    return layers


def find_fonts(folder: Path) -> list[str]:
    return sorted(str(file) for file in folder.iterdir() if file.suffix.lower() in (".ttf", ".otf"))
