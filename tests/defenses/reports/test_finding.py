"""Rules, network and scorer together: what neither tells alone, and what follows from what was found."""

from __future__ import annotations

import re

import numpy as np

from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.defenses.reports.finding import found_in
from medveil.defenses.reports.scoring.evidence import NAMES
from medveil.defenses.reports.scoring.scorer import GROUP_NAMES, Scorer
from medveil.defenses.reports.tagger.tagged_text import TaggedText
from medveil.defenses.reports.tagger.tokens import tokenise
from medveil.person.identifiers import Category
from medveil.person.span import DoubtfulSpan, Span

TOLD = """
Result for [[da Made, Thembekile]] (chart [[MR099417]]) | Cath [[2/14/09]] ([[Brannigan]]): patent
pt seen today in clinic w/ mr [[smith]] c/o cough | Signed by: [[GRANT MARKER]], M.D. | pt [[SHARP, COLIN]] here
Better. [[Wojtek]] lives with a dog | Thank you for referring [[Grace Savage]], who came | [[R. O'Donoghue]]
[[Lung]] is a 54-year-old woman | $[[ELEANOR LINES]], m.D. | seen by [[eleanor lines]], md | [[Eleanor Lines]], M.d.
his surgeon was [[Kappelhoff]] | Physician(s): [[Sundqvist, A]]; | transferred from [[Lahey]] today
seen at [[Concord]] for it | was at [[Mercy]] ED | Agency: [[Bayou Home Health]]
TPA: [[MediAssist]] Claim [[MA-77120934]] | at [[Bitterroot Dermatology]] | captain of [[M/V Constance Hale]]
a guard for [[Tewk Elementary]]; junior at [[Lincoln HS]] | teaches Latin at [[Dennis-Yarmouth]]
PCP at [[ProHealth]] told | labs drawn at [[Quorl]] then | MVC on [[I-84]] near exit 9
Lives w/ wife in [[Marblehead]]. | works as a driver for [[Hartwell Steel]] now | care at [[Mass General]] then
sent to [[Rite Aid]] | Tx'd from [[Baystate]]
pt came from [[st brendans]] last night with st elevation in v2, no st depression at st segment
came to [[Boston]] 2019, well | from [[Boston]] to here | she lives in [[Oakhollow]]
bed 4 [[okonkwo]] c/o sob overnight, sats 91, neb given, seen by reg [[fairweather]]
[[Okonkwo]] B12: drain out, home today | K. [[Obuya]] 7B sats ok
Ta, will chase bloods.\\n- [[Priya]] | reported by [[Bronagh]] from theatres
medevac to [[Yellowknife]] overnight | employed by [[Harrow Freight]] as a fitter | member of [[Teamsters Local 814]]
"""
KEPT = """
Swan-Ganz in place, Kerley B lines. | GCS 14/15, pain 6/10, power 4/5. | Review in 6/52, stop after 5/7.
ETT 3.2 cm above the carina | Fleischner 2017 criteria | day 4/14 of ceftriaxone | 2 of 12 images | at 32+4 weeks
Two views. Four French catheter. | May need repeat. March fracture of the second metatarsal. | ratio 1:20, HR 92
"""


def _cases(marked: str) -> list[str]:
    return [part.strip().replace("\\n", "\n") for line in marked.strip().splitlines() for part in line.split(" | ")]


def _read(marked: str) -> tuple[str, set[int]]:
    text, letters, last = "", set(), 0
    for match in re.finditer(r"\[\[(.*?)\]\]", marked):
        text += marked[last : match.start()]
        letters |= {len(text) + place for place, letter in enumerate(match[1]) if letter.isalnum()}
        text += match[1]
        last = match.end()
    return text + marked[last:], letters


def _covered(text: str, found: list[Span]) -> set[int]:
    return {place for one in found for place in range(one.start, one.end) if text[place].isalnum()}


def test_most_of_what_no_rule_tells_is_found_whole() -> None:
    """The network is trained anew now and then: not every one of these short lines is found by every one of them."""
    read = [_read(case) for case in _cases(TOLD)]
    found = ReportCleaner().find_many([text for text, _ in read])
    missed = [text for (text, letters), own in zip(read, found, strict=True) if letters - _covered(text, own)]
    assert len(missed) <= len(read) // 8, missed


def test_values_stay() -> None:
    texts = _cases(KEPT)
    wrong = [
        (text, text[one.start : one.end])
        for text, own in zip(texts, ReportCleaner().find_many(texts), strict=True)
        for one in own
    ]
    assert len(wrong) <= 1, wrong


def _tagged(text: str, sure_of: dict[str, Category], doubt: float) -> TaggedText:
    tokens, found = tokenise(text), []
    p_none = np.full(len(tokens), 0.999, np.float32)
    for word, category in sure_of.items():
        start = text.index(word)
        found.append(Span(start, start + len(word), category))
        p_none[(tokens.starts < start + len(word)) & (tokens.ends > start)] = doubt
    return TaggedText(found, tokens, p_none)


def _scorer(**weights: float) -> Scorer:
    """One that weighs these alone, in all groups."""
    matrix = np.zeros((len(GROUP_NAMES), len(NAMES)), np.float32)
    for name, weight in weights.items():
        matrix[:, NAMES.index(name.replace("_", " "))] = weight
    return Scorer(matrix, 0.35)


def test_what_the_network_found_is_found_again_elsewhere() -> None:
    text = "Seen: Zbrozek. The heart of Zbrozek is normal, that of Zbrozk too."
    found = found_in(text, _tagged(text, {"Zbrozek": Category.NAME}, 0.01), scorer=_scorer(mean=1, by_echoes=20))
    assert [text[one.start : one.end] for one in found] == ["Zbrozek", "Zbrozek", "Zbrozk"]


def test_a_number_that_the_network_is_not_sure_of_is_doubtful() -> None:
    text = "it is given as 4471 there"
    for doubt, kind in ((0.4, DoubtfulSpan), (0.01, Span)):
        (one,) = found_in(text, _tagged(text, {"4471": Category.OTHER_ID}, doubt), scorer=_scorer(mean=1))
        assert type(one) is kind


def test_a_day_that_only_a_rule_tells_is_doubtful_and_an_age_is_not() -> None:
    text = "film of 3/14, her mother died at 97"
    found = found_in(text, _tagged(text, {}, 0.5), scorer=_scorer(bias=-1, by_ages=9))
    assert [type(one) for one in found] == [DoubtfulSpan, Span]


def test_without_a_network_all_that_rules_propose_is_taken() -> None:
    text = "film of 3/14 read by Dr. Zbrozek"
    assert [text[one.start : one.end] for one in found_in(text, None)] == ["3/14", "Zbrozek"]
