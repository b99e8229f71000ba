"""Whole texts of many kinds: reports, letters, summaries, nursing notes, tables, messages, single phrases."""

from __future__ import annotations

from collections.abc import Callable

from recipes.tagger.corpus.dictation import dictated
from recipes.tagger.corpus.dictation_abroad import dictated_abroad
from recipes.tagger.corpus.grammar import Pieces, capitalized, text_of
from recipes.tagger.corpus.lists import lines
from recipes.tagger.corpus.terms import TONGUES
from recipes.tagger.corpus.visit import Visit

_FIELDS = tuple(tuple(line.split(" = ", 1)) for line in lines("fields"))


def _join(separator: str, parts: list[Pieces]) -> Pieces:
    pieces: Pieces = []
    for number, part in enumerate(parts):
        if number:
            pieces.append((separator, None))
        pieces.extend(part)
    return pieces


def _mention(visit: Visit) -> Pieces:
    kind = visit.rng.random()
    table = lines(
        "people" if kind < 0.45 else "times_and_places" if kind < 0.7 else "numbers" if kind < 0.82 else "everyday"
    )
    return visit.write(visit.rng.choice(table))


def _unnamed(kind: float, *, clinical: bool) -> str:
    """The list for a sentence that identifies nobody."""
    if kind < 0.45:
        return "narrative" if kind < 0.23 else "catalogue"
    return "clinical" if clinical else "radiology"


def _sentences(visit: Visit, count: int, *, named: float, clinical: float = 0.0, separator: str = " ") -> Pieces:
    said = []
    for _ in range(count):
        if visit.chance(named):
            piece = _mention(visit)
        else:
            kind = visit.rng.random()
            piece = visit.write(visit.rng.choice(lines(_unnamed(kind, clinical=visit.chance(clinical)))))
        said.append(capitalized(piece) if visit.chance(0.9) else piece)
    return _join(separator, said)


def _block(visit: Visit, count: int) -> Pieces:
    """Labelled values, one to a line, in columns, or in one line."""
    fields = visit.rng.sample(_FIELDS, min(count, len(_FIELDS)))
    if visit.chance(0.8) and _FIELDS[0] not in fields:
        fields[0] = _FIELDS[0]
    colon = visit.rng.choice([": ", ": ", ":", ":  ", " - ", " ", ":\t", " = "])
    layout = visit.rng.random()
    cells = []
    for label, value in fields:
        head = visit.write(label)
        cells.append([*head, (colon, None), *visit.write(value)] if visit.chance(0.93) else visit.write(value))
    if layout < 0.5:
        width = visit.rng.choice([0, 0, 14, 18])
        if width:
            cells = [
                [((text_of(visit.write(label)) + " ").ljust(width), None), *visit.write(value)]
                for label, value in fields
            ]
        return _join("\n", cells)
    if layout < 0.75:
        rows, width = [], visit.rng.choice([30, 36, 40, 46])
        for place in range(0, len(cells), 2):
            left = cells[place]
            gap = " " * max(width - len(text_of(left)), 1 + (layout < 0.7))
            rows.append(_join(gap, cells[place : place + 2]))
        return _join("\n", rows)
    return _join(visit.rng.choice([" | ", "   ", " / ", ", ", "; ", " // ", "\t", "  "]), cells)


def _letterhead(visit: Visit) -> Pieces:
    return visit.write(
        "[{hosp}|{hosp}\n{dept}|{dept}\n{hosp}|{hosp} {dept}|{hosp} - "
        "{dept}][\n{street}, {town}, {st} {zip}|\n{street}\n{town}, {st} {zip}|"
        "\n{town}, {st}|]"
        "[\n[Tel|Phone|Telephone|T] {phone}[  | * |, |\n][Fax|F|fax] {fax}|\n{phone}|][\n{url}|\n{email}|]"
    )


def _ending(visit: Visit) -> Pieces:
    return visit.write(visit.rng.choice(lines("endings")))


def report(visit: Visit) -> Pieces:
    parts: list[Pieces] = []
    if visit.chance(0.5):
        parts.append(_letterhead(visit))
    parts.append(_block(visit, visit.rng.randint(2, 12)))
    sections = visit.rng.sample(
        ["INDICATION", "TECHNIQUE", "COMPARISON", "FINDINGS", "IMPRESSION", "HISTORY", "CLINICAL INFORMATION", "EXAM"],
        visit.rng.randint(2, 6),
    )
    for head in sections:
        name = visit.rng.choice([head, head.title(), head.lower()])
        body = (
            visit.write(visit.rng.choice(lines("times_and_places")[:4]))
            if head == "COMPARISON" and visit.chance(0.7)
            else _sentences(
                visit,
                visit.rng.randint(1, 5),
                named=0.12,
                clinical=0.5 if head in ("HISTORY", "INDICATION") else 0.05,
            )
        )
        parts.append([(name + visit.rng.choice([": ", ":\n", "\n", ":  ", " - "]), None), *body])
    if visit.chance(0.45):
        parts.append(_mention(visit))
    parts.append(_ending(visit))
    return _join(visit.rng.choice(["\n\n", "\n", "\n\n", "\n \n"]), parts)


def prose(visit: Visit) -> Pieces:
    heading = visit.write(
        "[RADIOLOGY REPORT   {hosp}\n|{hosp}\n|CHEST, {date}\n|{exam} {date}\n|][RE: |"
        "Re: |]{pf}[, | ][unit no. |MRN |# |]{mrn}[, born {dob}| DOB {dob}|]"
    )
    body = _sentences(visit, visit.rng.randint(4, 12), named=0.2, clinical=0.2)
    return _join("\n\n" if visit.chance(0.7) else "\n", [heading, body, _ending(visit)])


def telegram(visit: Visit) -> Pieces:
    head = visit.write(
        "[{pf} {mrn} CXR {date} {time}|{date} {time} pCXR // {pf} // {mrn} // {acc}|pt "
        "{p} #{mrn} rm {room} CXR {date}|{hs} CXR {acc} {pf} DOB {dob}|{pf} {agex}[M|"
        "F] {mrn}|{plast} {room} {mrn}]"
    )
    bullet = visit.rng.choice(["- ", "* ", "• ", "", "-"])
    lines = [[(bullet, None), *_sentences(visit, 1, named=0.18, clinical=0.4)] for _ in range(visit.rng.randint(2, 8))]
    call = visit.write(
        "[d/w {dr} {time}|called {room} {time}, spoke w/ {dfull}|pgd Dr. {d} p{ext}|"
        "pt's {rel} {kin} aware, {phone}|prelim to ED, {p}, {time}|hx {symptom} since "
        "{ld}|req {dr}|cf {ld}|prior {ld}]"
    )
    sign = visit.write(
        "[{di}/{ti} {date}|- {di} {date} {time} acc {acc}|{dsig} x{ext}|rad: {di}  "
        "tech: {di}  unit s/n {serial}|{di} {time}|{di}]"
    )
    return _join("\n", [head, *lines, call, sign])


def letter(visit: Visit) -> Pieces:
    parts = [_letterhead(visit)]
    if visit.chance(0.6):
        parts.append(visit.write("[{date}|Date: {date}|{town}, {date}|{town}, den {date}]"))
    if visit.chance(0.6):
        parts.append(visit.write("[Dr. |Dr |]{dsig}\n[{hosp}\n|{specialty}\n|]{street}\n{town}[, {st}|] {zip}"))
    parts.append(
        visit.write(
            "[RE|Re|Regarding|Reference|Betreff][: |:]{pf}[, DOB {dob}| ({dob})|, born "
            "{dob}|][, MRN {mrn}|, your ref {oid}|][, {street}, {town}, {st} {zip}|"
            "][\n{plan} {plann}|]"
        )
    )
    parts.append(visit.write("Dear [{dr}|{dr}|Colleague|Sir or Madam|Doctor {dlast}|{dfirst}|{p}],"))
    parts.append(_sentences(visit, visit.rng.randint(3, 9), named=0.35, clinical=0.5))
    parts.append(
        visit.write(
            "[Yours sincerely|Sincerely|With kind regards|Kind regards|Best regards|"
            "Sincerely yours],\n\n{dsig}\n[{specialty}\n|][{email}, pager {ext}|{email}|"
            "{phone}|Tel {phone}, Fax {fax}|{hosp}|]"
        )
    )
    if visit.chance(0.5):
        parts.append(
            visit.write(
                "[{di}/{ti}|{di}:{ti} {date}|cc: {p}\n{street}\n{town}, {st} {zip}|c.c. {dr}, "
                "{hosp}|Dictated {date} {time}, {di}/{ti}|Enc.]"
            )
        )
    return _join("\n\n", parts)


def summary(visit: Visit) -> Pieces:
    parts = [_letterhead(visit)] if visit.chance(0.4) else []
    parts.append(_block(visit, visit.rng.randint(3, 9)))
    for _ in range(visit.rng.randint(3, 7)):
        head = text_of(visit.write("{section}"))
        parts.append(
            [
                (head + visit.rng.choice([": ", ":\n", "\n"]), None),
                *_sentences(visit, visit.rng.randint(1, 5), named=0.25, clinical=0.9),
            ]
        )
    parts.append(_ending(visit))
    return _join(visit.rng.choice(["\n\n", "\n"]), parts)


def nursing(visit: Visit) -> Pieces:
    """A shift's note: one stream of short clauses."""
    head = visit.write(
        "[{ld} {time} [NPN|nsg note|Nursing Progress Note|npn 7p-7a|RESP CARE NOTE|micu npn 1900-0700]\n|NPN:\n|]"
    )
    body = _sentences(
        visit,
        visit.rng.randint(4, 14),
        named=0.28,
        clinical=0.95,
        separator=visit.rng.choice([" ", "\n", ". ", "  ", "... "]),
    )
    note = [*head, *body]
    return [(text.lower(), category) for text, category in note] if visit.chance(0.35) else note


def table(visit: Visit) -> Pieces:
    """People in rows, as on a worklist."""
    columns = visit.rng.sample(
        [
            "{pf}",
            "{mrn}",
            "{dob}",
            "{room}",
            "{agex}[M|F]",
            "{dlast}",
            "{date}",
            "{time}",
            "{acc}",
            "{exam}",
            "{dx}",
            "{phone}",
            "{di}",
        ],
        visit.rng.randint(3, 6),
    )
    separator = visit.rng.choice([" | ", "\t", ", ", "   ", ";"])
    rows = []
    for _ in range(visit.rng.randint(2, 7)):
        other = Visit(visit.rng, visit.lexicon)
        rows.append(_join(separator, [other.write(column) for column in columns]))
    return _join("\n", rows)


def message(visit: Visit) -> Pieces:
    return _join(
        visit.rng.choice(["\n", " ", "\n\n"]),
        [
            visit.write(
                "[From: {dfull}\nTo: {dfull}\nSubject: {pf} {mrn}|Hi {dfirst},|Dear {dr},|"
                "Hello {pfirst},|@{dlast}|FYI {dlast}:|Phone message {date} {time}:]"
            ),
            _sentences(visit, visit.rng.randint(1, 6), named=0.5, clinical=0.6),
            visit.write("[Thanks, {dfirst}|Thanks\n{dsig}|{dfull} {phone}|{di}|{dlast} {ext}|Regards, {dsig}]"),
        ],
    )


def phrase(visit: Visit) -> Pieces:
    """What stands in a short attribute: a description, a comment, a file name."""
    return visit.write(visit.rng.choice(lines("phrases")))


def plain(visit: Visit) -> Pieces:
    """Nothing that identifies anybody."""
    clinical = visit.rng.choice([0.0, 0.2, 0.9])
    body = _sentences(
        visit,
        visit.rng.randint(1, 12),
        named=0.0,
        clinical=clinical,
        separator=visit.rng.choice([" ", " ", "\n"]),
    )
    if visit.chance(0.4):
        body = [(text_of(visit.write("{section}: ")), None), *body]
    return body


def mixture(visit: Visit) -> Pieces:
    return _sentences(
        visit,
        visit.rng.randint(2, 12),
        named=0.5,
        clinical=0.5,
        separator=visit.rng.choice([" ", "\n", "\n\n", "; "]),
    )


def narrative(visit: Visit) -> Pieces:
    """Full sentences, as in a case report."""
    said = [
        capitalized(visit.write(visit.rng.choice(lines("narrative" if visit.chance(0.7) else "clinical"))))
        for _ in range(visit.rng.randint(1, 9))
    ]
    if visit.chance(0.3):
        said.insert(visit.rng.randint(0, len(said)), _mention(visit))
    return _join(visit.rng.choice([" ", " ", "\n"]), said)


def tongues(visit: Visit) -> Pieces:
    said = [
        visit.write(visit.rng.choice(lines("other_tongues_named" if visit.chance(0.35) else "other_tongues")))
        for _ in range(visit.rng.randint(2, 7))
    ]
    return _join(visit.rng.choice([" ", "\n"]), said)


def machine(visit: Visit) -> Pieces:
    """As one system writes to another: segments, records, names of files."""
    return visit.write(visit.rng.choice(lines("machine_texts")))


def house_style(visit: Visit) -> Pieces:
    """A whole text in the manner of one kind of house: a veterans' hospital, a British trust, a ward."""
    text = visit.write(visit.rng.choice(lines("house_styles")))
    typed_small = text[0][0][:1].islower() and visit.chance(0.7)
    return [(piece.lower(), category) for piece, category in text] if typed_small else text


def dense(visit: Visit) -> Pieces:
    """Clipped pieces, one beside the other: what each is must be told by itself and by the word before it."""
    named = visit.rng.choice([0.2, 0.4, 0.6])
    lists = ("fragments_named", "fragments_plain")
    said = [
        visit.write(visit.rng.choice(lines(lists[0 if visit.chance(named) else 1])))
        for _ in range(visit.rng.randint(6, 30))
    ]
    usual = visit.rng.choice([". ", ", ", "; ", "  ", " - ", "\n", ". "])
    pieces: Pieces = []
    for number, piece in enumerate(said):
        stop = usual if visit.chance(0.6) else visit.rng.choice([". ", ", ", "; ", " ", " / ", ": ", "   ", "\n"])
        pieces += [*([(stop, None)] if number else []), *(capitalized(piece) if stop[0] in ".\n" else piece)]
    return [(text.lower(), category) for text, category in pieces] if visit.chance(0.1) else pieces


def everyday(visit: Visit) -> Pieces:
    """What people write who are no doctors, between numbers, sizes and scores that identify nobody."""
    said = [
        capitalized(visit.write(visit.rng.choice(lines("everyday" if visit.chance(0.5) else "catalogue"))))
        for _ in range(visit.rng.randint(1, 8))
    ]
    return _join(visit.rng.choice([" ", " ", "\n"]), said)


def dictation(visit: Visit) -> Pieces:
    """Taken down by a recogniser: what was made to be said, or any other text read aloud."""
    if visit.chance(0.6):
        said = [visit.write(visit.rng.choice(lines("dictated"))) for _ in range(visit.rng.randint(1, 5))]
        return dictated(_join(visit.rng.choice([" ", ". ", "\n"]), said), visit.rng)
    write = visit.rng.choice([report, prose, letter, summary, narrative, everyday, mixture, values, houses, shorthand])
    return dictated(write(visit), visit.rng)


def shorthand(visit: Visit) -> Pieces:
    """A ward's own notes, a line a thought, names first and last."""
    said = [
        visit.write(visit.rng.choice(lines("telegraphic" if visit.chance(0.75) else "values")))
        for _ in range(visit.rng.randint(1, 8))
    ]
    note = _join(visit.rng.choice(["\n", "\n", ". ", " ", " / ", "; "]), said)
    return [(text.lower(), category) for text, category in note] if visit.chance(0.3) else note


def abroad(visit: Visit) -> Pieces:
    """English as hospitals of many countries write it, and identifiers that few notes have."""
    return _join("\n", [visit.write(visit.rng.choice(lines("abroad"))) for _ in range(visit.rng.choice([1, 1, 2, 3]))])


def other_tongue(visit: Visit) -> Pieces:
    """Whole German, French and Spanish texts."""
    tongue = visit.rng.choice(sorted(TONGUES.values()))
    own = Visit(visit.rng, visit.lexicon, tongue)
    text = _join("\n", [own.write(own.rng.choice(lines(tongue))) for _ in range(own.rng.choice([1, 1, 2, 3]))])
    return dictated_abroad(text, tongue, own.rng) if own.chance(0.2) else text


def houses(visit: Visit) -> Pieces:
    """Where people work, pray, shop and are sent, told by what is said of it."""
    said = [
        visit.write(visit.rng.choice(lines("organisations" if visit.chance(0.6) else "fragments_plain")))
        for _ in range(visit.rng.randint(2, 12))
    ]
    note = _join(visit.rng.choice([". ", ". ", "; ", "\n", ", "]), [capitalized(one) for one in said])
    return [(text.lower(), category) for text, category in note] if visit.chance(0.15) else note


def values(visit: Visit) -> Pieces:
    """Numbers and words that look like identifiers and are none, with now and then one among them."""
    named = visit.rng.choice([0.0, 0.1, 0.3])
    said = [
        _mention(visit) if visit.chance(named) else visit.write(visit.rng.choice(lines("values")))
        for _ in range(visit.rng.randint(2, 10))
    ]
    return _join(visit.rng.choice([". ", "\n", "; ", ", "]), said)


KINDS: tuple[tuple[float, Callable[[Visit], Pieces]], ...] = (
    (0.22, report),
    (0.08, prose),
    (0.08, telegram),
    (0.08, letter),
    (0.11, summary),
    (0.1, nursing),
    (0.03, table),
    (0.04, message),
    (0.05, phrase),
    (0.26, plain),
    (0.08, mixture),
    (0.03, machine),
    (0.26, narrative),
    (0.03, tongues),
    (0.34, house_style),
    (0.16, everyday),
    (0.22, dense),
    (0.34, dictation),
    (0.3, shorthand),
    (0.26, abroad),
    (0.35, other_tongue),
    (0.18, values),
    (0.3, houses),
)
