"""The words a privacy officer may not meet every day: what they mean, and a link wherever they are used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from markupsafe import Markup, escape

STANDARD = {
    "attack": "An attempt by medveil itself to learn from the data what an intruder would want to know.",
    "before and after": "The same attack or measure on the same images, as they came in and as they would be "
    "released. The difference is what the defenses achieved.",
    "blocking gap": "Something that should have been checked and was not. Until it is, the verdict cannot be PASS.",
    "chance": "What blind guessing would score. An attack near chance has learned nothing.",
    "control": "What can be achieved without the images, from what is known about them anyway.",
    "control attack": "The same attack by someone who does not have the images, only what is known about "
    "them anyway, such as age, sex, view and site, or the findings. What it achieves is not leaked by the images.",
    "bounds": "The lowest and the highest value that a share may truly have, given how many patients were measured. "
    "95 % bounds hold it at least 95 times in 100, and nearly always where what is counted is rare or the strongest of "
    "several attackers is told: they err on the side of caution.",
    "by construction": "A promise that holds because what could identify someone is no longer there.",
    "defense": "A step that changes the data to protect the people in it.",
    "formal guarantee": "A promise that follows from a mathematical proof and holds against any attacker.",
    "interval": "The range in which the true value plausibly lies, given how many patients were "
    "measured. A 95 % interval misses it about one time in twenty.",
    "measured guarantee": "A promise that rests on the attacks in this report and on nothing else.",
    "patient-level resampling": "How intervals and bounds are computed: patients, with all their images, are drawn "
    "again and again. Images of one patient resemble each other and must not count as independent.",
    "pseudonym": "A made-up identifier that replaces a real one, always the same for the same original, so that "
    "studies of one patient stay together. Only with the site's secret key can anyone tell whose it is.",
    "quarantine": "The images and files that could not be read, checked or cleaned. They are not released.",
    "seed": "The number that fixes every random choice of a run. The same seed gives the same result.",
    "power": "Whether an attack that found little could have found more: on what data it was seen to work, and whether "
    "it does better here than its control. Without power its failure reassures nobody, and the verdict is REVIEW.",
    "threshold": "The most an attacker may achieve for the data to be released. The verdict compares the "
    "upper end with it, not the value itself.",
    "uncertain": "The ends lie on either side of the threshold: these data cannot decide.",
    "verdict": "PASS: even the upper end of every judged attack lies at or below its threshold. FAIL: even a lower end "
    "lies above. REVIEW: anything else; a person decides.",
}


def merged(findings: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The standard terms and those of the findings, by name; a finding's own wording counts."""
    terms = {term.casefold(): (term, meaning) for term, meaning in STANDARD.items()}
    for glossary in findings:
        terms.update({term.casefold(): (term, meaning) for term, meaning in glossary.items()})
    return dict(terms[key] for key in sorted(terms))


class Linker:
    """Turns the first use of each term in a section into a link to its entry."""

    def __init__(self, terms: Mapping[str, str]) -> None:
        self._terms = {term.casefold(): meaning for term, meaning in terms.items()}
        self._anchors = {term: f"term-{place}" for place, term in enumerate(self._terms, start=1)}
        longest_first = sorted(self._terms, key=lambda term: (-len(term), term))
        words = "|".join(re.escape(term) for term in longest_first)
        self._pattern = re.compile(rf"(?<![\w@-])({words})(s?)(?![\w@-])", re.IGNORECASE)
        self._linked: set[str] = set()

    def start(self) -> str:
        """Begin a new section; prints nothing."""
        self._linked.clear()
        return ""

    def anchor(self, term: str) -> str:
        return self._anchors[term.casefold()]

    def __call__(self, text: str) -> Markup:
        pieces, end = [], 0
        for match in self._pattern.finditer(text):
            term = match[1].casefold()
            if term not in self._linked:
                self._linked.add(term)
                pieces += [escape(text[end : match.start()]), self._link(term, match[0])]
                end = match.end()
        return Markup("").join([*pieces, escape(text[end:])])

    def _link(self, term: str, words: str) -> Markup:
        link = Markup('<a class="term" href="#{}" title="{}">{}</a>')
        return link.format(self._anchors[term], self._terms[term], words)
