"""Every byte of the output, searched for everything that is known to identify somebody.

What is sought for in all files must be distinctive: numbers, addresses, and whole names that no surrogate can be. A
person's single names and dates are sought in that person's own files only, for they may well stand in others: as
another's, or as a surrogate.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import struct
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ahocorasick_rs import BytesAhoCorasick

from medveil.cohort.dicom.elements import PIXEL_DATA, Layout, elements
from medveil.errors import Quarantined
from medveil.person.identifiers import Category
from medveil.person.person import Known
from medveil.person.search.ordinary_words import is_ordinary
from medveil.person.surrogates.stock import MEN, SURNAMES, WOMEN

ROWS = 1024  # of a table at a time
SHORTEST = 4  # characters; shorter strings turn up everywhere and prove nothing
SHORTEST_IN_NOISE = 8  # characters; megabytes of noise spell shorter words by chance, dark pixels in UTF-16 too
ENCODINGS = ("utf-8", "latin-1", "utf-16-le", "utf-16-be")
_NAMES = frozenset({Category.NAME, Category.DOCTOR})
_PERSONAL = frozenset({Category.DATE, Category.INITIALS, Category.HOSPITAL})
_INVENTED = frozenset(name.lower() for name in (*WOMEN, *MEN, *SURNAMES))
_NEVER = frozenset({Category.TIME, Category.AGE_OVER_89, Category.INITIALS})
_LEAST_DISTINCTIVE = 6
_WORD = re.compile(rb"[0-9A-Za-z]")


class KnownBytes:
    """Strings to search for, set up once and asked file by file."""

    def __init__(self, needles: Mapping[bytes, Category]) -> None:
        self._needles = list(needles.items())
        self._search = BytesAhoCorasick(list(needles)) if needles else None

    @classmethod
    def own(cls, known: Iterable[Known]) -> KnownBytes:
        """For the files of the person these are known of."""
        return cls({needle: one.category for one in known for form in forms(one) for needle in _encoded(form)})

    def found_in(self, content: bytes) -> dict[Category, int]:
        """How often each kind of identifier stands in these bytes as a whole word."""
        if self._search is None:
            return {}
        counts: Counter[Category] = Counter()
        for piece, noise in _opened(content):
            counts.update(self._counted(self._search, piece, noise))
        return dict(counts)

    def _counted(self, search: BytesAhoCorasick, content: bytes, noise: tuple[int, int]) -> dict[Category, int]:
        lowered = content.lower()
        counts: dict[Category, int] = defaultdict(int)
        for which, start, end in search.find_matches_as_indexes(lowered, overlapping=True):
            needle, category = self._needles[which]
            wide = 2 if b"\0" in needle else 1  # bytes a character
            if noise[0] <= start < noise[1] and end - start < SHORTEST_IN_NOISE * wide:
                continue
            if not _is_word(lowered[max(0, start - wide) : start]) and not _is_word(lowered[end : end + wide]):
                counts[category] += 1
        return dict(counts)


def _is_word(character: bytes) -> bool:
    """Whether a neighbour in the same encoding is a letter or a digit, so that the find is a piece of a word."""
    return _WORD.fullmatch(character.replace(b"\0", b"")) is not None


def distinctive_needles(known: Iterable[Known]) -> dict[bytes, Category]:
    """What can hardly be anyone else's, in every form and encoding; a number that is a date may be any day."""
    known = list(known)
    dates = {one.value for one in known if one.category is Category.DATE}
    return {
        needle: one.category
        for one in known
        if one.category is not Category.OTHER_ID or one.value not in dates
        for form in forms(one)
        if _distinctive(form, one.category)
        for needle in _encoded(form)
    }


def forms(known: Known) -> set[str]:
    """The ways this value may have been written; nothing that turns up by chance."""
    if known.category in _NEVER:
        return set()
    value = known.value.strip()
    found = {value}
    match known.category:
        case Category.NAME | Category.DOCTOR:
            found |= {form for writing in value.split("=") for form in _name_forms(writing)}
        case Category.DATE:
            found |= _date_forms(value)
        case Category.PHONE | Category.FAX | Category.SSN | Category.HEALTH_PLAN | Category.MRN | Category.ACCESSION:
            found.add(re.sub(r"[^0-9A-Za-z]", "", value))
    return {form for form in found if len(form) >= _shortest(form) and not is_ordinary(form.lower())}


def _shortest(form: str) -> int:
    """Characters that prove something; of signs that are words or syllables two are as many as four letters."""
    return SHORTEST if form < "\u3040" else SHORTEST // 2


def _name_forms(name: str) -> set[str]:
    """Family, given and middle name, and the first two together; the rest, titles and degrees, are anyone's."""
    parts = [part for piece in name.split("^")[:3] for part in re.split(r"[,\s]+", piece) if part]
    if len(parts) < 2:
        return set(parts)
    last, first = parts[:2]
    return {*parts, f"{first} {last}", f"{last} {first}", f"{last}, {first}", f"{last}^{first}", f"{last},{first}"}


def _date_forms(value: str) -> set[str]:
    digits = re.sub(r"\D", "", value)[:8]
    try:
        day = dt.datetime.strptime(digits, "%Y%m%d").date()
    except ValueError:
        return set()
    return {
        f"{day:%Y%m%d}",
        f"{day:%Y-%m-%d}",
        f"{day:%m/%d/%Y}",
        f"{day.month}/{day.day}/{day.year}",
        f"{day:%d.%m.%Y}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%B} {day.year}",
        f"{day:%d-%b-%Y}",
    }


def _distinctive(form: str, category: Category) -> bool:
    """Whether this can hardly be anyone else's, nor an invented surrogate."""
    if category in _PERSONAL:
        return False
    if category in _NAMES:
        return _is_nobody_elses(form)
    return len(form) >= _LEAST_DISTINCTIVE and any(character.isdigit() for character in form)


def _is_nobody_elses(name: str) -> bool:
    """Whether these are several words of a name, not all of which surrogates are drawn from or a text may have."""
    words = re.findall(r"[^\W\d_]+", name.lower())
    telling = [word for word in words if word not in _INVENTED and not is_ordinary(word)]
    return len(words) > 1 and min(map(len, words)) > 2 and bool(telling)


def _encoded(form: str) -> set[bytes]:
    found = set()
    for encoding in ENCODINGS:
        try:
            found.add(form.encode(encoding).lower())
        except UnicodeEncodeError:
            continue
    return found


def _opened(content: bytes) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """The bytes as they read once inflated, and where compressed or pixel data lie, which spell words by chance."""
    if content.startswith(b"\x89PNG"):
        yield content, (max(content.find(b"IDAT"), 0), content.rfind(b"IEND"))
    elif content.startswith(b"\xff\xd8"):
        yield content, (max(content.find(b"\xff\xda"), 0), len(content))
    elif content.startswith(b"PAR1"):
        yield content, (0, len(content))
        yield from ((cells, (0, 0)) for cells in _cells(content))
    else:
        yield _inflated(content)


def _cells(parquet: bytes) -> Iterator[bytes]:
    """Everything in a table, some rows at a time; one that cannot be read is told by the check of its rows."""
    from pyarrow import ArrowException, BufferReader
    from pyarrow.csv import write_csv
    from pyarrow.parquet import ParquetFile

    try:
        for batch in ParquetFile(BufferReader(parquet)).iter_batches(ROWS):
            text = io.BytesIO()
            write_csv(batch, text)
            yield text.getvalue()
    except (ArrowException, OSError, ValueError):
        return


def _inflated(content: bytes) -> tuple[bytes, tuple[int, int]]:
    try:
        layout = Layout.of(content)
        content = layout.front + layout.dataset
        for element in elements(layout.dataset, 0, len(layout.dataset), layout.encoding):
            if element.tag == PIXEL_DATA:
                return content, (len(layout.front) + element.value, len(layout.front) + element.end)
    except (Quarantined, ValueError, IndexError, struct.error, zlib.error):
        pass
    return content, (0, 0)
