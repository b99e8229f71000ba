"""Where people live and are treated: streets, towns, postal codes of many countries, and hospitals."""

from __future__ import annotations

import random
import string
from collections.abc import Sequence
from typing import TypeVar

from recipes.tagger.corpus.lists import lines

T = TypeVar("T")
TOWNS = lines("towns")
_TOWN_HEADS, _TOWN_TAILS = lines("town_heads"), lines("town_tails")
_TOWN_STARTS, _TOWN_ENDS = lines("town_starts"), lines("town_ends")
_STREET_HEADS, _STREET_TAILS = lines("street_heads"), lines("street_tails")
_STREET_STARTS = ("North", "South", "Old", "Upper", "Lower", "County Road", "State Route", "Rue", "Calle", "Via")
_STREET_ROOTS = "straße strasse str. weg platz gatan gata laan straat vej".split()
_STREET_HEADS_ABROAD = ("Rue de", "Avenue de", "Calle", "Av.", "Via", "Rua", "Ul.", "Avenida", "Plaza", "Boulevard")
_SAINTS, _HOLY = lines("saints"), lines("holy")
_HOSPITAL_TAILS, _FOREIGN_HOSPITALS = lines("hospital_tails"), lines("foreign_hospitals")


def pick(rng: random.Random, options: Sequence[T]) -> T:
    return options[int(rng.random() * len(options))]


def town(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.35:
        return pick(rng, TOWNS)
    name = pick(rng, _TOWN_HEADS) + pick(rng, _TOWN_TAILS)
    if kind < 0.75:
        return name
    if kind < 0.88:
        return f"{pick(rng, _TOWN_STARTS)} {name if rng.random() < 0.6 else pick(rng, TOWNS)}"
    return f"{name if rng.random() < 0.5 else pick(rng, _TOWN_HEADS)} {pick(rng, _TOWN_ENDS)}"


def named_after(rng: random.Random, surname: str) -> str:
    """A town that bears somebody's name."""
    if rng.random() < 0.5:
        return f"{pick(rng, _TOWN_STARTS)} {surname}"
    return surname.split()[-1] + pick(rng, ["ville", "burgh", "side", "mouth", "berg", "haven", "stad", "bury", "ton"])


def county(rng: random.Random, name: str) -> tuple[str, str, str]:
    """The name, and what stands before and after it."""
    before, after = pick(rng, [("", " County"), ("County ", ""), ("Co. ", ""), ("Co ", ""), ("", " Parish"), ("", "")])
    return before, name + (pick(rng, ["shire", ""]) if not before and not after else ""), after


def street_name(rng: random.Random, surname: str) -> str:
    kind = rng.random()
    tail = pick(rng, _STREET_TAILS)
    if kind < 0.45:
        return f"{pick(rng, _STREET_HEADS)} {tail}"
    if kind < 0.6:
        number = rng.randint(1, 180)
        ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return f"{pick(rng, ['', 'N. ', 'S ', 'West ', 'E. ', 'NW '])}{number}{ending} {tail}"
    if kind < 0.8:
        return f"{surname} {tail}"
    if kind < 0.9:
        return f"{pick(rng, _TOWN_HEADS)}{pick(rng, _TOWN_TAILS)} {tail}"
    return (
        pick(rng, _STREET_STARTS)
        + " "
        + (f"{pick(rng, _STREET_HEADS)} {tail}" if rng.random() < 0.6 else str(rng.randint(2, 400)))
    )


def street(rng: random.Random, surname: str) -> str:
    """A street with its number, in the order of its country."""
    kind, number = rng.random(), rng.randint(1, 9900) if rng.random() < 0.5 else rng.randint(1, 199)
    if kind < 0.78:
        text = f"{number}{pick(rng, ['', '', '', 'A', 'b', '-12', ' 1/2'])} {street_name(rng, surname)}"
    elif kind < 0.86:
        root = surname.split()[-1] if rng.random() < 0.5 else pick(rng, _TOWN_HEADS)
        text = f"{root}{pick(rng, _STREET_ROOTS)} {number % 300 + 1}"
    elif kind < 0.93:
        text = f"{pick(rng, _STREET_HEADS_ABROAD)} {pick(rng, [surname, pick(rng, TOWNS)])} {number % 300 + 1}"
    elif kind < 0.965:
        text = pick(
            rng,
            [
                f"Plot {number % 300 + 1}, {rng.randint(1, 9)}th Cross, {surname} Nagar",
                f"Flat {rng.randint(0, 9)}/{rng.randint(1, 4)}, {number % 200 + 1} {street_name(rng, surname)}",
                f"{number % 60 + 1}/{rng.randint(1, 90)} {surname} Road",
                f"{number % 90 + 1} rue {pick(rng, ['de la', 'du', 'des'])} {pick(rng, _STREET_HEADS)}",
                f"Calle {surname} {number % 90 + 1}, {rng.randint(1, 9)}º {rng.choice('ABCD')}",
                f"The {pick(rng, _STREET_HEADS)}s, {street_name(rng, surname)}",
                f"{surname} House, {number % 90 + 1} {street_name(rng, surname)}",
                f"Level {rng.randint(2, 30)}, {number % 900 + 1} {street_name(rng, surname)}",
                f"Route {rng.randint(1, 99)}",
                f"H.No. {number % 900 + 1}, {pick(rng, ['VPO', 'Village', 'Mohalla', 'Sector'])} {surname}",
                f"{rng.randint(1, 9)}F{rng.randint(1, 4)}, {number % 90 + 1} {street_name(rng, surname)}",
                f"Shop {rng.randint(1, 30)}/{number % 90 + 1} {street_name(rng, surname)}",
                f"Block {number % 90 + 1}, #{rng.randint(1, 20):02d}-{rng.randint(1, 60)} {street_name(rng, surname)}",
                f"PSC {rng.randint(1000, 9999)}, Box {rng.randint(1000, 9999)}",
                f"Unit {rng.randint(1000, 9999)} Box {rng.randint(1000, 9999)}",
                f"{pick(rng, ['USNS', 'USS', 'USCGC'])} {surname}",
                f"{pick(rng, ['Hwy', 'Highway', 'Route', 'I-', 'US-'])}{rng.randint(1, 99)}",
            ],
        )
    else:
        text = f"{pick(rng, ['P.O. Box', 'PO Box', 'RR', 'Postfach', 'Flat', 'Block'])} {number}"
    if rng.random() < 0.18:
        text += pick(rng, [", Apt ", " Apt. ", ", Unit ", " #", ", Suite ", ", Flat ", " Suite "]) + pick(
            rng, [str(rng.randint(1, 40)), f"{rng.randint(1, 30)}{rng.choice('ABCD')}", rng.choice("ABCDEF")]
        )
    return text


def postal(rng: random.Random) -> str:
    letters, kind = string.ascii_uppercase, rng.random()
    if kind < 0.55:
        return f"{rng.randint(501, 99950):05d}"
    if kind < 0.65:
        return f"{rng.randint(501, 99950):05d}-{rng.randint(0, 9999):04d}"
    if kind < 0.78:
        out = rng.choice(["{a}{n}", "{a}{b}{n}", "{a}{b}{n}{m}", "{a}{n}{m}"])
        out = out.format(a=rng.choice(letters), b=rng.choice(letters), n=rng.randint(1, 9), m=rng.randint(0, 9))
        return f"{out} {rng.randint(0, 9)}{rng.choice(letters)}{rng.choice(letters)}"
    if kind < 0.85:
        return (
            f"{rng.choice(letters)}{rng.randint(0, 9)}{rng.choice(letters)} "
            f"{rng.randint(0, 9)}{rng.choice(letters)}{rng.randint(0, 9)}"
        )
    if kind < 0.92:
        return f"{rng.randint(1000, 9999)}{rng.choice(['', ' ' + rng.choice(letters) + rng.choice(letters)])}"
    return rng.choice(
        [
            f"{rng.randint(100, 999)} {rng.randint(10, 99)}",
            f"{rng.randint(110, 855)}0{rng.randint(10, 99)}",
            f"D-{rng.randint(10115, 99998)}",
        ]
    )


def hospital(rng: random.Random, surname: str, place: str) -> str:
    kind, tail = rng.random(), pick(rng, _HOSPITAL_TAILS)
    if kind < 0.32:
        return f"{place} {tail}"
    if kind < 0.48:
        return (
            f"{pick(rng, ['St.', 'St', 'Saint', 'Santa'])} {pick(rng, _SAINTS)}{pick(rng, ['', chr(39) + 's'])} {tail}"
        )
    if kind < 0.62:
        return f"{pick(rng, _HOLY).replace('_', ' ')} {tail}"
    if kind < 0.76:
        return f"{surname} {pick(rng, ['', 'Memorial ', 'Family ', 'and Sons ', 'Park ', 'County '])}{tail}"
    if kind < 0.84:
        return pick(
            rng,
            [
                f"University of {place} {tail}",
                f"University Hospital of {place}",
                f"Hospital of {place}",
                f"{place} VA",
                f"Children's Hospital of {place}",
                f"University Hospital {place}",
            ],
        )
    if kind < 0.92:
        filled = pick(rng, _FOREIGN_HOSPITALS)
        return filled.format(town=place, saint=pick(rng, _SAINTS), name=surname)
    return pick(
        rng,
        [
            f"{place}",
            f"{surname}",
            f"{pick(rng, _HOLY).replace('_', ' ')}",
            f"{pick(rng, _TOWN_HEADS)}{pick(rng, _TOWN_TAILS)} House",
        ],
    )


def bare_hospital(rng: random.Random, surname: str, place: str) -> str:
    """As it is called among those who know it: Mercy, St. Luke's, the General."""
    saint = pick(rng, _SAINTS)
    letters = "".join(rng.choice("ABCDGHJLMNPRSTUVW") for _ in range(rng.randint(1, 3)))
    return pick(
        rng,
        [
            place,
            place,
            surname,
            pick(rng, _HOLY).replace("_", " "),
            pick(rng, _HOLY).replace("_", " "),
            f"{pick(rng, ['St.', 'St', 'Saint'])} {saint}{pick(rng, [chr(39) + 's', 's', ''])}",
            f"{pick(rng, ['St.', 'St', 'Mt', 'Mt.', 'Our Lady of'])} {saint}",
            f"{place} {pick(rng, ['General', 'Gen', 'Regional', 'Community', 'Memorial', 'Mem', 'VA', 'Med Ctr'])}",
            f"{surname} {pick(rng, ['Memorial', 'Mem', 'County', 'Community', 'House', 'Unit', 'Med', 'Clinic'])}",
            f"{pick(rng, ['Univ of', 'University of', 'U of', 'UC', 'CHC', 'PHC', 'Univ.'])} {place}",
            f"{pick(rng, _TOWN_HEADS)}{pick(rng, _TOWN_TAILS)}",
            letters + pick(rng, ["H", "MC", "GH", "MH", "RMC", "CH", "UH", "VA", "TH", "RI"]),
        ],
    )


def road(rng: random.Random, surname: str) -> str:
    """A street or a highway without a number of a house."""
    number = rng.randint(2, 400)
    return pick(
        rng,
        [
            street_name(rng, surname),
            street_name(rng, surname),
            street_name(rng, surname),
            f"I-{number % 99 + 1}",
            f"{pick(rng, ['Hwy', 'Highway', 'Route', 'Rte', 'US', 'County Road', 'SR'])} {number}",
            f"{pick(rng, ['M', 'A', 'N'])}{number % 90 + 1}",
            pick(rng, _STREET_HEADS),
        ],
    )


def short_hospital(rng: random.Random, name: str) -> str:
    """The letters a hospital is called by."""
    letters = "".join(word[0] for word in name.replace(".", "").split() if word[0].isupper())
    return (
        letters
        if 2 <= len(letters) <= 5 and letters not in ("CT", "MI", "PA", "AP", "MR")
        else "".join(rng.choice("BCDFGHKLMNPRSTVW") for _ in range(rng.randint(2, 3)))
        + rng.choice(["H", "MC", "GH", "RMC", "MH"])
    )
