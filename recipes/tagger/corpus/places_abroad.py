"""Towns, streets and houses as German, French and Spanish texts write them."""

from __future__ import annotations

import random

from recipes.tagger.corpus.lists import lines
from recipes.tagger.corpus.places import pick

_SAINTS = lines("saints")
_TOWNS = {
    "german": (
        "Neu Ober Unter Nieder Alten Linden Eichen Buchen Roten Schwarz Weiß Wald Stein Lang Brunn Kalten Hohen Mühl "
        "Kirch Berg Rosen Wester Oster Grafen Bischofs Königs Sankt-Veit- Wasser Hirsch Wolfs",
        "dorf heim hausen stadt berg bach brunn feld kirchen ried au rode stein furt burg walde see leben ingen weiler "
        "hofen münde tal horst beck",
    ),
    "french": (
        "Mont Ville Château Beau Belle Roche Pont Neuf Clair Font Champ Val Haute Gran Cour Mar Sauv Plou Ker Lan",
        "fort neuve rive mont court val fontaine lieu vieux ville aigu gnac ac y ier ard eux ec igny eil ois",
    ),
    "spanish": (
        "Villa Castro Torre Fuente Monte Río Puente Campo Val Alcalá Peña Mira Bella Agua Rio Ciudad Pueblo Santa Cala",
        "viejo nueva blanca seca hermosa flores verde roja mayor alta clara rey real honda morena lobos dero nar illa",
    ),
}
_RIVERS = {
    "german": "am Main,an der Saale,am See,im Tal,ob der Tauber,(Oder),bei Linz,a. d. Donau,Ost,Nord,West",
    "french": "sur-Loire,en-Vexin,les-Bains,le-Vieux,sous-Bois,la-Forêt,sur-Mer,Est,Nord,le-Grand",
    "spanish": "de la Sierra,del Río,de Arriba,de los Caballeros,del Mar,la Vieja,de Henares,del Valle,Alto",
}
_STREETS = {
    "german": "{name}straße {n},{name}str. {n},{name}weg {n}a,Am {town} {n},{name}platz {n},Hafenstraße {n},"
    "{name}gasse {n}/{m}",
    "french": "{n} rue de {town},{n} bis rue {name},{n} avenue {name},place du {town},chemin de {town} {n},"
    "rond-point {name},chaussée de {town} {n}/{m}",
    "spanish": "calle {name} {n},C/ {name} {n} {m}.º B,Av. {name} {n},Blvd. {name} {n},plaza de {town} {n},"
    "Carrera {m} n.º {n}-{m},Rua {name} {n}",
}
_HOUSES = {
    "german": "Klinikum {town},Kreiskrankenhaus {town},St. {saint} Krankenhaus,LK {town},Reha-Klinik {town},"
    "Praxis {name} & Kollegen,Radiologie {town},Caritas Sozialstation {town},MVZ {town},"
    "Universitätsklinikum {town},{town}klinik,Frauenklinik {town}",
    "french": "Centre Hospitalier de {town},CHU de {town},Clinique Saint-{saint},Hôpital {name},Cabinet de {town},"
    "CHIC de {town},EHPAD Les {town},Hôpital de {town},Centre de santé {town},Polyclinique {town},CIUSSS de {town}",
    "spanish": "Hospital Comarcal {town},Hospital San {saint},Clínica {name},Centro de Salud {town},Sanatorio {name},"
    "Hospital General de {town},Instituto {name},Residencia {town},Centro Diagnóstico {town},Policlínica {town}",
}


def town(rng: random.Random, tongue: str) -> str:
    heads, tails = _TOWNS[tongue]
    name = pick(rng, heads.split()) + pick(rng, tails.split())
    kind = rng.random()
    if kind < 0.6:
        return name
    if kind < 0.8:
        between = "-" if tongue == "french" else " "
        return f"{name}{between}{pick(rng, _RIVERS[tongue].split(','))}"
    saint = pick(rng, _SAINTS)
    return {"german": f"St. {saint}", "french": f"Saint-{saint}-{name}", "spanish": f"San {saint}"}[tongue]


def street(rng: random.Random, tongue: str, surname: str, place: str) -> str:
    form = pick(rng, _STREETS[tongue].split(","))
    return form.format(name=surname.split()[-1], town=place, n=rng.randint(1, 220), m=rng.randint(1, 9))


def house(rng: random.Random, tongue: str, surname: str, place: str) -> str:
    form = pick(rng, _HOUSES[tongue].split(","))
    return form.format(name=surname.split()[-1], town=place, saint=pick(rng, _SAINTS))
