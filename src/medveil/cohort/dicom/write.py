"""Rewriting a DICOM file so that only the named attributes change; every other byte is copied.

The preamble, private and unknown attributes, odd lengths, undefined lengths, compressed fragments and even
trailing bytes stay as they were. What follows from a change is kept consistent: the lengths of enclosing
items and sequences, and group length elements where the file has them.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydicom.charset import convert_encodings
from pydicom.datadict import dictionary_VR
from pydicom.dataelem import DataElement
from pydicom.filebase import DicomBytesIO
from pydicom.filewriter import write_data_element
from pydicom.tag import Tag
from pydicom.uid import UID, DeflatedExplicitVRLittleEndian

from medveil.cohort.dicom.elements import Element, Encoding, Layout, elements, items
from medveil.cohort.dicom.opening import head_of, may_be_dicom, quarantining
from medveil.errors import InputError, Quarantined
from medveil.runtime.storage import atomic_path

# An attribute of the dataset, or (sequence, item number, ..., attribute) inside sequences; by tag or keyword.
TagPath = int | str | tuple[int | str, ...]
Steps = tuple[int, ...]
Changes = dict[Steps, Any]

_CANNOT = "attribute cannot be rewritten"
_CHARACTER_SET = 0x00080005
_TRANSFER_SYNTAX = (0x00020010,)
_META_ENCODING = Encoding(implicit=False, little=True)


def rewrite(source: Path, target: Path, changes: Mapping[TagPath, Any]) -> None:
    """Write `source` to `target` with attributes set (a value or a pydicom DataElement) or deleted (None).

    What cannot be parsed, or would not come out byte for byte, is `Quarantined`; nothing is written then.
    """
    head = head_of(source)
    if not may_be_dicom(head):
        raise Quarantined("not a DICOM file")
    wanted = {_numeric(path): value for path, value in changes.items()}
    original = source.read_bytes()
    with quarantining("damaged DICOM file"):
        layout = Layout.of(original)
        list(elements(layout.dataset, 0, len(layout.dataset), layout.encoding))
    result = _assemble(layout, wanted) if wanted else original
    with atomic_path(target) as temporary:
        temporary.write_bytes(result)
        with quarantining("rewriting changed other attributes"):
            _verify(layout, Layout.of(temporary.read_bytes()), {path[0] for path in wanted})


def _numeric(path: TagPath) -> Steps:
    if not isinstance(path, tuple):
        return (int(Tag(path)),)
    if len(path) % 2 == 0:
        raise InputError("a path into a sequence must read (sequence, item number, ..., attribute)")
    return tuple(int(Tag(step)) if place % 2 == 0 else int(step) for place, step in enumerate(path))


def _assemble(layout: Layout, wanted: Changes) -> bytes:
    meta = {path: value for path, value in wanted.items() if path[0] >> 16 == 0x0002}
    inside = {path: value for path, value in wanted.items() if path[0] >> 16 != 0x0002}
    deflated = layout.deflated
    if _TRANSFER_SYNTAX in meta:
        deflated = _new_syntax(layout, meta[_TRANSFER_SYNTAX])
    front = layout.front
    if meta:
        changed = _edited(front, layout.meta_at, len(front), _META_ENCODING, meta, ["iso8859"])
        front = front[: layout.meta_at] + changed
    dataset = layout.dataset
    if inside:
        dataset = _edited(dataset, 0, len(dataset), layout.encoding, inside, ["iso8859"])
    return front + (_deflate(dataset) if deflated else dataset)


def _new_syntax(layout: Layout, value: Any) -> bool:
    """Whether the new transfer syntax deflates; it may not ask for another encoding of what is copied."""
    syntax = UID(value.value if isinstance(value, DataElement) else value or "")
    encoding = layout.encoding
    if not syntax.is_transfer_syntax or (syntax.is_implicit_VR, syntax.is_little_endian) != (
        encoding.implicit,
        encoding.little,
    ):
        raise Quarantined("unsupported transfer syntax")
    return bool(syntax == DeflatedExplicitVRLittleEndian)


def _deflate(dataset: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    deflated = packer.compress(dataset) + packer.flush()
    return deflated + b"\0" * (len(deflated) % 2)


def _edited(data: bytes, start: int, stop: int, encoding: Encoding, changes: Changes, charset: list[str]) -> bytes:
    """The elements from `start` to `stop` with the changes in place."""
    spans = list(elements(data, start, stop, encoding))
    charset = _charset(data, spans, charset)
    deeper: dict[int, dict[int, Changes]] = {}
    for (tag, *rest), value in changes.items():
        if rest:
            deeper.setdefault(tag, {}).setdefault(rest[0], {})[tuple(rest[1:])] = value
    _refuse_absent(deeper, spans)
    pieces: list[tuple[int, bytes]] = []
    for span in spans:
        if (span.tag,) in changes:
            continue
        if span.tag in deeper:
            pieces.append((span.tag, _edited_sequence(data, span, encoding, deeper[span.tag], charset)))
        else:
            pieces.append((span.tag, data[span.start : span.end]))
    known = {span.tag: span.vr for span in spans}
    for path, value in changes.items():
        if len(path) == 1 and value is not None:
            piece = _encoded(path[0], value, known.get(path[0]), encoding, charset)
            # Into tag order, leaving the order of everything else alone.
            place = next((k for k, (tag, _) in enumerate(pieces) if tag > path[0]), len(pieces))
            pieces.insert(place, (path[0], piece))
    _mend_group_lengths(pieces, spans, encoding)
    tail = spans[-1].end if spans else start
    return b"".join(piece for _, piece in pieces) + data[tail:stop]


def _refuse_absent(deeper: dict[int, dict[int, Changes]], spans: list[Element]) -> None:
    if set(deeper) - {span.tag for span in spans}:
        raise Quarantined(_CANNOT)


def _charset(data: bytes, spans: list[Element], inherited: list[str]) -> list[str]:
    for span in spans:
        if span.tag == _CHARACTER_SET:
            names = data[span.value : span.end].decode("ascii", "replace").strip("\0 ").split("\\")
            with quarantining("unknown character set"):
                return list(convert_encodings([name.strip() for name in names]))
    return inherited


def _edited_sequence(
    data: bytes, span: Element, encoding: Encoding, changes: dict[int, Changes], charset: list[str]
) -> bytes:
    found = items(data, span, encoding)
    if any(not 0 <= number < len(found) for number in changes):
        raise Quarantined(_CANNOT)
    body = b"".join(
        _edited_item(data, item, encoding, changes[number], charset)
        if number in changes
        else data[item.start : item.end]
        for number, item in enumerate(found)
    )
    rest = found[-1].end if found else span.value
    return _with_length(data, span, encoding, body + data[rest : span.content_end])


def _edited_item(data: bytes, item: Element, encoding: Encoding, changes: Changes, charset: list[str]) -> bytes:
    body = _edited(data, item.value, item.content_end, encoding, changes, charset)
    return _with_length(data, item, encoding, body)


def _with_length(data: bytes, span: Element, encoding: Encoding, body: bytes) -> bytes:
    """Header, body and delimiter of a sequence or item; a defined length (its last four bytes) is renewed."""
    header = data[span.start : span.value]
    if span.undefined:
        return header + body + data[span.content_end : span.end]
    return header[:-4] + len(body).to_bytes(4, "little" if encoding.little else "big") + body


def _encoded(tag: int, value: Any, known: str | None, encoding: Encoding, charset: list[str]) -> bytes:
    file = DicomBytesIO()
    file.is_implicit_VR, file.is_little_endian = encoding.implicit, encoding.little
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if not isinstance(value, DataElement):
                value = DataElement(tag, _vr(tag, value, known), value)
            write_data_element(file, value, charset)
    except Exception:
        # pydicom's own words would quote the value.
        raise Quarantined(_CANNOT) from None
    return bytes(file.getvalue())


def _vr(tag: int, value: Any, known: str | None) -> str:
    """The dictionary's VR, by the file's own where it leaves a choice; the file's for what it does not know."""
    try:
        choices = str(dictionary_VR(tag)).split(" or ")
    except KeyError:
        return known or ("UN" if isinstance(value, bytes) else "LO")
    return known if known in choices else choices[-1] if choices[-1] == "OW" else choices[0]


def _mend_group_lengths(pieces: list[tuple[int, bytes]], before: list[Element], encoding: Encoding) -> None:
    """Group length elements, where present, follow the change in size of their group."""
    order = "little" if encoding.little else "big"
    for place, (tag, piece) in enumerate(pieces):
        if tag & 0xFFFF or len(piece) < 12:
            continue
        group = tag >> 16
        old = sum(span.end - span.start for span in before if span.tag >> 16 == group)
        new = sum(len(other) for other_tag, other in pieces if other_tag >> 16 == group)
        if old != new:
            length = int.from_bytes(piece[-4:], order) + new - old  # type: ignore[arg-type]
            pieces[place] = (tag, piece[:-4] + max(0, length).to_bytes(4, order))  # type: ignore[arg-type]


def _verify(before: Layout, after: Layout, touched: set[int]) -> None:
    """Every untouched top-level element must have the very same bytes, in the same order."""
    mended = {tag & 0xFFFF0000 for tag in touched}
    same = before.front[: before.meta_at] == after.front[: after.meta_at]
    for old, new, encoding in (
        (before.front[before.meta_at :], after.front[after.meta_at :], _META_ENCODING),
        (before.dataset, after.dataset, before.encoding),
    ):
        same = same and _kept(old, encoding, touched | mended) == _kept(new, encoding, touched | mended)
    if not same or before.encoding != after.encoding:
        raise Quarantined("rewriting changed other attributes")


def _kept(data: bytes, encoding: Encoding, touched: set[int]) -> list[bytes]:
    return [data[span.start : span.end] for span in elements(data, 0, len(data), encoding) if span.tag not in touched]
