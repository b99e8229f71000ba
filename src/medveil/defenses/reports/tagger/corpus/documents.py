"""Whole texts of many kinds: reports, letters, summaries, nursing notes, tables, messages, single phrases."""

from __future__ import annotations

from collections.abc import Callable

from medveil.defenses.reports.tagger.corpus.grammar import Pieces, capitalized, text_of
from medveil.defenses.reports.tagger.corpus.lists import lines
from medveil.defenses.reports.tagger.corpus.scene import Scene

_FIELDS = tuple(tuple(line.split(" = ", 1)) for line in lines("fields"))


def _join(separator: str, parts: list[Pieces]) -> Pieces:
    pieces: Pieces = []
    for number, part in enumerate(parts):
        if number:
            pieces.append((separator, None))
        pieces.extend(part)
    return pieces


def _mention(scene: Scene) -> Pieces:
    kind = scene.rng.random()
    table = lines(
        "people" if kind < 0.45 else "times_and_places" if kind < 0.7 else "numbers" if kind < 0.82 else "everyday"
    )
    return scene.write(scene.rng.choice(table))


def _unnamed(kind: float, *, clinical: bool) -> str:
    """The list for a sentence that identifies nobody."""
    if kind < 0.45:
        return "narrative" if kind < 0.23 else "catalogue"
    return "clinical" if clinical else "radiology"


def _sentences(scene: Scene, count: int, *, named: float, clinical: float = 0.0, separator: str = " ") -> Pieces:
    said = []
    for _ in range(count):
        if scene.chance(named):
            piece = _mention(scene)
        else:
            kind = scene.rng.random()
            piece = scene.write(scene.rng.choice(lines(_unnamed(kind, clinical=scene.chance(clinical)))))
        said.append(capitalized(piece) if scene.chance(0.9) else piece)
    return _join(separator, said)


def _block(scene: Scene, count: int) -> Pieces:
    """Labelled values, one to a line, in columns, or in one line."""
    fields = scene.rng.sample(_FIELDS, min(count, len(_FIELDS)))
    if scene.chance(0.8) and _FIELDS[0] not in fields:
        fields[0] = _FIELDS[0]
    colon = scene.rng.choice([": ", ": ", ":", ":  ", " - ", " ", ":\t", " = "])
    layout = scene.rng.random()
    cells = []
    for label, value in fields:
        head = scene.write(label)
        cells.append([*head, (colon, None), *scene.write(value)] if scene.chance(0.93) else scene.write(value))
    if layout < 0.5:
        width = scene.rng.choice([0, 0, 14, 18])
        if width:
            cells = [
                [((text_of(scene.write(label)) + " ").ljust(width), None), *scene.write(value)]
                for label, value in fields
            ]
        return _join("\n", cells)
    if layout < 0.75:
        rows, width = [], scene.rng.choice([30, 36, 40, 46])
        for place in range(0, len(cells), 2):
            left = cells[place]
            gap = " " * max(width - len(text_of(left)), 1 + (layout < 0.7))
            rows.append(_join(gap, cells[place : place + 2]))
        return _join("\n", rows)
    return _join(scene.rng.choice([" | ", "   ", " / ", ", ", "; ", " // ", "\t", "  "]), cells)


def _letterhead(scene: Scene) -> Pieces:
    return scene.write(
        "[{hosp}|{hosp}\n{dept}|{dept}\n{hosp}|{hosp} {dept}|{hosp} - "
        "{dept}][\n{street}, {town}, {st} {zip}|\n{street}\n{town}, {st} {zip}|"
        "\n{town}, {st}|]"
        "[\n[Tel|Phone|Telephone|T] {phone}[  | * |, |\n][Fax|F|fax] {fax}|\n{phone}|][\n{url}|\n{email}|]"
    )


def _ending(scene: Scene) -> Pieces:
    return scene.write(scene.rng.choice(lines("endings")))


def report(scene: Scene) -> Pieces:
    parts: list[Pieces] = []
    if scene.chance(0.5):
        parts.append(_letterhead(scene))
    parts.append(_block(scene, scene.rng.randint(2, 12)))
    sections = scene.rng.sample(
        ["INDICATION", "TECHNIQUE", "COMPARISON", "FINDINGS", "IMPRESSION", "HISTORY", "CLINICAL INFORMATION", "EXAM"],
        scene.rng.randint(2, 6),
    )
    for head in sections:
        name = scene.rng.choice([head, head.title(), head.lower()])
        body = (
            scene.write(scene.rng.choice(lines("times_and_places")[:4]))
            if head == "COMPARISON" and scene.chance(0.7)
            else _sentences(
                scene, scene.rng.randint(1, 5), named=0.12, clinical=0.5 if head in ("HISTORY", "INDICATION") else 0.05
            )
        )
        parts.append([(name + scene.rng.choice([": ", ":\n", "\n", ":  ", " - "]), None), *body])
    if scene.chance(0.45):
        parts.append(_mention(scene))
    parts.append(_ending(scene))
    return _join(scene.rng.choice(["\n\n", "\n", "\n\n", "\n \n"]), parts)


def prose(scene: Scene) -> Pieces:
    heading = scene.write(
        "[RADIOLOGY REPORT   {hosp}\n|{hosp}\n|CHEST, {date}\n|{exam} {date}\n|][RE: |"
        "Re: |]{pf}[, | ][unit no. |MRN |# |]{mrn}[, born {dob}| DOB {dob}|]"
    )
    body = _sentences(scene, scene.rng.randint(4, 12), named=0.2, clinical=0.2)
    return _join("\n\n" if scene.chance(0.7) else "\n", [heading, body, _ending(scene)])


def telegram(scene: Scene) -> Pieces:
    head = scene.write(
        "[{pf} {mrn} CXR {date} {time}|{date} {time} pCXR // {pf} // {mrn} // {acc}|pt "
        "{p} #{mrn} rm {room} CXR {date}|{hs} CXR {acc} {pf} DOB {dob}|{pf} {agex}[M|"
        "F] {mrn}|{plast} {room} {mrn}]"
    )
    bullet = scene.rng.choice(["- ", "* ", "• ", "", "-"])
    lines = [[(bullet, None), *_sentences(scene, 1, named=0.18, clinical=0.4)] for _ in range(scene.rng.randint(2, 8))]
    call = scene.write(
        "[d/w {dr} {time}|called {room} {time}, spoke w/ {dfull}|pgd Dr. {d} p{ext}|"
        "pt's {rel} {kin} aware, {phone}|prelim to ED, {p}, {time}|hx {symptom} since "
        "{ld}|req {dr}|cf {ld}|prior {ld}]"
    )
    sign = scene.write(
        "[{di}/{ti} {date}|- {di} {date} {time} acc {acc}|{dsig} x{ext}|rad: {di}  "
        "tech: {di}  unit s/n {serial}|{di} {time}|{di}]"
    )
    return _join("\n", [head, *lines, call, sign])


def letter(scene: Scene) -> Pieces:
    parts = [_letterhead(scene)]
    if scene.chance(0.6):
        parts.append(scene.write("[{date}|Date: {date}|{town}, {date}|{town}, den {date}]"))
    if scene.chance(0.6):
        parts.append(scene.write("[Dr. |Dr |]{dsig}\n[{hosp}\n|{specialty}\n|]{street}\n{town}[, {st}|] {zip}"))
    parts.append(
        scene.write(
            "[RE|Re|Regarding|Reference|Betreff][: |:]{pf}[, DOB {dob}| ({dob})|, born "
            "{dob}|][, MRN {mrn}|, your ref {oid}|][, {street}, {town}, {st} {zip}|"
            "][\n{plan} {plann}|]"
        )
    )
    parts.append(scene.write("Dear [{dr}|{dr}|Colleague|Sir or Madam|Doctor {dlast}|{dfirst}|{p}],"))
    parts.append(_sentences(scene, scene.rng.randint(3, 9), named=0.35, clinical=0.5))
    parts.append(
        scene.write(
            "[Yours sincerely|Sincerely|With kind regards|Kind regards|Best regards|"
            "Sincerely yours],\n\n{dsig}\n[{specialty}\n|][{email}, pager {ext}|{email}|"
            "{phone}|Tel {phone}, Fax {fax}|{hosp}|]"
        )
    )
    if scene.chance(0.5):
        parts.append(
            scene.write(
                "[{di}/{ti}|{di}:{ti} {date}|cc: {p}\n{street}\n{town}, {st} {zip}|c.c. {dr}, "
                "{hosp}|Dictated {date} {time}, {di}/{ti}|Enc.]"
            )
        )
    return _join("\n\n", parts)


def summary(scene: Scene) -> Pieces:
    parts = [_letterhead(scene)] if scene.chance(0.4) else []
    parts.append(_block(scene, scene.rng.randint(3, 9)))
    for _ in range(scene.rng.randint(3, 7)):
        head = text_of(scene.write("{section}"))
        parts.append(
            [
                (head + scene.rng.choice([": ", ":\n", "\n"]), None),
                *_sentences(scene, scene.rng.randint(1, 5), named=0.25, clinical=0.9),
            ]
        )
    parts.append(_ending(scene))
    return _join(scene.rng.choice(["\n\n", "\n"]), parts)


def nursing(scene: Scene) -> Pieces:
    """A shift's note: one stream of short clauses."""
    head = scene.write(
        "[{ld} {time} [NPN|nsg note|Nursing Progress Note|npn 7p-7a|RESP CARE NOTE|micu npn 1900-0700]\n|NPN:\n|]"
    )
    body = _sentences(
        scene,
        scene.rng.randint(4, 14),
        named=0.28,
        clinical=0.95,
        separator=scene.rng.choice([" ", "\n", ". ", "  ", "... "]),
    )
    note = [*head, *body]
    return [(text.lower(), category) for text, category in note] if scene.chance(0.35) else note


def table(scene: Scene) -> Pieces:
    """People in rows, as on a worklist."""
    columns = scene.rng.sample(
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
        scene.rng.randint(3, 6),
    )
    separator = scene.rng.choice([" | ", "\t", ", ", "   ", ";"])
    rows = []
    for _ in range(scene.rng.randint(2, 7)):
        other = Scene(scene.rng, scene.lexicon)
        rows.append(_join(separator, [other.write(column) for column in columns]))
    return _join("\n", rows)


def message(scene: Scene) -> Pieces:
    return _join(
        scene.rng.choice(["\n", " ", "\n\n"]),
        [
            scene.write(
                "[From: {dfull}\nTo: {dfull}\nSubject: {pf} {mrn}|Hi {dfirst},|Dear {dr},|"
                "Hello {pfirst},|@{dlast}|FYI {dlast}:|Phone message {date} {time}:]"
            ),
            _sentences(scene, scene.rng.randint(1, 6), named=0.5, clinical=0.6),
            scene.write("[Thanks, {dfirst}|Thanks\n{dsig}|{dfull} {phone}|{di}|{dlast} {ext}|Regards, {dsig}]"),
        ],
    )


def phrase(scene: Scene) -> Pieces:
    """What stands in a short attribute: a description, a comment, a file name."""
    return scene.write(scene.rng.choice(lines("phrases")))


def plain(scene: Scene) -> Pieces:
    """Nothing that identifies anybody."""
    clinical = scene.rng.choice([0.0, 0.2, 0.9])
    body = _sentences(
        scene, scene.rng.randint(1, 12), named=0.0, clinical=clinical, separator=scene.rng.choice([" ", " ", "\n"])
    )
    if scene.chance(0.4):
        body = [(text_of(scene.write("{section}: ")), None), *body]
    return body


def mixture(scene: Scene) -> Pieces:
    return _sentences(
        scene, scene.rng.randint(2, 12), named=0.5, clinical=0.5, separator=scene.rng.choice([" ", "\n", "\n\n", "; "])
    )


def narrative(scene: Scene) -> Pieces:
    """Full sentences, as in a case report."""
    said = [
        capitalized(scene.write(scene.rng.choice(lines("narrative" if scene.chance(0.7) else "clinical"))))
        for _ in range(scene.rng.randint(1, 9))
    ]
    if scene.chance(0.3):
        said.insert(scene.rng.randint(0, len(said)), _mention(scene))
    return _join(scene.rng.choice([" ", " ", "\n"]), said)


def tongues(scene: Scene) -> Pieces:
    said = [
        scene.write(scene.rng.choice(lines("other_tongues_named" if scene.chance(0.35) else "other_tongues")))
        for _ in range(scene.rng.randint(2, 7))
    ]
    return _join(scene.rng.choice([" ", "\n"]), said)


def machine(scene: Scene) -> Pieces:
    """As one system writes to another: segments, records, names of files."""
    return scene.write(scene.rng.choice(lines("machine_texts")))


def house_style(scene: Scene) -> Pieces:
    """A whole text in the manner of one kind of house: a veterans' hospital, a British trust, a ward."""
    text = scene.write(scene.rng.choice(lines("house_styles")))
    typed_small = text[0][0][:1].islower() and scene.chance(0.7)
    return [(piece.lower(), category) for piece, category in text] if typed_small else text


def dense(scene: Scene) -> Pieces:
    """Clipped pieces, one beside the other: what each is must be told by itself and by the word before it."""
    named = scene.rng.choice([0.2, 0.4, 0.6])
    lists = ("fragments_named", "fragments_plain")
    said = [
        scene.write(scene.rng.choice(lines(lists[0 if scene.chance(named) else 1])))
        for _ in range(scene.rng.randint(6, 30))
    ]
    usual = scene.rng.choice([". ", ", ", "; ", "  ", " - ", "\n", ". "])
    pieces: Pieces = []
    for number, piece in enumerate(said):
        stop = usual if scene.chance(0.6) else scene.rng.choice([". ", ", ", "; ", " ", " / ", ": ", "   ", "\n"])
        pieces += [*([(stop, None)] if number else []), *(capitalized(piece) if stop[0] in ".\n" else piece)]
    return [(text.lower(), category) for text, category in pieces] if scene.chance(0.1) else pieces


def everyday(scene: Scene) -> Pieces:
    """What people write who are no doctors, between numbers, sizes and scores that identify nobody."""
    said = [
        capitalized(scene.write(scene.rng.choice(lines("everyday" if scene.chance(0.5) else "catalogue"))))
        for _ in range(scene.rng.randint(1, 8))
    ]
    return _join(scene.rng.choice([" ", " ", "\n"]), said)


KINDS: tuple[tuple[float, Callable[[Scene], Pieces]], ...] = (
    (0.22, report),
    (0.08, prose),
    (0.08, telegram),
    (0.08, letter),
    (0.11, summary),
    (0.1, nursing),
    (0.03, table),
    (0.04, message),
    (0.05, phrase),
    (0.13, plain),
    (0.08, mixture),
    (0.03, machine),
    (0.12, narrative),
    (0.03, tongues),
    (0.34, house_style),
    (0.16, everyday),
    (0.22, dense),
)
