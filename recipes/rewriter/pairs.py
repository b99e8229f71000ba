"""Texts with blanks, and how each reads without them: one text a number, the same number always gives the same text.

Sentences and fields with blanks are drawn from `pairs.txt` and from the lists below; the clinical sentences around them
are the tagger's (`recipes.tagger.corpus`), and stay as they are.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from medveil.person.identifiers import Category
from recipes.tagger.corpus.grammar import Pieces, render, text_of
from recipes.tagger.corpus.lists import lines
from recipes.tagger.corpus.people import Lexicon
from recipes.tagger.corpus.visit import Visit

_OPEN, _TURN, _CLOSE = "\ue000", "\ue001", "\ue002"  # <, => and > of the list, told apart from those of clinical texts
_CHANGE = re.compile(f"{_OPEN}(.*?){_TURN}(.*?){_CLOSE}", re.DOTALL)
_BLANK = re.compile(r"\[[A-Z][A-Z0-9 ]*(?: [0-9a-f]+)?\]")
_NUMBERS = (
    "MRN ACCESSION SSN HEALTH_PLAN DEVICE_SERIAL UID OTHER_ID OTHER_ID OTHER_ID VEHICLE UDI BIOMETRIC PHOTO NETWORK"
)
_CONTACTS = "PHONE FAX EMAIL URL PHONE EMAIL"
_PEOPLE = "Mr. |Mrs. |Ms. |Mr |Mrs |Ms |Miss |Mr. |Mrs. |Master |Baby |Sra. |Smt. |Col. |Sister |Rev. |Sgt. "
_DOCTORS = "Dr. |Dr. |Dr |Dr. |DR. |Doctor |Prof. |Professor |Mr |Dr.|dr |drs. |Sr. |Capt. "
TITLES = tuple(f"{_PEOPLE}|{_DOCTORS}".split("|"))
# label, blanks; a field with no more than that is left out altogether
_FIELDS = (
    ("[Patient|Name|Patient Name|PATIENT|Pt|Pt Name|PATIENT NAME|Patient's name|Pat. Name]", "{NAME}"),
    ("[MRN|Patient ID|MR#|Med Rec No|Unit #|Hospital No|ID|UHID|URN|NHS No|Hosp No|Chart|PID|UR]", "{MRN}"),
    ("[Accession|Accession #|Acc No|ACCESSION NUMBER|Order #|Acc|Ref|Study ID|Exam #]", "{ACCESSION}"),
    ("[Referring|Referring Physician|Ordering MD|Requested by|Attending|Ordering Provider|REF MD|Physician|Ref. by|"
     "Ordering|Req Phys|Provider|Referrer|Ref|Referred by]", "{DRT}{DOCTOR}[, {CRED}| {CRED}|]"),
    ("[Hospital|Facility|Institution|FACILITY|Clinic|Location]", "{HOSPITAL}"),
    ("[Location|Ward|Room|Loc|Unit|Bed|Pat Loc|Clinic]", "{ID}"),
    ("[Phone|Tel|Home Phone|Contact|Telephone|Mob|Cell|Tel.]", "{PHONE}"),
    ("[Fax|FAX|Fx]", "{FAX}"),
    ("[Address|Home Address|Addr|Lives at]", "{ADDRESS}, {ADDRESS}, {STATE} {ADDRESS}"),
    ("[Address|Home Address|Addr]", "{ADDRESS}[, {ADDRESS}|]"),
    ("[SSN|SS#|Social Security|Insurance|Payor|Plan|Policy #|Member ID|Medicare|NHS|IHI|PPSN|BSN]", "{ID}"),
    ("[Account|Acct #|Visit #|Encounter|FIN|Case|Station|Scanner|Equipment|Serial|S/N|Job|Batch|UDI|Lot|GMC]", "{ID}"),
    ("[Technologist|Tech|Radiographer|Radiologist|Reading MD|Interpreting|Read by|Reported by|Typed by|Sono|Rdr]",
     "{DOCTOR}[, {CRED}|]"),
    ("[Technologist|Tech|Radiologist|Typist|Trans]", "{INITIALS}"),
    ("[Email|E-mail|Web|Portal]", "[{EMAIL}|{URL}]"),
    ("[PCP|Family doctor|GP|Consultant|Surgeon|Author|Verifier]", "{DRT}{DOCTOR}"),
    ("[DOB|Date of Birth|Birthdate|D.O.B.|Born]", "{DATE}"),
    ("[Time|Exam time|Arrived|Reported at]", "{TIME}"),
    ("[Guardian|Next of Kin|Emergency contact|NOK]", "{KIN}[ {PHONE}|, {PHONE}|]"),
)  # fmt: skip
_KEPT_FIELDS = (
    ("[DOB|Date of Birth|Birthdate|D.O.B.|Born]", "{dob}"),
    ("[Exam Date|Date|Study Date|Exam date/time|DATE OF EXAM|Performed|Dictated|Signed]", "{date}<[ at|] {TIME}=>>"),
    ("[Exam Date|Date|Study Date|Performed|Reported|Discharged]", "{date}"),
    ("[Age|AGE|Age/Sex|AGE/SEX|Sex/Age]", "{age}[/M|/F| / M| / F| M|y F]"),
    ("[Sex|Gender|SEX]", "[M|F|Male|Female]"),
    ("[Exam|Procedure|Study|EXAMINATION|Modality]", "{exam}"),
    ("[Status|Priority|Class]", "[Final|STAT|Routine|Inpatient|OUTPATIENT|Preliminary]"),
    ("[Reason|Indication|Dx|Clinical info|Reason for exam]", "[{symptom}|{dx}]"),
    ("[Pages|Images|Views]", "{small}"),
    ("[Allergies|Weight|Height]", "[NKDA|{num} kg|{num} cm|{drug}]"),
    ("[Next of Kin|Emergency contact|NOK]", "<{KIN} (=>>{rel}<)[ {PHONE}| tel {PHONE}|]=>>"),
)  # fmt: skip
_LETTERHEAD = (
    "<{HOSPITAL}=>>", "<{HOSPITAL}[ - |, ]=>>{dept}", "{dept}", "<{ADDRESS}, {ADDRESS}, {STATE} {ADDRESS}=>>",
    "<{ADDRESS}=>>", "<{ADDRESS}, {STATE} {ADDRESS}=>>", 
    "<[Tel|Phone|Telephone|T|Tel.][:|] {PHONE}[  | * |, ][Fax|F|fax][:|] {FAX}=>>",
    "<[Tel |Phone |]{PHONE}=>>", "<{URL}=>>", "<{EMAIL}=>>", "<{DOCTOR}[, {CRED}|]=>>", "<{NAME}=>>", "{date}",
    "<{ADDRESS} {ADDRESS}=>>", "<[Attn:|To:|From:] {DRT}{DOCTOR}=>>", "<{HOSPITAL} {HOSPITAL}=>>",
)  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """`text` has blanks; characters [start, end) of it become `words`, for each change."""

    text: str
    changes: tuple[tuple[int, int, str], ...]


@cache
def sentences() -> dict[str, tuple[str, ...]]:
    """By the heading they stand under."""
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("pairs.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            found[line[3:]] = []
        elif line and not line.startswith("#"):
            found[list(found)[-1]].append(line)
    return {name: tuple(own) for name, own in found.items()}


class Writer:
    """One text with blanks in the making."""

    def __init__(self, number: int, lexicon: Lexicon) -> None:
        self.rng = random.Random(number)
        self.visit = Visit(self.rng, lexicon)
        self._known = f"[PATIENT {self.rng.getrandbits(64):016x}]" if self.rng.random() < 0.5 else "[NAME]"

    def write(self, template: str) -> str:
        marked = template.replace("=>", _TURN)
        marked = re.sub(f"<(?=[^<>]*{_TURN})", _OPEN, marked)
        marked = re.sub(f"(?<={_TURN})([^<>{_OPEN}]*)>", rf"\1{_CLOSE}", marked)
        return text_of(render(marked, self.rng, self._slot))

    def _slot(self, name: str) -> Pieces:
        return [(text, None) for text in self._drawn(name)]

    def _drawn(self, name: str) -> list[str]:
        rng = self.rng
        match name:
            case "NAME":
                return [self._known if rng.random() < 0.9 else "[NAME]"]
            case "KIN":
                return ["[NAME]"]
            case "DOCTOR":
                return ["[DOCTOR]" if rng.random() < 0.95 else "[NAME]"]
            case "ID":
                return [_tag(rng.choice(_NUMBERS.split()))]
            case "MRN" | "ACCESSION":
                return [_tag(name if rng.random() < 0.9 else "OTHER_ID")]
            case "CONTACT":
                return [_tag(rng.choice(_CONTACTS.split()))]
            case "MR":
                return [rng.choice(_PEOPLE.split("|")) if rng.random() < 0.45 else ""]
            case "DRT":
                return [rng.choice(_DOCTORS.split("|")) if rng.random() < 0.75 else ""]
            case "CRED":
                return [
                    "M.D." if rng.random() < 0.15 else "MD" if rng.random() < 0.2 else rng.choice(lines("credentials"))
                ]
            case "ANY":  # what somebody is called by, or does
                return [rng.choice(lines(rng.choice(("honours", "jobs", "relations")))).strip()]
            case "STATE":
                return [rng.choice(lines("states"))]
            case "PLAN":
                return [rng.choice(lines("plans"))]
            case _ if name in Category.__members__ or name == "REMOVED":
                return [_tag(name)]
        return [self._clinical(name)]

    def _clinical(self, name: str) -> str:
        """Drawn until it identifies nobody, dates aside."""
        while True:
            pieces = self.visit.slot(name)
            known = all(kind in (None, Category.DATE, Category.AGE_OVER_89) for _, kind in pieces)
            if known and not _BLANK.search(text_of(pieces)):
                return "".join("90+" if kind is Category.AGE_OVER_89 else text for text, kind in pieces)

    # whole texts

    def text(self) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.4:
            return self._report()
        if kind < 0.75:
            return self._sentences(rng.randint(1, 9), 0.55, rng.choice((" ", " ", "\n", "; ", ". ")))
        if kind < 0.87:
            return self._letter()
        return self.write(rng.choice([one for some in sentences().values() for one in some]))

    def _report(self) -> str:
        rng = self.rng
        parts = [self._letterhead()] if rng.random() < 0.5 else []
        if rng.random() < 0.8:
            parts.append(self._block())
        for _ in range(rng.randint(1, 5)):
            head = rng.choice(lines("sections"))
            body = self._sentences(rng.randint(1, 4), 0.25, " ")
            parts.append(head + rng.choice((": ", ":\n", "\n", ":  ", " - ")) + body)
        for _ in range(rng.randint(0, 3)):
            parts.append(self.write(rng.choice(sentences()["signatures and clerks"])))
        return rng.choice(("\n\n", "\n", "\n\n")).join(parts)

    def _letterhead(self) -> str:
        return "\n".join(self.write(self.rng.choice(_LETTERHEAD)) for _ in range(self.rng.randint(1, 5)))

    def _letter(self) -> str:
        rng = self.rng
        subject = self.write(rng.choice([one for one in sentences()["times, days and numbers"] if "[Re|" in one]))
        greeting = self.write(
            rng.choice(("Dear <{DRT}{DOCTOR}=>colleague>,", "Dear <{MR}{NAME}=>patient>,", "Dear colleague,"))
        )
        close = self.write(
            "[Yours sincerely|Sincerely|Kind regards|Best regards],\n\n<{DOCTOR}[, {CRED}| {CRED}|]=>>"
            "[\n<{EMAIL}, pager {PHONE}=>>|\n<{PHONE}=>>|\n{specialty}|]"
        )
        body = self._sentences(rng.randint(2, 7), 0.5, " ")
        parts = [self._letterhead(), subject, greeting, body, close]
        if rng.random() < 0.5:
            parts.append(self.write(rng.choice(sentences()["signatures and clerks"])))
        return "\n\n".join(parts)

    def _block(self) -> str:
        """Labelled values, one to a line, in columns, or in one line."""
        rng = self.rng
        colon = rng.choice((": ", ": ", ":", ":  ", " - ", " ", ":\t", " = ", ":   "))
        cells = []
        for _ in range(rng.randint(2, 11)):
            blank = rng.random() < 0.62
            label, value = rng.choice(_FIELDS if blank else _KEPT_FIELDS)
            cells.append(self.write(f"<{label}{colon}{value}=>>" if blank else f"{label}{colon}{value}"))
        layout = rng.random()
        if layout < 0.5:
            return "\n".join(cells)
        if layout < 0.75:
            width = rng.choice((30, 36, 40, 46))
            rows = [cells[place : place + 2] for place in range(0, len(cells), 2)]
            return "\n".join(
                (row[0] + " " * max(width - len(row[0]), 2)).join(("", row[1])) if len(row) == 2 else row[0]
                for row in rows
            )
        return rng.choice((" | ", "   ", " / ", ", ", "; ", " // ", "\t", "  ")).join(cells)

    def _sentences(self, count: int, blanks: float, separator: str) -> str:
        return separator.join(_capital(self._sentence(blanks), self.rng) for _ in range(count))

    def _sentence(self, blanks: float) -> str:
        rng = self.rng
        if rng.random() < blanks:
            kind = rng.choices(list(sentences()), (40, 14, 42, 18, 34, 62, 20, 6))[0]
            return self.write(rng.choice(sentences()[kind]))
        table = rng.choice(
            ("radiology", "radiology", "clinical", "narrative", "catalogue", "values", "fragments_plain")
        )
        while True:
            pieces = self.visit.write(rng.choice(lines(table)))
            if all(kind in (None, Category.DATE) for _, kind in pieces) and not _BLANK.search(text_of(pieces)):
                return text_of(pieces)


def pair(number: int, lexicon: Lexicon) -> Pair:
    writer = Writer(number, lexicon)
    return _read(_disturbed(writer.text(), writer.rng))


def _tag(name: str) -> str:
    return "[" + name.replace("_", " ") + "]"


def _capital(text: str, rng: random.Random) -> str:
    return text[:1].upper() + text[1:] if rng.random() < 0.85 else text


def _disturbed(text: str, rng: random.Random) -> str:
    """In small or capital letters, without signs, or wrapped: as people write who are in a hurry."""
    kind = rng.random()
    if kind < 0.14:
        text = _outside_blanks(text, str.lower)
    elif kind < 0.2:
        text = _outside_blanks(text, str.upper)
    if rng.random() < 0.08:
        text = _outside_blanks(text, lambda piece: re.sub(r"[.,:;](?=\s|$)", "", piece))
    if rng.random() < 0.15:
        text = _wrapped(text, rng.choice((60, 72, 80, 88)))
    return text


def _outside_blanks(text: str, change: object) -> str:
    pieces = re.split(f"({_BLANK.pattern}|{_TURN}[^{_CLOSE}]*{_CLOSE})", text)
    return "".join(piece if place % 2 else change(piece) for place, piece in enumerate(pieces))  # type: ignore[operator]


def _wrapped(text: str, width: int) -> str:
    """Lines broken at spaces; the marks of changes take no room, and what is written anew is not broken."""
    out, column, written = [], 0, False
    for word in re.split(r"( |\n)", text):
        written = (written or _TURN in word) and _CLOSE not in word.rpartition(_TURN)[2]
        if word == " " and column > width and not written:
            out.append("\n")
            column = 0
        else:
            out.append(word)
            column = 0 if word == "\n" else column + len(word)
    return "".join(out)


def _read(marked: str) -> Pair:
    text, changes, place = "", [], 0
    for change in _CHANGE.finditer(marked):
        text += marked[place : change.start()]
        changes.append((len(text), len(text) + len(change[1]), change[2]))
        text += change[1]
        place = change.end()
    return Pair(text + marked[place:], tuple(changes))
