"""The names the phantom hospital draws from. People, places and hospitals are invented from these lists."""

from __future__ import annotations

import unicodedata

import numpy as np

# Given names and surnames by origin, so that most people have a name of one piece.
GIVEN: dict[str, dict[str, str]] = {
    "english": {
        "F": "Mary Alice Joan Ruth Dorothy Helen Grace Hope Rose May April June Faith Dawn Iris Olive Pearl "
        "Margaret Eleanor Harriet Beatrice Susan Carol Janet Judith Wendy Gillian Abigail Charlotte Hannah",
        "M": "John William George Frank Will Mark Art Ray Drew Chase Grant Miles Rich Walter Harold Stanley "
        "Arthur Leonard Clifford Duncan Neville Roger Colin Trevor Oliver Edmund Theodore Samuel Nathaniel",
    },
    "irish": {
        "F": "Siobhán Aoife Niamh Maeve Bridget Róisín Deirdre Sinéad Orla Colleen Fionnuala Gráinne",
        "M": "Seán Patrick Liam Declan Cormac Brendan Eoin Pádraig Conor Fergus Colm Ruairí",
    },
    "spanish": {
        "F": "María Lucía Inés Concepción Mercedes Guadalupe Rocío Begoña Ángela Ximena Belén Soledad Pilar",
        "M": "José Jesús Andrés Ramón Ángel Joaquín Héctor Íñigo Raúl Germán Tomás Iván Salvador Rubén",
    },
    "french": {
        "F": "Geneviève Hélène Françoise Anne-Marie Chloé Noémie Marie-Claire Océane Aurélie Solène Maëlle",
        "M": "Jean-Luc François Étienne Gérard Jean-Pierre Rémi Loïc Benoît Thibault Frédéric Aurélien",
    },
    "german": {
        "F": "Käthe Brigitte Annegret Jutta Ursula Hannelore Bärbel Elke Sigrid Liesel Gudrun Anneliese",
        "M": "Jürgen Günter Heinrich Dieter Björn Wolfgang Helmut Rüdiger Ulrich Götz Lothar Siegfried",
    },
    "dutch": {
        "F": "Femke Saskia Anneke Maaike Liesbeth Wilhelmina Hendrika Jannie Tineke Marijke",
        "M": "Pieter Jeroen Willem Sjoerd Maarten Cornelis Gerrit Klaas Joost Bram",
    },
    "nordic": {
        "F": "Åsa Ingrid Solveig Märta Sigrún Kirsten Bodil Päivi Tuulikki Ragnhild",
        "M": "Søren Håkon Lars Jörgen Øystein Mikkel Gunnar Väinö Torbjörn Åke",
    },
    "slavic": {
        "F": "Olga Svetlana Małgorzata Katarzyna Jadwiga Ludmila Tereza Vesna Danuta Zdeňka Oksana Nadia",
        "M": "Vladimir Sergei Krzysztof Zbigniew Tomasz Miloš Jiří Bogdan Stanislav Taras Dušan Wojciech",
    },
    "asian": {
        "F": "Mei Xiu-Ying Thi Hye-Jin Yuki Sakura Lakshmi Priya Kavita Noor Linh Min-Ji Hanako Ananya",
        "M": "Wei Jian Van Minh Sung-Ho Kenji Hiroshi Rajesh Arjun Vikram Imran Tuan Dae-Jung Takeshi Ravi",
    },
    "african": {
        "F": "Amara Ngozi Chiamaka Abena Wanjiru Fatoumata Zanele Thandiwe Folasade Makena",
        "M": "Chinedu Kwame Oluwaseun Kofi Tendai Mamadou Babatunde Sipho Jabari Emeka",
    },
    "arabic": {
        "F": "Fatima Layla Aisha Mariam Zahra Nour Samira Yasmin Hala Rania",
        "M": "Omar Yusuf Khalid Hassan Tariq Ibrahim Karim Nabil Faisal Ziad",
    },
}

SURNAMES: dict[str, str] = {
    "english": "Ashworth Pemberton Whitcombe Harding Lockwood Thornbury Caldwell Marlowe Ellsworth Hollis "
    "Fairbanks Kingsley Wainwright Ackroyd Stanhope Barlow Cartwright Dunmore Eastwick Fotheringham "
    "Young Hand Bone Grey Rose May Long Short Stone Field Small Wall Price Cross Banks Little White Brown "
    "Black Swan Foley Hickman Kerley Fleischner Ganz Hart Ward Page Frame Lung Chest Marker Drain Wood Rich "
    "Best Day Winter March Lines Tubes Border Clear Strong Savage Mann Case Base Apex Moody Sharp Downs "
    "Smith-Jones Hughes-Hallett Clarke-Whitfield Parker-Bowen Bell-Irving",
    "irish": "O'Brien O'Donoghue MacDermott McCarthy Ní_Bhriain O'Shaughnessy Fitzgerald Mac_Giolla Gallagher "
    "D'Arcy O'Hara McLoughlin Kavanagh Ó_Súilleabháin",
    "spanish": "García_López Núñez Peña Muñoz Hernández_Ruiz de_la_Cruz Ibáñez Ordóñez Zúñiga Castañeda "
    "Vázquez_Montalbán del_Río Gutiérrez Échegaray Martínez-Soto Ríos",
    "french": "Lefèvre D'Aubigné Béranger Saint-Just de_la_Tour Dupré Géroux L'Écuyer Beauséjour Maréchal "
    "Le_Gall Châtelain Côté Lévesque",
    "german": "Müller Schäfer von_Hohenfels Groß Krüger von_der_Heide Weiß Köhler Bäcker Zöllner Strauß "
    "Schönfeld zu_Rhein Rückert",
    "dutch": "van_der_Berg van_Dijk de_Vries van_'t_Hof ten_Brink van_den_Broek de_Wit Hoekstra Zijlstra "
    "van_Leeuwen op_den_Kamp",
    "nordic": "Sørensen Ångström Lindqvist Bjørnstad Hägglund Jónsdóttir Korhonen Mäkelä Østergaard Nyström",
    "slavic": "Kowalczyk Nowakowska Dvořák Wiśniewski Petrović Szczepańska Horváth Volkov Šimůnek Bondarenko "
    "Żukowska Jovanović",
    "asian": "Nguyen Trinh Li Wu Ng Kim-Park Yamamoto Tanaka Iyer Ramaswamy Chowdhury Pham Oh Xu Watanabe "
    "Subramaniam Phung",
    "african": "Okafor Adeyemi Mensah Nwosu Dlamini Diallo Okonkwo-Eze Traoré Mbeki Owusu Abubakar",
    "arabic": "Al-Hashimi El-Sayed Haddad bin_Rashid Abu-Nasser Mansour Khoury Al_Farsi Saleh Nasrallah",
}

# Surnames and given names that are also English words, or the names of signs and devices.
_WORDS = (
    "young hand bone grey rose may long short stone field small wall price cross banks little white brown black "
    "swan foley hickman kerley fleischner ganz hart ward page frame lung chest marker drain wood rich best day "
    "winter march lines tubes border clear strong savage case base apex moody sharp downs grace hope april june "
    "faith dawn iris olive pearl will mark art drew chase grant miles frank marshall carol"
)
ORDINARY_WORDS = frozenset(word for word in _WORDS.split() if len(word) >= 4)

TOWNS = (
    "Harrowfield",
    "Port Alder",
    "Larkmoor",
    "Bellhaven",
    "Stonebridge Falls",
    "Marrow Creek",
    "Eastmere",
    "Quillon",
    "St. Orrin",
    "Wexholm",
    "Thistledown",
    "Cape Verity",
    "Oakhollow",
    "New Brennick",
    "Fairwater",
    "Dunmarrow",
    "Silver Ford",
    "Ketterby",
    "Long Reach",
    "Ashgrove",
)
HOSPITALS = (
    "{town} General Hospital",
    "St. Aldhelm Medical Center",
    "{town} Regional Medical Center",
    "University Hospital of {town}",
    "Mercywell Hospital",
    "{town} Memorial Hospital",
    "Holy Lantern Infirmary",
    "{town} Veterans Health Center",
    "Northlight Clinic {town}",
    "Saint Brannoc's Hospital",
)
STATES = ("NX", "QV", "WQ", "ZD")  # no such postal codes
STREETS = (
    "Maple Street",
    "Old Mill Road",
    "Harbour View",
    "Chestnut Avenue",
    "King's Lane",
    "Lower Ward Street",
    "Heron Crescent",
    "N. 4th Street",
    "Bone Mill Drive",
    "Rue de l'Église",
    "County Road 12",
    "Juniper Court",
    "Quarry Hill",
    "Station Parade",
    "Lung Fung Terrace",
    "Windmill Walk",
    "Bishop's Close",
    "Larch Way",
    "Short Street",
    "Alder Row",
)
HEALTH_PLANS = ("Bluefern", "Meridian Mutual", "CareHarbor", "Unity Shield", "Evergreen Health")


def given_names(origin: str, sex: str) -> list[str]:
    return GIVEN[origin][sex].split()


def surnames(origin: str) -> list[str]:
    return [name.replace("_", " ") for name in SURNAMES[origin].split()]


_LETTERS = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "đ": "d", "æ": "ae", "Æ": "AE"})


def fold(text: str) -> str:
    """The text in plain ASCII letters, as old systems spell it."""
    spread = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(letter for letter in spread if letter.isascii())


def mistyped(rng: np.random.Generator, word: str) -> str:
    """The word with one typing error: a letter lost, doubled, swapped with the next or replaced."""
    inner = [place for place in range(1, len(word) - 1) if word[place].isalpha() and word[place + 1].isalpha()]
    if not inner:
        return word + word[-1]
    place = inner[int(rng.integers(len(inner)))]
    before, letter, after = word[:place], word[place], word[place + 1 :]
    kind = int(rng.integers(4))
    if kind == 0:
        return before + after
    if kind == 1 or (kind == 2 and letter == after[0]):
        return before + letter + letter + after
    if kind == 2:
        return before + after[0] + letter + after[1:]
    return before + ("e" if letter != "e" else "a") + after
