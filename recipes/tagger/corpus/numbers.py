"""Dates, times, telephones and the numbers by which hospitals know people and things."""

from __future__ import annotations

import datetime as dt
import random
import string

MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_SHORT_DAYS = (
    ("Mon", "mon"),
    ("Tue", "Tues", "tues"),
    ("Wed", "Weds", "wed"),
    ("Thu", "Thurs", "Thur", "thurs"),
    ("Fri", "fri"),
    ("Sat", "sat"),
    ("Sun", "sun"),
)
HOLIDAYS = (
    "Christmas,Thanksgiving,New Year's Day,Easter,Labor Day,Memorial Day,Independence Day,Halloween,Ramadan,"
    "Christmas Eve,New Year's Eve,New Year's,Boxing Day,Good Friday,Ash Wednesday,Palm Sunday,Easter Monday,"
    "Mother's Day,Father's Day,Valentine's Day,St. Patrick's Day,Veterans Day,Presidents' Day,MLK Day,Columbus Day,"
    "Juneteenth,the Fourth of July,Super Bowl Sunday,Mardi Gras,Cinco de Mayo,Passover,Hanukkah,Rosh Hashanah,"
    "Yom Kippur,CNY,Diwali,Deepavali,Hari Raya,Nowruz,Songkran,Tet,Tihar,Onam,Pongal,Golden Week,"
    "Obon,Carnival,Lent,Advent,"
    "Eid,Eid al-Fitr,Holi,Durga Puja,Lunar New Year,Chinese New Year,Anzac Day,Australia Day,Canada Day,"
    "Victoria Day,Bastille Day,Bonfire Night,Whitsun,Pentecost,All Saints,Midsummer,Xmas,xmas eve,Sinterklaas"
).split(",")
_PARTS_OF_DAY = ("in the morning", "in the afternoon", "in the evening", "at night")
_MINUTES = ("five", "ten", "twenty", "twenty-five", "5", "10", "20", "five minutes", "ten minutes")
_ROMAN = "I II III IV V VI VII VIII IX X XI XII".split()
_SEASONS = ("spring", "summer", "fall", "winter")
_HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
_MONTHS_ABROAD = [
    names.split("/")
    for names in (
        "Januar/janvier/enero/gennaio Februar/février/febrero/febbraio März/mars/marzo/marzo April/avril/abril/aprile "
        "Mai/mai/mayo/maggio Juni/juin/junio/giugno Juli/juillet/julio/luglio August/août/agosto/agosto "
        "September/septembre/septiembre/settembre Oktober/octobre/octubre/ottobre November/novembre/noviembre/novembre "
        "Dezember/décembre/diciembre/dicembre"
    ).split()
]
_TENS = {9: "ninety", 10: "one hundred", 11: "one hundred and ten"}
_ONES = " one two three four five six seven eight nine".split(" ")
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth "
    "twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()

OLD = ("nonagenarian", "centenarian", "nonagenarian", "supercentenarian")
NINETIES = ("nineties", "90s", "mid-nineties", "late nineties", "early 90s", "mid 90's", "nineties")


def _one(rng: random.Random, options: tuple[str, ...]) -> str:
    return options[int(rng.random() * len(options))]


def ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def date(rng: random.Random, day: dt.date) -> str:
    """A whole day, in any of the ways it is written."""
    d, m, y, month = day.day, day.month, day.year, MONTHS[day.month - 1]
    short, yy = month[:3], f"{y % 100:02d}"
    forms = (
        f"{m:02d}/{d:02d}/{y}",
        f"{m}/{d}/{y}",
        f"{m}/{d}/{yy}",
        f"{m:02d}/{d:02d}/{yy}",
        f"{y}-{m:02d}-{d:02d}",
        f"{m}-{d}-{yy}",
        f"{m:02d}-{d:02d}-{y}",
        f"{d:02d}.{m:02d}.{y}",
        f"{d}.{m}.{yy}",
        f"{d:02d}/{m:02d}/{y}",
        f"{y}/{m:02d}/{d:02d}",
        f"{y}{m:02d}{d:02d}",
        f"{month} {d}, {y}",
        f"{month} {ordinal(d)}, {y}",
        f"{d} {month} {y}",
        f"{d:02d} {short} {y}",
        f"{d:02d}-{short}-{y}",
        f"{d}-{short}-{yy}",
        f"{short} {d}, {y}",
        f"{short}. {d}, {y}",
        f"{month} {d} {y}",
        f"{ordinal(d)} {month} {y}",
        f"{d:02d}{short.upper()}{y}",
        f"{short} {d} {yy}",
        f"{ordinal(d)} of {month}, {y}",
        f"{WEEKDAYS[day.weekday()]}, {month} {d}, {y}",
        f"{WEEKDAYS[day.weekday()][:3]} {m}/{d}/{y}",
        f"{WEEKDAYS[day.weekday()]} {d} {month} {y}",
        f"{m}.{d}.{y}",
        f"{d:02d}-{m:02d}-{y}",
        f"{y}.{m:02d}.{d:02d}",
        f"{d}. {month} {y}",
        f"{short}-{d}-{y}",
        f"{m} / {d} / {y}",
        f"'{yy}-{m:02d}-{d:02d}",
        f"{month[:3].upper()} {d:02d} {y}",
        f"{month[:3].upper()} {d},{y}",
        f"{y}-{short}-{d:02d}",
        f"{short}. {d}/{yy}",
        f"{d}.{m}.{y}",
        f"{d:02d}.{m:02d}.{yy}",
        f"{WEEKDAYS[day.weekday()][:3]}, {d} {short} {y}",
        f"{WEEKDAYS[day.weekday()][:3]} {short} {d:02d} {y}",
        f"{ordinal(d)} day of {month}, {y}",
        f"{d} {_MONTHS_ABROAD[m - 1][rng.randint(0, 3)]} {y}",
        f"{y}-{m}-{d}",
        f"{d:02d}{m:02d}{yy}",
        f"{d:02d}{short.upper()}{yy}",
        f"{d}/{_ROMAN[m - 1]}/{y}",
        f"{short} {d}/{yy}",
        f"{weekday(rng, day)} {d} {short} {y}",
        f"{weekday(rng, day)}, {month} {d}, {y}",
    )
    return forms[int(rng.random() * len(forms))]


def date_abroad(rng: random.Random, day: dt.date, tongue: str, *, loose: bool = False) -> str:
    """As German, French or Spanish texts write it."""
    d, m, y = day.day, day.month, day.year
    month = _MONTHS_ABROAD[m - 1][("german", "french", "spanish").index(tongue)]
    of = " de " if tongue == "spanish" else " "
    stop = "." if tongue == "german" else ""
    signs = ".." if tongue == "german" else "/-." if tongue == "spanish" else "/."
    sign = rng.choice(signs)
    forms = [
        *(f"{d:02d}{sign}{m:02d}{sign}{y}", f"{d:02d}{sign}{m:02d}{sign}{y % 100:02d}", f"{d}{sign}{m}{sign}{y}"),
        *(f"{d}{stop} {of.strip()} {month}{of}{y}".replace("  ", " "), f"{d:02d}{sign}{m:02d}{sign}{y}"),
    ]
    if loose:
        parts = (f"{d}{stop} {of.strip()} {month}".replace("  ", " "), f"{month}{of}{y}", f"{m:02d}/{y}", str(y))
        forms += [*parts, f"{d:02d}.{m:02d}." if tongue == "german" else f"{d:02d}/{m:02d}"]
    return rng.choice(forms)


def time_abroad(rng: random.Random) -> str:
    hour, minute = rng.randint(0, 23), rng.randint(0, 59)
    return rng.choice(
        [f"{hour:02d}:{minute:02d}", f"{hour}.{minute:02d}", f"{hour}h{minute:02d}", f"{hour} h {minute:02d}"]
    )


def weekday(rng: random.Random, day: dt.date) -> str:
    """Whole or cut short."""
    short = _SHORT_DAYS[day.weekday()]
    return WEEKDAYS[day.weekday()] if rng.random() < 0.35 else short[int(rng.random() * len(short))]


def moment(rng: random.Random, day: dt.date) -> str:
    """As a program writes it: day, time and zone in one."""
    clock = f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}:{rng.randint(0, 59):02d}"
    zone = rng.choice(["", "Z", "-05:00", "+01:00", ".000Z", "+0000", "-04:00"])
    return f"{day.isoformat()}{rng.choice('TTT ')}{clock}{zone}"


def stamp(rng: random.Random, day: dt.date) -> str:
    clock = f"{rng.randint(0, 23):02d}{rng.randint(0, 59):02d}{rng.randint(0, 59):02d}"
    return f"{day:%Y%m%d}{clock[: rng.choice((4, 6))]}"


def month_name(rng: random.Random, day: dt.date) -> str:
    month = MONTHS[day.month - 1]
    return rng.choice(
        [month, month, month[:3], f"{month} {day.year}", f"{month[:3]}. {day.year}", f"{month} '{day:%y}"]
    )


def spoken_date(rng: random.Random, day: dt.date) -> str:
    """The third of December, without its article."""
    month, word = MONTHS[day.month - 1], ORDINALS[day.day - 1]
    return rng.choice(
        [
            f"{word} of {month}",
            f"{word} of {month}",
            f"{ordinal(day.day)} of {month[:3]}",
            f"{word} of {month}, {day.year}",
        ]
    )


def clipped_year(rng: random.Random, day: dt.date) -> str:
    return rng.choice([f"'{day:%y}", f"'{day:%y}", f"{day.year}", f"{day.month}/{day:%y}"])


def loose_date(rng: random.Random, day: dt.date) -> str:
    """A day, a part of one, a month of a year, as people write in passing."""
    if rng.random() < 0.45:
        return date(rng, day)
    d, m, y, month = day.day, day.month, day.year, MONTHS[day.month - 1]
    forms = (
        f"{m}/{d}",
        f"{m}/{d}",
        f"{m:02d}/{d:02d}",
        f"{month} {d}",
        f"{month[:3]} {d}",
        f"{month} {ordinal(d)}",
        f"{d} {month[:3]}",
        f"{ordinal(d)} of {month}",
        f"{month} {y}",
        f"{month[:3]} {y}",
        f"{month}, {y}",
        f"{m}/{y}",
        f"{m:02d}/{y}",
        f"{month[:3]} '{y % 100:02d}",
        f"{WEEKDAYS[day.weekday()]}",
        f"{WEEKDAYS[day.weekday()]} {m}/{d}",
        f"{month[:3]}. {ordinal(d)}",
        f"{m}-{d}",
        f"{month} of {y}",
        f"{d}.{m}.",
        f"{month} the {ORDINALS[d - 1]}",
        f"{WEEKDAYS[day.weekday()]}, {month} {ordinal(d)}",
        f"{month} {ORDINALS[d - 1]}",
        f"{month}",
        HOLIDAYS[d % len(HOLIDAYS)],
        f"{HOLIDAYS[d % len(HOLIDAYS)]} {y}",
        f"{WEEKDAYS[day.weekday()]} the {ordinal(d)}",
        f"{WEEKDAYS[day.weekday()][:3]} {ordinal(d)}",
        f"{WEEKDAYS[day.weekday()][:3]}",
        f"{WEEKDAYS[day.weekday()]} {d} {month}",
        f"{ORDINALS[d - 1]} of {month}",
        f"{_SEASONS[m % 4]} {y}",
        f"{_SEASONS[m % 4]} of {y}",
        f"Q{m % 4 + 1} {y}",
        f"{y}W{min(4 * m + 1, 52):02d}",
        f"{month} '{y % 100:02d}",
        f"{m}/{y % 100:02d}",
        f"{d}/{m}",
        f"{d} {month[:4]}",
        f"{month[:3]}-{y % 100:02d}",
        weekday(rng, day),
        weekday(rng, day),
        f"{weekday(rng, day)} {m}/{d}",
        f"{weekday(rng, day)} {ordinal(d)}",
        f"{weekday(rng, day)} {d} {month}",
        f"{d}.{m}",
        f"{d}/{m}/{y % 100:02d}",
        spoken_date(rng, day),
        HOLIDAYS[int(rng.random() * len(HOLIDAYS))],
        HOLIDAYS[int(rng.random() * len(HOLIDAYS))],
        f"{month} {d}-{d + 2}",
        f"{m}/{d}-{m}/{d + 1}",
    )
    return forms[int(rng.random() * len(forms))]


def clock(rng: random.Random) -> str:
    """A time of day in words or cut short."""
    hour, minute = rng.randint(1, 12), rng.randint(0, 59)
    half, word = rng.choice("ap"), _HOURS[hour - 1]
    forms = (
        f"half past {word}",
        f"quarter to {word}",
        f"quarter past {word}",
        f"{word} o'clock",
        f"{hour}{half}",
        f"{hour}:{minute:02d}{half}",
        f"{hour}:{minute:02d} {half.upper()}",
        f"{hour}.{minute:02d}{half}m",
        f"{hour}.{minute:02d} {half}m",
        f"{hour + 11:02d}{minute:02d} hrs",
        f"{hour + 11:02d}:{minute:02d} hours",
        f"{hour:02d}{minute:02d}H",
        f"{hour:02d}:{minute:02d}:{minute:02d} {rng.choice(['EST', 'GMT', 'CET', 'PDT', '-0400', '+0100'])}",
        f"{hour:02d}:{minute:02d} {rng.choice(['CT', 'ET', 'PT', 'MT', 'EST', 'CST', 'BST', 'AEST'])}",
        f"quarter of {word}",
        f"{_one(rng, _MINUTES)} {_one(rng, ('past', 'to', 'before', 'after', 'till'))} {word}",
        f"{word} {_one(rng, _PARTS_OF_DAY)}",
        f"{hour} {_one(rng, _PARTS_OF_DAY)}",
        f"{word} thirty",
        f"half {word}",
        f"{hour}-{hour % 12 + 1}{half}m",
    )
    return forms[int(rng.random() * len(forms))]


def time(rng: random.Random) -> str:
    if rng.random() < 0.16:
        return clock(rng)
    hour, minute, second = rng.randint(0, 23), rng.randint(0, 59), rng.randint(0, 59)
    half = "AM" if hour < 12 else "PM"
    twelve = (hour + 11) % 12 + 1
    forms = (
        f"{hour:02d}:{minute:02d}",
        f"{hour:02d}:{minute:02d}",
        f"{hour:02d}{minute:02d}",
        f"{twelve}:{minute:02d} {half}",
        f"{twelve}:{minute:02d}{half.lower()}",
        f"{twelve}:{minute:02d} {half[0].lower()}.m.",
        f"{hour:02d}:{minute:02d}:{second:02d}",
        f"{twelve} {half.lower()}",
        f"{twelve}{half.lower()}",
        f"{hour:02d}{minute:02d}h",
        f"{hour:02d}h{minute:02d}",
        f"{hour}.{minute:02d}",
        f"{twelve:02d}:{minute:02d} {half}",
        f"{hour:02d}:{minute:02d}",
        f"{twelve} o'clock",
        f"{twelve}:{minute:02d}",
    )
    return forms[int(rng.random() * len(forms))]


def old_age(rng: random.Random) -> str:
    age = rng.choice([90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 106, 110])
    if rng.random() < 0.2:
        return rng.choice("- ").join(filter(None, (_TENS[age // 10], _ONES[age % 10])))
    return str(age)


def digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(string.digits) for _ in range(count))


def phone(rng: random.Random) -> str:
    a, b, c = str(rng.randint(201, 989)), str(rng.randint(200, 999)), digits(rng, 4)
    forms = (
        f"({a}) {b}-{c}",
        f"{a}-{b}-{c}",
        f"{a}.{b}.{c}",
        f"{a} {b} {c}",
        f"{b}-{c}",
        f"+1 {a} {b} {c}",
        f"1-{a}-{b}-{c}",
        f"({a}){b}-{c}",
        f"{a}{b}{c}",
        f"+1-{a}-{b}-{c}",
        f"{a}-{b}-{c} ext. {digits(rng, 4)}",
        f"{a}-{b}-{c} x{digits(rng, 3)}",
        f"+44 {digits(rng, 4)} {digits(rng, 6)}",
        f"0{digits(rng, 4)} {digits(rng, 6)}",
        f"+49 {digits(rng, 3)} {digits(rng, 7)}",
        f"0{digits(rng, 2)}/{digits(rng, 7)}",
        f"+91 {digits(rng, 5)} {digits(rng, 5)}",
        f"{digits(rng, 2)} {digits(rng, 2)} {digits(rng, 2)} {digits(rng, 2)}",
        f"+33 {digits(rng, 1)} {digits(rng, 2)} {digits(rng, 2)} {digits(rng, 2)} {digits(rng, 2)}",
        f"({a}) {b} {c}",
        f"{a}/{b}-{c}",
        f"+61 {digits(rng, 1)} {digits(rng, 4)} {digits(rng, 4)}",
        f"020 {digits(rng, 4)} {digits(rng, 4)}",
        f"07{digits(rng, 3)} {digits(rng, 3)} {digits(rng, 3)}",
        f"0{digits(rng, 4)} {digits(rng, 3)} {digits(rng, 3)}",
        f"(0{digits(rng, 1)}) {digits(rng, 4)} {digits(rng, 4)}",
        f"1-800-{b}-{c} ext. {digits(rng, 2)}",
        f"+971 {digits(rng, 2)} {digits(rng, 3)} {digits(rng, 4)}",
        f"+353 {digits(rng, 2)} {digits(rng, 3)} {digits(rng, 4)}",
        f"1300 {digits(rng, 3)} {digits(rng, 3)}",
        f"{a} {b}{c}",
        f"001-{a}-{b}-{c}x{digits(rng, rng.randint(3, 5))}",
        f"({a}){b}-{c}x{digits(rng, rng.randint(3, 5))}",
        f"{a}.{b}.{c}x{digits(rng, rng.randint(3, 5))}",
        f"+1-{a}-{b}-{c}x{digits(rng, rng.randint(3, 5))}",
        f"{b} {c}",
    )
    return forms[int(rng.random() * len(forms))]


def extension(rng: random.Random) -> str:
    """A pager or a house telephone."""
    return rng.choice(
        [
            digits(rng, 4),
            digits(rng, 4),
            digits(rng, 5),
            f"{digits(rng, 1)}-{digits(rng, 4)}",
            f"{digits(rng, 3)}-{digits(rng, 4)}",
            digits(rng, 3),
        ]
    )


def ssn(rng: random.Random) -> str:
    a, b, c = digits(rng, 3), digits(rng, 2), digits(rng, 4)
    return rng.choice(
        [f"{a}-{b}-{c}", f"{a}-{b}-{c}", f"{a} {b} {c}", f"{a}{b}{c}", f"xxx-xx-{c}", f"***-**-{c}", f"{a}.{b}.{c}"]
    )


def record(rng: random.Random) -> str:
    letter = rng.choice(string.ascii_uppercase)
    forms = (
        digits(rng, 6),
        digits(rng, 7),
        digits(rng, 8),
        digits(rng, 9),
        digits(rng, 10),
        digits(rng, 5),
        f"{letter}{digits(rng, 7)}",
        f"{letter}{digits(rng, 6)}",
        f"MR{digits(rng, 7)}",
        f"MR-{digits(rng, 6)}",
        f"{digits(rng, 3)}-{digits(rng, 2)}-{digits(rng, 2)}",
        f"{digits(rng, 3)}-{digits(rng, 3)}-{digits(rng, 3)}",
        f"{digits(rng, 7)}-{digits(rng, 1)}",
        f"{digits(rng, 2)}-{digits(rng, 2)}-{digits(rng, 2)}",
        f"{digits(rng, 6)}{letter}",
        f"{letter}-{digits(rng, 7)}",
        f"{digits(rng, 3)} {digits(rng, 3)} {digits(rng, 4)}",
        f"{letter}{letter}{digits(rng, 6)}",
        f"{digits(rng, 7)}-{letter}",
        f"{letter}{digits(rng, 2)}-{digits(rng, 5)}",
        f"00{digits(rng, 6)}",
        f"{digits(rng, 4)}/{digits(rng, 2)}",
        f"{letter}{letter}H/{rng.randint(2004, 2025)}/{digits(rng, 6)}",
        f"{letter}/{digits(rng, 5)}",
        f"{letter}{letter}{letter}{digits(rng, 4)}",
        f"{digits(rng, 3)}-{digits(rng, 2)}-{digits(rng, 2)}-{digits(rng, 1)}",
        f"{digits(rng, 2)}.{digits(rng, 2)}.{digits(rng, 3)}",
    )
    return forms[int(rng.random() * len(forms))]


def accession(rng: random.Random, year: int) -> str:
    yy, letters = f"{year % 100:02d}", "".join(rng.choice(string.ascii_uppercase) for _ in range(rng.randint(1, 3)))
    forms = (
        f"{letters}{digits(rng, 7)}",
        f"{letters}-{yy}-{digits(rng, 6)}",
        f"{yy}-{digits(rng, 6)}",
        f"{yy}{digits(rng, 8)}",
        f"{letters}{yy}{digits(rng, 7)}",
        digits(rng, 8),
        digits(rng, 7),
        f"CXR-{yy}-{digits(rng, 8)}",
        f"{letters}{yy}-{digits(rng, 5)}",
        f"{digits(rng, 8)}-{rng.choice('XRCT')}",
        f"S{yy}-{digits(rng, 5)}",
        f"RAD{digits(rng, 8)}",
        f"{year}{digits(rng, 6)}",
        f"{letters}.{yy}.{digits(rng, 5)}",
        f"{digits(rng, 4)}{letters}{digits(rng, 4)}",
        f"{year}-{digits(rng, 5)}",
        f"{letters}/{digits(rng, 6)}",
        f"{letters}_{digits(rng, 6)}",
    )
    return forms[int(rng.random() * len(forms))]


def plan_number(rng: random.Random) -> str:
    letters = "".join(rng.choice(string.ascii_uppercase) for _ in range(3))
    return rng.choice(
        [
            f"{letters}{digits(rng, 9)}",
            f"{digits(rng, 3)}-{digits(rng, 2)}-{digits(rng, 4)}-A",
            digits(rng, 10),
            f"{letters[:2]}{digits(rng, 9)}",
            f"{letters[0]}{digits(rng, 8)}",
            "-".join(
                (
                    digits(rng, 1) + letters[:2] + digits(rng, 1),
                    letters[1:] + digits(rng, 1),
                    letters[:2] + digits(rng, 2),
                )
            ),
            f"{digits(rng, 9)}{letters[0]}",
            f"{digits(rng, 3)} {digits(rng, 3)} {digits(rng, 4)}",
            f"{digits(rng, 8)}-{digits(rng, 2)}",
            f"{digits(rng, 4)} {digits(rng, 5)} {digits(rng, 1)}",
            f"{letters} {digits(rng, 4)} {digits(rng, 5)}",
            f"{letters} {digits(rng, 2)}-{digits(rng, 5)}-{digits(rng, 1)}",
            f"{digits(rng, 4)}-{digits(rng, 3)}-{digits(rng, 3)}-{letters[:2]}",
            f"{digits(rng, 3)} {digits(rng, 3)} {digits(rng, 3)}",
            f"{letters[0]}{digits(rng, 9)}",
            digits(rng, 11),
        ]
    )


def serial(rng: random.Random) -> str:
    letters = "".join(rng.choice(string.ascii_uppercase) for _ in range(3))
    return rng.choice(
        [
            f"SN{digits(rng, 8)}",
            f"{letters}{digits(rng, 6)}",
            f"{digits(rng, 6)}-{digits(rng, 3)}",
            f"{letters[:2]}-{digits(rng, 7)}",
            digits(rng, 7),
            f"{letters[0]}{digits(rng, 3)}{letters[1]}{digits(rng, 4)}",
            f"{letters}{digits(rng, 6)}H",
            f"{digits(rng, 4)}{letters[0]}{digits(rng, 3)}",
            f"{letters[:2]}{digits(rng, 7)}",
        ]
    )


def uid(rng: random.Random) -> str:
    root = rng.choice(
        [
            "1.2.840.113619.2",
            "1.3.12.2.1107.5",
            "2.25",
            "1.2.826.0.1.3680043",
            "1.3.6.1.4.1.14519.5.2",
            "1.2.392.200036",
        ]
    )
    return root + "." + ".".join(str(rng.randint(1, 10 ** rng.randint(1, 9))) for _ in range(rng.randint(2, 6)))


def other_id(rng: random.Random) -> str:
    letters = "".join(rng.choice(string.ascii_uppercase) for _ in range(3))
    return rng.choice(
        [
            digits(rng, 7),
            digits(rng, 6),
            digits(rng, 9),
            f"ORD{digits(rng, 7)}",
            f"{letters}-{digits(rng, 5)}",
            f"{letters[0]}{digits(rng, 8)}",
            f"{letters[:2]}{digits(rng, 7)}",
            f"{letters}{digits(rng, 4)}",
            "".join(rng.choice(string.ascii_uppercase + string.digits) for _ in range(rng.randint(6, 11))),
            digits(rng, 4),
            f"{digits(rng, 3)}-{letters}",
            f"{digits(rng, 5)}-{digits(rng, 2)}",
            digits(rng, 10),
            f"{letters}-{rng.randint(2004, 2025)}-{digits(rng, 5)}",
            f"{letters[0]}{digits(rng, 2)}-{digits(rng, 4)}",
            f"{digits(rng, 2)}:{letters[0]}-{digits(rng, 6)}",
            f"{letters[:2]}-{digits(rng, 2)}-{digits(rng, 5)}",
            f"#{digits(rng, 5)}-{letters[0]}",
            f"{letters}{digits(rng, 8)}",
            f"{letters[:2]}{digits(rng, 3)}/{digits(rng, 5)}",
            f"{digits(rng, 2)}-{digits(rng, 5)}",
            f"{rng.randint(10, 25)}-{letters[:2]}-{digits(rng, 4)}-{letters[2]}",
            f"{letters} {digits(rng, 3)}/{rng.randint(1, 12):02d}/{rng.randint(2004, 2025)}",
            f"{letters[:2]}/{letters[1:].lower()}/{digits(rng, 4)}",
        ]
    )


def hex_id(rng: random.Random) -> str:
    """As databases number what they hold."""
    one = "".join(rng.choice("0123456789abcdef") for _ in range(32))
    return rng.choice(
        [
            f"{one[:8]}-{one[8:12]}-{one[12:16]}-{one[16:20]}-{one[20:]}",
            one[: rng.randint(8, 24)],
            f"{rng.choice(['pt', 'dr', 'enc', 'obs', 'p', 'rpt', 'pat'])}-{one[: rng.randint(5, 9)]}",
            digits(rng, 7),
        ]
    )


def room(rng: random.Random) -> str:
    letter = rng.choice("NSEWABCD")
    return rng.choice(
        [
            f"{rng.randint(2, 9)}{letter}-{rng.randint(1, 40):02d}",
            f"{rng.randint(100, 999)}",
            f"{rng.randint(1, 12)}{letter}",
            f"{letter}{rng.randint(100, 899)}",
            f"{rng.randint(100, 999)}-{rng.choice('AB12')}",
            f"{rng.randint(2, 12)}{rng.choice(['West', 'East', 'North', 'South', 'W', 'E'])}",
            f"{rng.randint(2, 9)}-{rng.randint(100, 900)}",
            f"{letter}{rng.randint(1, 20)}",
            f"{rng.randint(1, 30)}",
        ]
    )
