"""Names that are nobody's: Kerley B lines, a Swan-Ganz catheter, Hodgkin's disease, le signe de Lasègue."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, has, words
from medveil.defenses.reports.rules.page import Page
from medveil.person.normalised import fold

_TO_NOUN = re.compile(
    r"(?:['’]s?)?(?:[ \t\r\n]{1,3}|-)(?:(?:type|like|tunneled|dialysis|central|venous|pleural|multiple)[ \t])?"
    r"(?P<noun>[^\W\d_]+)(?![/])"
)
_NUMBERED = re.compile(r"[ ](?:type|stage|[abc]|i{1,3}|iv)(?!\w)", re.IGNORECASE)
_OF = re.compile(r"(?P<noun>[^\W\d_]+)[ ](?:de[ ]|du[ ]|del[ ]|d['’]|von[ ]|nach[ ])$")  # signe de Babinski
_BEFORE = words(
    "non agent modified per of see a an the surgical prior previous left right l r ij subclavian current remaining "
    "jugular tunneled post sp dc pull known no"
)
_WORD_BEFORE = re.compile(r"([A-Za-z/]+)[ \t\r\n-]+$")
# Scores, grades and tests that go by a name, told by the number beside them: `Wagner 2`.
_SCORED = re.compile(
    r"(?:['’]s)?(?:[ ](?:score[ ]|class[ ]|grade[ ]|type[ ]|level[ ]|was[ ]|of[ ]|is[ ])?|[:=][ ]?|[ ]?=[ ]?)"
    r"(?:\d{1,2}[a-c]?(?![\d/:-]|\.\d\d)|0\.\d{1,2}|\d{3}(?![\d/:-])|[IV]{1,3}[ab]?(?![\w.])|[A-D]\d)"
)
_EDITION = re.compile(r"[ ](?:19|20)\d\d(?!\d)")  # McDonald 2017; but somebody moved to Boston 2019


def is_eponym(page: Page, index: int) -> bool:
    """Whether this word, in this place, names a thing and not a person."""
    word = page.words[index]
    if _is_scale(page, index):
        return True
    after, of = _TO_NOUN.match(page.text, word.end), _OF.search(page.before(word.start, 24))
    if not word.kind & Kind.EPONYM:
        beside = [fold(match["noun"]) for match in (after, of) if match]
        return (word.listed or word.kind == Kind.UNKNOWN) and any(has(noun, Kind.THING_NOUN) for noun in beside)
    if "-" in word.folded and not word.name_only:
        return True
    bracketed = page.before(word.start, 1) == "(" and page.text[word.end : word.end + 1] == ")"
    before = _WORD_BEFORE.search(page.before(word.start, 14))
    return bool(
        bracketed
        or (after and has(fold(after["noun"]), Kind.NOUN))
        or _NUMBERED.match(page.text, word.end)
        or (before and before[1].lower().replace("/", "") in _BEFORE)
    )


def _is_scale(page: Page, index: int) -> bool:
    words, word = page.words, page.words[index]
    if has(word.folded, Kind.SCALE):
        edition = not word.kind & Kind.CITY and _EDITION.match(page.text, word.end)
        if edition or _SCORED.match(page.text, word.end):
            return True
    before = words[index - 1].folded if index else ""
    after = words[index + 1].folded if index + 1 < len(words) else ""
    return any(has(pair, Kind.PAIR) for pair in (word.folded, f"{before}-{word.folded}", f"{word.folded}-{after}"))
