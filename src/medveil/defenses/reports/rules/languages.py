"""Which language a text is in, by its small words. Reports are read in English, German, French and Spanish; what is
plainly in another language is withheld rather than guessed at."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from medveil.defenses.reports.rules.lexicon import Kind, has, is_foreign_word, kind_of
from medveil.person.normalised import fold

READ = ("en", "de", "fr", "es")
_SMALL_WORDS = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the of and to in is was with for on no at by from are has be as this that or not were had there "
        "an it she he her his we please seen",
        "de": "der die das und in den von mit ist im zu kein keine auf bei des dem nicht fur ein eine einer "
        "einem am aus nach wurde sich als zur zum sowie ohne wird links rechts patientin",
        "fr": "le la les de des et du un une est dans pas en pour au avec sur par sans ce cette il elle aux ou "
        "qui plus nous son sa ses vous je monsieur madame",
        "es": "el la los las de del y en un una con no por para se sin que su es al lo como mas fue desde hasta "
        "paciente sobre este esta le ha",
        "it": "il lo la gli di del della dei e in un una con non per che si al nel nella sono alla da dal paziente ed",
        "pt": "o a os as de do da dos das e em um uma com nao por para se sem que ao na no foi pelo pela mais sua seu "
        "ha tem sao nas nos pelos ate tambem apresenta",
        "nl": "de het een en van in is op met voor niet te aan bij zijn geen naar er om door wordt patient dat ook uit",
        "pl": "i w z na do nie jest bez od po oraz pacjentka pacjent sie przez dla u o pod wykazano",
        "sv": "och i att det som en pa ar av for med den till inte har om ett utan vid fran ingen patienten",
        "da": "og i at det som en pa er af for med den til ikke har om et uden ved fra ingen patienten blev",
        "fi": "ja on ei etta se oli ovat kuin mutta tai myos ole potilas joka sen hanen ilman",
        "cs": "a v na se je z do bez pro ze po od pacientka pacient byl byla neni jsou k s",
        "ro": "si in de la cu nu pe din este pentru fara un o al ai pacienta pacientul care sunt",
        "tr": "ve bir bu ile icin de da olan olarak hasta yok var saptanmadi izlendi sol sag",
        "hu": "a az es nem egy is hogy van volt beteg nelkul meg ki be el mint",
        "vi": "va cua khong co la benh nhan cho trong duoc voi",
        "id": "dan di yang dengan tidak pada untuk dari pasien ini adalah tampak",
    }.items()
}
_OTHER_WORDS = {"de": Kind.GERMAN, "fr": Kind.FRENCH, "es": Kind.SPANISH}  # by which clipped notes are told
_WORD = re.compile(r"[^\W\d_]+")
_FEWEST = 12  # words by which a language can be told
_FEWEST_RUNNING = 8
_OWN_SHARE, _KNOWN_SHARE, _STRANGE_SHARE = 0.04, 0.4, 0.7


@lru_cache(maxsize=64)
def language_of(text: str) -> str | None:
    """Its code; English where nothing speaks for another; None for a language that is not known here at all."""
    written = _WORD.findall(text)
    letters = "".join(written)
    if len(letters) >= _FEWEST and not letters.isascii() and sum(map(_is_latin, letters)) * 2 < len(letters):
        return None
    words = [fold(word) for word in written]
    if len(words) < _FEWEST:
        return "en"
    words = [word for word in words if len(word) > 1]
    tally = Counter(words)
    said = {name: tally.keys() & own for name, own in _SMALL_WORDS.items()}
    others = max(sum(tally[word] for word in said[name]) for name in said if name not in READ)
    for name, kind in _OTHER_WORDS.items():  # Portuguese reports have many a Spanish word
        if sum(tally[word] for word in said[name]) >= others:
            said[name] = said[name] | {word for word in tally if has(word, kind)}
    counts = {name: sum(tally[word] for word in own) for name, own in said.items()}
    best = max(counts, key=lambda name: counts[name])
    known = sum(times for word, times in tally.items() if kind_of(word) != Kind.UNKNOWN)
    if best != "en" and counts[best] > 2 * counts["en"] and _plainly(len(words), said[best], counts[best], known):
        return best
    if _is_strange(written):
        return None
    if counts["en"] >= _OWN_SHARE * len(words) or known >= _KNOWN_SHARE * len(words):
        return "en"
    return max(READ, key=lambda name: counts[name])  # shorthand has few small words


def _is_strange(written: list[str]) -> bool:
    """Whether of its running words hardly any is known in a language that is read: abbreviations, names and numbers
    are strange everywhere, but what is spelled out in small letters is not."""
    long = [word for word in written if len(word) > 3]
    running = [fold(word) for word in long if word.islower()]
    if 4 * len(running) < len(long):  # in capitals
        running = [fold(word) for word in long]
    unknown = sum(kind_of(word) == Kind.UNKNOWN and not is_foreign_word(word) for word in running)
    return len(running) >= _FEWEST_RUNNING and unknown > _STRANGE_SHARE * len(running)


def _plainly(words: int, own: set[str], count: int, known: int) -> bool:
    """Three or more of its words, an eighth of all, and not a text that English and its wards know."""
    return len(own) >= 3 and count * 8 >= words and known < 0.75 * words


def is_read(text: str) -> bool:
    return language_of(text) in READ


def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "").startswith("LATIN")
