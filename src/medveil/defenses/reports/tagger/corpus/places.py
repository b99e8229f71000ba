"""Where people live and are treated: streets, towns, postal codes of many countries, and hospitals."""

from __future__ import annotations

import random
import string

TOWNS = (
    "Boston Chicago Houston Phoenix Denver Seattle Portland Atlanta Miami Dallas Austin Cleveland Pittsburgh Detroit "
    "Baltimore Memphis Nashville Tucson Fresno Oakland Omaha Tulsa Wichita Tampa Anaheim Newark Lincoln Toledo Orlando "
    "Durham Laredo Boise Spokane Tacoma Akron Yonkers Shreveport Worcester Springfield Bridgeport Topeka Salem Lowell "
    "Waterbury Manchester Framingham Quincy Brockton Nashua London Leeds Bristol Sheffield Cardiff Glasgow Edinburgh "
    "Dublin Cork Galway Toronto Montreal Ottawa Calgary Winnipeg Halifax Sydney Melbourne Brisbane Perth Auckland Wellington "
    "Berlin München Hamburg Köln Leipzig Wien Zürich Genève Paris Lyon Marseille Bruxelles Amsterdam Rotterdam Utrecht "
    "København Stockholm Göteborg Oslo Bergen Helsinki Madrid Sevilla Valencia Lisboa Porto Roma Milano Napoli Torino "
    "Warszawa Kraków Praha Budapest Athens Istanbul Ankara Cairo Lagos Nairobi Accra Mumbai Chennai Pune Hyderabad Karachi "
    "Lahore Dhaka Beijing Shanghai Taipei Seoul Busan Tokyo Osaka Hanoi Manila Jakarta Bangkok Singapore Santiago Lima "
    "Bogotá Quito Caracas Monterrey Guadalajara Tijuana Havana Reading Bath Mobile Flint Normal Surprise Hope Gary Orange"
).split()
_TOWN_HEADS = (
    "Ash Black Bridge Brook Clear Cold Cross Deer Eagle East Elm Fair Falcon Fern Fox Glen Gold Grand Green Hart High Holly "
    "King Lake Lang Long Maple Marsh Mill Moss New North Oak Old Pine Port Red River Rock Rose Salt Sand Silver South Spring "
    "Stone Sun Swan Thorn Timber West White Wild Wind Winter Wood Hamp Den Brad Wen Har Lan Pem Car Dun Kirk Whit Win Bel"
).split()
_TOWN_TAILS = (
    "ville ton field ford bridge wood dale port burg mouth haven view land ham ley worth wick bury stead mere creek brook "
    "shire gate side crest hurst more well by thorpe cliff"
).split()
_TOWN_ENDS = (
    "City,Falls,Springs,Heights,Beach,Park,Hills,Valley,Township,Village,Point,Harbor,Junction,Lake,Grove".split(",")
)
_TOWN_STARTS = (
    "New,Old,North,South,East,West,San,Santa,St.,Saint,Fort,Port,Mount,Mt.,Lake,El,La,Los,Upper,Lower,Great,Bad".split(
        ","
    )
)
_STREET_TAILS = (
    "Street St St. Avenue Ave Ave. Road Rd Rd. Drive Dr Dr. Lane Ln Ln. Court Ct Boulevard Blvd Blvd. Place Pl Way Terrace "
    "Circle Cir Parkway Pkwy Highway Hwy Square Close Crescent Gardens Mews Row Trail Turnpike Plaza Loop Walk Grove Hill"
).split()
_STREET_HEADS = (
    "Main Oak Maple Cedar Elm Pine Washington Lake Hill Walnut Park View Church School Mill River Spring Ridge Franklin "
    "Jefferson Madison Lincoln Jackson Highland Forest Sunset Meadow Chestnut Locust Willow Cherry Dogwood Hickory Poplar "
    "Birch Railroad Center Bridge Union Market Water Front Pleasant Prospect Summit Grove Winter Summer Spring Canal Court "
    "Victoria Albert Station High King Queen Castle Orchard Rosewood Magnolia Sycamore Juniper Heather Primrose Bone Lung"
).split()
STATES = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC "
    "SD TN TX UT VT VA WA WV WI WY DC PR ON QC BC AB NSW VIC QLD NX QV ZD WQ"
).split()
STATE_NAMES = (
    "Alabama,Arizona,California,Colorado,Connecticut,Florida,Georgia,Illinois,Indiana,Iowa,Kansas,Kentucky,Louisiana,Maine,"
    "Maryland,Massachusetts,Michigan,Minnesota,Missouri,Montana,Nebraska,Nevada,New Hampshire,New Jersey,New Mexico,New York,"
    "North Carolina,Ohio,Oklahoma,Oregon,Pennsylvania,Rhode Island,South Carolina,Tennessee,Texas,Utah,Vermont,Virginia,"
    "Washington,West Virginia,Wisconsin,Wyoming,Ontario,Quebec,Bavaria,Kerala,Punjab,New South Wales"
).split(",")
COUNTRIES = (
    "Mexico,Guatemala,El Salvador,Honduras,Haiti,Cuba,Brazil,Colombia,Peru,Ecuador,Puerto Rico,Jamaica,Ireland,Scotland,"
    "England,Portugal,Spain,Italy,Greece,Poland,Ukraine,Russia,Germany,France,Sweden,Norway,Somalia,Ethiopia,Eritrea,Kenya,"
    "Nigeria,Ghana,Egypt,Morocco,Lebanon,Syria,Iraq,Iran,Afghanistan,Pakistan,India,Bangladesh,Nepal,China,Taiwan,Korea,Japan,"
    "Vietnam,Cambodia,Laos,Thailand,Philippines,Indonesia,Samoa,Cape Verde,Turkey"
).split(",")
_SAINTS = (
    "Mary Joseph Luke John Vincent Elizabeth Francis Anne Jude Michael Thomas Catherine Agnes Clare Rita Mark Peter Paul "
    "Barnabas Bartholomew Alban Aldhelm Brigid Camillus Raphael Cuthbert Olaf Lucy Ignatius Anthony"
).split()
_HOLY = (
    "Mercy Providence Trinity Sacred_Heart Good_Samaritan Holy_Cross Grace Bethesda Beth_Israel Mount_Sinai Mount_Carmel "
    "Bethlehem Our_Lady_of_Lourdes Holy_Family Immaculata Emmanuel Zion Shepherd_of_the_Valley Hope Lantern Deaconess Baptist "
    "Methodist Lutheran Adventist Presbyterian Kindred Cornerstone Northlight Summit Pinnacle Horizon Evergreen Sunrise"
).split()
_HOSPITAL_TAILS = (
    "Hospital,General Hospital,Medical Center,Regional Medical Center,Memorial Hospital,Community Hospital,Health Center,"
    "Clinic,Infirmary,University Hospital,Children's Hospital,Rehabilitation Hospital,VA Medical Center,Health System,"
    "Cancer Center,Heart Institute,Medical Centre,District Hospital,Royal Infirmary,Hospice,Nursing Home,Imaging Center,"
    "Surgical Center,Urgent Care,Family Practice,Rehab,Medical Group,Health,Care Center,Assisted Living,Manor,Radiology,"
    "Radiology Associates,Diagnostic Imaging,Medical Associates,County Hospital,Psychiatric Hospital,Eye Institute"
).split(",")
_FOREIGN_HOSPITALS = (
    "Klinikum {town},Universitätsklinikum {town},St.-{saint}-Krankenhaus,Krankenhaus {town},Hôpital {town},Hôpital Saint-{saint},"
    "CHU de {town},Clinique {name},Hospital de {town},Hospital General de {town},Hospital San {saint},Clínica {name},"
    "Ospedale {town},Policlinico {name},{town} Sjukhus,Rigshospitalet {town},{town} University Hospital NHS Trust,"
    "Royal {town} Hospital,Queen {saint} Hospital,King {saint} Hospital,Apollo {town},{name} Nursing Home"
).split(",")


def pick(rng: random.Random, options: list[str]) -> str:
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
        f"{pick(rng, ['North', 'South', 'Old', 'Upper', 'Lower', 'County Road', 'State Route', 'Rue', 'Calle', 'Via'])} "
        + (f"{pick(rng, _STREET_HEADS)} {tail}" if rng.random() < 0.6 else str(rng.randint(2, 400)))
    )


def street(rng: random.Random, surname: str) -> str:
    """A street with its number, in the order of its country."""
    kind, number = rng.random(), rng.randint(1, 9900) if rng.random() < 0.5 else rng.randint(1, 199)
    if kind < 0.78:
        text = f"{number}{pick(rng, ['', '', '', 'A', 'b', '-12', ' 1/2'])} {street_name(rng, surname)}"
    elif kind < 0.86:
        root = surname.split()[-1] if rng.random() < 0.5 else pick(rng, _TOWN_HEADS)
        text = f"{root}{pick(rng, ['straße', 'strasse', 'str.', 'weg', 'platz', 'gatan', 'gata', 'laan', 'straat', 'vej'])} {number % 300 + 1}"
    elif kind < 0.93:
        text = f"{pick(rng, ['Rue de', 'Avenue de', 'Calle', 'Av.', 'Via', 'Rua', 'Ul.', 'Avenida', 'Plaza', 'Boulevard'])} {pick(rng, [surname, pick(rng, TOWNS)])} {number % 300 + 1}"
    else:
        text = f"{pick(rng, ['P.O. Box', 'PO Box', 'RR', 'Postfach', 'Flat', 'Block'])} {number}"
    if rng.random() < 0.18:
        text += pick(rng, [", Apt ", " Apt. ", ", Unit ", " #", ", Suite ", ", Flat "]) + pick(
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
        return f"{rng.choice(letters)}{rng.randint(0, 9)}{rng.choice(letters)} {rng.randint(0, 9)}{rng.choice(letters)}{rng.randint(0, 9)}"
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


def short_hospital(rng: random.Random, name: str) -> str:
    """The letters a hospital is called by."""
    letters = "".join(word[0] for word in name.replace(".", "").split() if word[0].isupper())
    return (
        letters
        if 2 <= len(letters) <= 5 and letters not in ("CT", "MI", "PA", "AP", "MR")
        else "".join(rng.choice("BCDFGHKLMNPRSTVW") for _ in range(rng.randint(2, 3)))
        + rng.choice(["H", "MC", "GH", "RMC", "MH"])
    )
