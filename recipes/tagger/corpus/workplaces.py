"""Where people work, shop, learn and grow old, and what the wards of a hospital are called."""

from __future__ import annotations

import random

from recipes.tagger.corpus.lists import lines
from recipes.tagger.corpus.places import pick

_TRADES = (
    "Steel,Foods,Freight,Logistics,Mining,Plumbing,Motors,Construction,Insurance,Bank,Savings Bank,Brewery,Bakery,"
    "Farms,Shipyard,Paper Mill,Electric,Trucking,Airlines,Textiles,Roofing,Catering,Software,Realty,Auto Parts"
).split(",")
_ENDS = ("", "", " Co.", " Inc.", ", Inc.", " LLC", " Ltd", " GmbH", " Corp.", " Company", " & Co", " Group")
_SCHOOLS = (
    "Elementary School,Elementary,High School,Middle School,Primary School,Primary,College,University,Academy,Nursery,"
    "Kindergarten,Preschool,Community College"
).split(",")
_SERVICES = ("Ambulance", "EMS", "Fire Department", "Police Department", "Air Rescue", "Visiting Nurses", "Home Care")
_SHOPS = (
    "Walgreens,CVS,Duane Reade,Walmart,Costco,Target,Kroger,Starbucks,McDonald's,Home Depot,Lowe's,FedEx,UPS,"
    "Tesco,Sainsbury's,Lidl,Ikea,Ford,Boeing,Google,Verizon,Delta,Uber,Marriott,Publix,Safeway,Whole Foods,Subway"
).split(",")
_HOMES = (
    "Lodge,Manor,Court,House,Nursing Home,Care Home,Rest Home,Village,Gardens,Place,Commons,Terrace,Rehab,Hall,Grange,"
    "Rehabilitation Center,Skilled Nursing,Assisted Living,Residence,Hospice,SNF,Estates,Retirement Home"
).split(",")
_TREES = "Oaks Willows Beeches Cedars Pines Maples Birches Poplars Firs Laurels Hollies Limes".split()
_UNITS = (
    "MICU,SICU,CCU,ICU,NICU,PICU,L&D,ED,PACU,Maternity,Telemetry,Oncology,Ortho,Peds,Stepdown,Rehab,Cardiac,Surgical,"
    "Medical,Day Unit,Bay,Pod,Clinic,Team,PACT,Firm"
).split(",")
_FIELDS = (
    "Dermatology,Cardiology,Heart & Vascular,Heart & Vasc,Imaging,Pathology,Orthopedics,Ortho,Urology,Eye Care,ENT,"
    "Family Medicine,Family Med,Women's Health,Women's,Pediatrics,Internal Medicine,Oncology,Neurology,Pulmonary,"
    "Surgicenter,Surgery Center,Diagnostics,Dental,Physio,Kidney Care,Sleep,Pain Clinic,Radiology,Labs,GI"
).split(",")
_PRACTICE_ENDS = (
    "",
    "",
    "",
    " Associates",
    " Group",
    ", P.C.",
    ", P.S.",
    " LLC",
    " Partners",
    " Clinic",
    " PA",
    " Ltd",
)
_CARE = (
    "Home Health,VNA,Hospice,Community Health,Health Partners,Home Care,Urgent Care,Health Centre,Medical Practice,"
    "Family Practice,Surgery,Walk-in,Wellness,Rehab,Dialysis,Birth Center,Ambulance,EMS,Health Center"
).split(",")
_FLOWERS = (
    "Bluebell Primrose Snowdrop Lavender Daffodil Foxglove Heather Poppy Rowan Kestrel Otter Rainbow Sunflower".split()
)
_COLOURS = "Blue Red Green Gold Silver White Yellow Purple Orange Teal".split()
_SIDES = "North South East West Main Upper Lower N S E W".split()


def firm(rng: random.Random, surname: str, town: str) -> str:
    kind = rng.random()
    if kind < 0.18:
        return f"{pick(rng, [surname, town])} {pick(rng, _TRADES)}{pick(rng, _ENDS)}"
    if kind < 0.26:
        return f"{surname}{pick(rng, [' Ltd', ' PLC', ' Group', ' Inc', '-' + town, ' LLC', ' and Sons', ' GmbH'])}"
    if kind < 0.34:
        return f"{surname}{pick(rng, [' & Sons', ' Brothers', chr(39) + 's', ' and Daughters', ' & Associates', ''])}"
    if kind < 0.4:
        return f"{surname}, {town} & {pick(rng, _TREES)[:-1]}"
    if kind < 0.55:
        return f"{pick(rng, [town, surname, pick(rng, _TREES)[:-1]])} {pick(rng, _SCHOOLS)}"
    if kind < 0.65:
        return f"{pick(rng, [town, surname])} {pick(rng, _SERVICES)}"
    if kind < 0.72:
        owner = pick(rng, lines("word_surnames"))
        return f"{owner}'s {pick(rng, ['Gym', 'Diner', 'Garage', 'Bakery', 'Market', 'Pharmacy', 'Salon', 'Bar'])}"
    if kind < 0.8:
        return f"{pick(rng, _COLOURS)} {pick(rng, lines('street_heads'))} {pick(rng, _TRADES)}{pick(rng, _ENDS)}"
    return pick(rng, _SHOPS)


def vessel(rng: random.Random, given: str, surname: str) -> str:
    """A ship, where somebody sails or was stationed."""
    return pick(rng, ["M/V ", "MV ", "F/V ", "USS ", "HMS ", "SS ", ""]) + pick(rng, [f"{given} {surname}", given])


def practice(rng: random.Random, surname: str, town: str) -> str:
    """Where doctors and nurses work who are in no hospital."""
    kind, place = rng.random(), pick(rng, [town, surname, pick(rng, lines("street_heads"))])
    if kind < 0.45:
        return f"{place} {pick(rng, _FIELDS)}{pick(rng, _PRACTICE_ENDS)}"
    if kind < 0.6:
        return (
            f"{pick(rng, _FIELDS)} {pick(rng, ['Associates of', 'Group of', 'Partners of', 'of', 'Assoc. of'])} {town}"
        )
    if kind < 0.75:
        return f"{place} {pick(rng, _CARE)}"
    if kind < 0.85:
        return f"{pick(rng, _CARE)} of {town}"
    return pick(
        rng,
        [
            f"The {place} {pick(rng, ['Practice', 'Surgery', 'Clinic'])}",
            f"{surname} & {pick(rng, lines('word_surnames'))}",
        ],
    )


def ward_name(rng: random.Random, surname: str) -> str:
    """Wards that bear a flower's or a person's name."""
    return pick(rng, [surname, pick(rng, _FLOWERS), pick(rng, _FLOWERS), pick(rng, _TREES)[:-1]])


def care_home(rng: random.Random, surname: str, town: str) -> str:
    kind = rng.random()
    if kind < 0.25:
        return f"The {pick(rng, _TREES)}"
    if kind < 0.4:
        return f"{pick(rng, ['Sunny', 'Green', 'Golden', 'Pleasant', 'Shady', 'Silver'])} {pick(rng, _TREES)}"
    if kind < 0.55:
        return f"{pick(rng, _TREES)[:-1]} {pick(rng, lines('town_ends'))} {pick(rng, _HOMES)}"
    return f"{pick(rng, [town, surname, pick(rng, lines('town_heads')) + pick(rng, lines('town_tails'))])} " + pick(
        rng, _HOMES
    )


def ward(rng: random.Random, surname: str) -> str:
    unit, number = pick(rng, _UNITS), rng.randint(1, 14)
    return pick(
        rng,
        [
            f"{number} {pick(rng, _SIDES)}",
            f"{number}{pick(rng, _SIDES)[0]}",
            f"{surname} {number}",
            f"{surname}",
            f"{unit} {number}",
            f"{unit}-{number}",
            f"{unit}{number}",
            f"{unit} {pick(rng, _COLOURS)} {number % 4 + 1}",
            f"{unit} {pick(rng, _SIDES)}",
            f"{pick(rng, ['CC', 'GI', 'FA', 'RB', 'WP', 'TSICU', 'VA'])}{number}",
            f"{pick(rng, ['CC', 'RB', 'FA', 'WP', 'N', 'T', 'S'])}{number}{rng.choice('ABCD')}",
            f"{rng.choice('TCNM')}/{unit}",
            f"{unit}{rng.choice('-/')}{rng.choice('ABCD')}{rng.randint(1, 40)}",
            f"{number}{pick(rng, ['NORTH', 'SOUTH', 'EAST', 'WEST', 'Main'])}",
            f"Team {number}",
            ward_name(rng, surname),
            f"{surname[0]}{number}",
            f"{number}{rng.choice('ABCD')}/{rng.randint(1, 30)}",
            f"{pick(rng, _COLOURS)} {pick(rng, ['Team', 'Zone', 'Pod', 'Clinic'])}",
        ],
    )


def care_home_abroad(rng: random.Random, town: str) -> str:
    return rng.choice(
        [
            f"Pflegeheim {town}",
            f"Seniorenzentrum {town}",
            f"Haus {town}",
            f"Reha-Klinik {town}",
            f"Altenheim St. {town}",
        ]
    )


_KINDS_OF_HOUSE = (
    "DHB,Trust,H/C,Funeral Home,Funeral Directors,Pharmacy,Chemist,Labs,Lab,Path,Unit,Union,Club,FC,RFC,Parish,Temple,"
    "Masjid,Mosque,Shelter,Foundation,Bank,Svc,Services,Dental Arts,Dental,Imaging,Röntgen,Diagnostics,Mills,Works,"
    "Transit,Rail,Ferries,Port,Mine,Colliery,Council,Library,Theatre,Museum,Hotel,Stores,Supermarket,Market,Cafe,"
    "School District,ISD,Scouts,Legion,Rotary,Ministry,Polyclinic,Klinik,Clinica,Health,Care,Rehab,Group,Fund,Scheme"
).split(",")
_ARTICLES = (
    "Te",
    "La",
    "El",
    "Los",
    "Al",
    "Le",
    "Les",
    "Die",
    "Das",
    "Ny",
    "O",
    "Te Kura o",
    "Casa",
    "Bait",
    "Dar",
    "Ka",
)


def organisation(rng: random.Random, surname: str, town: str, coined: str, word: str, other: str) -> str:
    """Any house at all, known only by what is said of it: half of them bear words that name nothing elsewhere."""
    kind, first, second = rng.random(), word.capitalize(), other.capitalize()
    house = pick(rng, _KINDS_OF_HOUSE)
    if kind < 0.14:
        return coined
    if kind < 0.24:
        return first
    if kind < 0.34:
        return f"{first} {second}"
    if kind < 0.42:
        return f"{first}{second}" if rng.random() < 0.5 else f"{coined}{second}"
    if kind < 0.62:
        return f"{pick(rng, [coined, surname, town, first])} {house}"
    if kind < 0.7:
        return f"{surname} & {pick(rng, ['Son', 'Sons', 'Daughter', 'Partners', 'Rakan', 'Co', coined])} {house}"
    if kind < 0.78:
        return f"{pick(rng, _ARTICLES)} {coined}"
    if kind < 0.86:
        return f"{house} {pick(rng, [surname, coined, town])}"
    if kind < 0.92:
        return "".join(name[0] for name in (town, coined, house)).upper()
    return f"{first} of {pick(rng, [town, coined, second])}"
