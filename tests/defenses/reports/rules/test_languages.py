"""English, German, French and Spanish are read; what is plainly in another language is withheld."""

from __future__ import annotations

import pytest

from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.defenses.reports.rules.languages import is_read, language_of
from medveil.errors import Quarantined
from medveil.person.keys import Keys
from medveil.person.person import Person

READ = {
    "en": "The patient was seen with cough. No effusion, and the heart is not enlarged. Lungs are clear on both sides.",
    "de": "Die Patientin stellte sich mit Husten vor. Kein Erguss, kein Infiltrat. Das Herz ist nicht vergrößert.",
    "fr": "Le patient a été vu pour une toux. Pas d'épanchement pleural. Le coeur est de taille normale, sans foyer.",
    "es": "El paciente acude por tos de tres días. No se observa derrame pleural. Silueta cardíaca de tamaño normal.",
}
OTHERS = (
    "Il torace non mostra addensamenti parenchimali. Il cuore è nei limiti. La paziente è stata dimessa con terapia.",
    "O paciente apresenta tosse há três dias. Não há derrame pleural. O coração tem dimensões normais, sem alterações.",
    "De patiënt werd gezien op de polikliniek met hoesten. Geen pleuravocht. Het hart is niet vergroot en er is geen",
    "Pacjentka przyjęta z powodu kaszlu. Płuca bez zmian ogniskowych. Serce niepowiększone. Nie stwierdzono płynu.",
    "Лёгкие без очаговых изменений. Сердце не увеличено. Плеврального выпота нет.",
    "両側肺野に異常陰影を認めません。心拡大はありません。",
    "Rx torace a letto: versamento dx in aumento, addensamento basale, CVC in sede. Terapia: furosemide 2 fl ev, "
    "ossigeno, controllo domani. Familiari avvisati.",
    "An kwantar da mara lafiya saboda tari mai tsanani da zazzabi, hoton kirji ya nuna ruwa a gefen dama na huhu.",
    "Mgonjwa alilazwa hospitalini kwa sababu ya kikohozi cha muda mrefu na homa kali usiku kucha bila nafuu yoyote",
)
ENGLISH = (
    "cxr 2v. ptx resolved, clr lungs. ett ok. ngt ok. d/w icu. rpt am",
    "PORTABLE AP CHEST: NG TUBE IN STOMACH. SMALL L EFF. RML ATEL UNCH. KERLEY B LINES. PICC TIP SVC/RA JXN.",
    "CHEST PA",
    "BED 4 OKONKWO 78F NOF# D2. OBS STABLE. PHYSIO. BLOODS AM. NOK AWARE. TTO DONE",
    "",
)


@pytest.mark.parametrize("language", READ)
def test_four_languages_are_told(language: str) -> None:
    assert language_of(READ[language]) == language
    assert is_read(READ[language].upper())


@pytest.mark.parametrize("text", OTHERS)
def test_another_language_is_withheld(text: str) -> None:
    assert not is_read(text)
    with pytest.raises(Quarantined, match="language"):
        ReportCleaner(tagger=None).clean(text, Person(Keys(b"k" * 32), "1"))


@pytest.mark.parametrize("text", ENGLISH)
def test_clipped_notes_are_english(text: str) -> None:
    assert language_of(text) == "en"


SHORTHAND = (
    "Röntgen Thorax: Zwerchfellkuppen glatt begrenzt, Herzschatten normal konfiguriert, Hili schlank. Vergleich "
    "Voraufnahme unverändert. Beurteilung: unauffälliger Befund, Kontrolle nach Bedarf bei Beschwerden.",
    "Stat. 4b, Bett 2, Fr. Ahlborn, 71 J. HKL d 1, EF 35 %, Verlaufskontr. Echo Do. Bisoprolol 2,5, Torasemid 10. "
    "Gewicht 68,4 kg, RR 112/70, Entl. gepl., Tochter Ilka informiert.",
    "NICU Thu nite. Bb Ollerenshaw 29w4d, 1.22 kg. CPAP 6 28%, caff ld 20. CBG 7.31/52/-2. TPN D10 80 mL/kg/d, trophic "
    "EBM. UAC T8, PICC R arm. HUS gr I. Mom pmpg q3. Rx amp/gent 36h.",
    "Cama 3, Tlacuilo 66 a, VMI día 4, PEEP 8, FiO2 40 %, PaFi 190. NA 0,1. Diuresis 35 ml/h. BH -400. Cultivo neg, "
    "ATB d 5. Hija Rufina enterada.",
)


@pytest.mark.parametrize("note", SHORTHAND)
def test_shorthand_with_few_small_words_is_still_read(note: str) -> None:
    assert is_read(note)
