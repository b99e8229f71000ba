"""What speaks against a proposal is told, and nothing is told against what may well be one."""

from __future__ import annotations

import numpy as np
import pytest

from medveil.defenses.reports.finding import all_proposals
from medveil.defenses.reports.proposal import TAGGER, Proposal
from medveil.defenses.reports.rules.page import Page
from medveil.defenses.reports.scoring.evidence import NAMES, evidence
from medveil.defenses.reports.tagger.tagged_text import TaggedText
from medveil.defenses.reports.tagger.tokens import tokenise
from medveil.person.identifiers import Category
from medveil.person.span import Span

DROPPED = [
    ("[[Kerley]] B lines", Category.NAME),
    ("a [[Swan-Ganz]] catheter", Category.NAME),
    ("tip of the [[Hickman]] catheter", Category.DOCTOR),
    ("a [[12]] mm nodule", Category.DATE),
    ("image [[45]] of 123", Category.OTHER_ID),
    ("at [[T12/L1]] level", Category.OTHER_ID),
    ("a [[54]]-year-old", Category.AGE_OVER_89),
    ("Is/[[Are]] there", Category.INITIALS),
    ("code [[786]].09", Category.OTHER_ID),
    ("[[p.m]]. film", Category.INITIALS),
    ("from [[South Korea]]", Category.ADDRESS),
    ("in the [[thalami]] left", Category.DOCTOR),
    ("for [[1-1]]/2 weeks", Category.DATE),
    ("CT ratio [[12/33]]", Category.DATE),
    ("Stations [[4R]] and 7", Category.OTHER_ID),
    ("Patient [[abernethyx]] came to the ER with Mother", Category.NAME),
    ("patient with cough and pain in the left [[lung]] since noon", Category.NAME),
    ("MD, [[F.A.C.R.]] Fax", Category.INITIALS),
    ("ATS/[[ERS]] criteria", Category.INITIALS),
    ("insulin [[gtt]] off", Category.INITIALS),
    ("Fleischner [[2017]] applies", Category.DATE),
    ("coronavirus disease [[2019]] suspected", Category.DATE),
    ("the [[4th]] ventricle", Category.DATE),
    ("it grew [[Candida]] again", Category.NAME),
    ("POD [[6]] today", Category.OTHER_ID),
    ("my [[I]] think", Category.NAME),
    ("heparin [[4000]]u given", Category.ADDRESS),
    ("ward [[ICU]] bound", Category.OTHER_ID),
    ("urine Na [[118]] at noon", Category.OTHER_ID),
    ("G3P1 @ [[31w2d]], came", Category.OTHER_ID),
    ("BRCA2 c.[[5946]]delT found", Category.OTHER_ID),
    ("IMP: [[1]]) normal chest", Category.OTHER_ID),
    ("skin.\n[[B.]] Skin of nose, punch", Category.NAME),
    ("trach [[c]] Zbrozek today, then with Mother", Category.NAME),
    ("dressed with [[Xeroform]] and splint", Category.NAME),
    ("seen by Zbrozek, [[PsyD]], after", Category.HOSPITAL),
    ("told ([[Mrs.]]) Zbrozek", Category.NAME),
    ("told [[FY]]1 so", Category.INITIALS),
    ("DT: 05/18/77 [[DV]]: 05/17/77", Category.INITIALS),
    ("at EAU [[2022]] it was", Category.TIME),
    ("see [[http://loinc.org]] there", Category.URL),
    ("a [[Ragnell]] retractor was", Category.NAME),
    ("wegen Atemnot in der Ambulanz vorgestellt und untersucht, kein [[Abdomen]] mit Befund gesehen", Category.NAME),
]
KEPT = [
    ("seen by [[Kerley]] today", Category.DOCTOR),
    ("a [[92]]-year-old", Category.AGE_OVER_89),
    ("film of [[3/14]]", Category.DATE),
    ("signed [[QX]]", Category.INITIALS),
    ("number [[4471923]] here", Category.OTHER_ID),
    ("in [[Framingham]] lives", Category.ADDRESS),
    ("told [[Zbrozek]] so", Category.NAME),
    ("at [[14:35]] today", Category.TIME),
    ("Workstation [[RX4]] here", Category.OTHER_ID),
    ("Transcribed: spr/[[lqw]]  Job", Category.INITIALS),
    ("Taken by: [[lqb]]", Category.INITIALS),
    ("(PFI): [[DLnc]] WED", Category.INITIALS),
    ("Zbrozek, M.D./[[TQS]]", Category.INITIALS),
    ("Whipple procedure [[2006]], well", Category.DATE),
    ("seen today, the [[7th]]. Well", Category.DATE),
    ("fundoplication in [[Q3 2018]] and", Category.DATE),
    ("sent [[18:04:51 -0400]] by", Category.TIME),
    ("collect at [[half past two]]", Category.TIME),
    ("ward [[Nightingale]] today", Category.OTHER_ID),
    ("see [[http://zbrozek.org]] there", Category.URL),
    ("Zbrozek, M.D./[[TLS]]", Category.INITIALS),
    ("told Dr. [[K]] so", Category.DOCTOR),
    ("patient [[abernethyx]] came to er with wife, c/o cp since noon", Category.NAME),
    ("wife c/o cough since noon, came to visit from [[qarlow]] today", Category.ADDRESS),
]


def of(marked: str, category: Category) -> tuple[str, Span]:
    start, end = marked.index("[["), marked.index("]]") - 2
    return marked.replace("[[", "").replace("]]", ""), Span(start, end, category)


def told(marked: str, category: Category, *, doubt: float = 0.2) -> set[str]:
    """The names of the evidence, for a network that is as sure of the proposal as told and of nothing else."""
    text, found = of(marked, category)
    tokens = tokenise(text)
    inside = (tokens.starts < found.end) & (tokens.ends > found.start)
    tagged = TaggedText([], tokens, np.where(inside, doubt, 0.999).astype(np.float32))
    (row,) = evidence(Page(text), [Proposal(found.start, found.end, category, TAGGER)], tagged)
    return {name for name, value in zip(NAMES, row.tolist(), strict=True) if value > 0}


AGAINST = {"other shape", "thing", "numbering", "one letter"}


@pytest.mark.parametrize(("marked", "category"), DROPPED)
def test_what_is_no_identifier_has_something_against_it(marked: str, category: Category) -> None:
    assert told(marked, category) & AGAINST


@pytest.mark.parametrize(("marked", "category"), KEPT)
def test_what_may_be_one_has_its_shape(marked: str, category: Category) -> None:
    assert "other shape" not in told(marked, category)


def test_the_network_is_heard() -> None:
    assert {"mean", "least", "most"} <= told("told [[Zbrozek]] so", Category.NAME, doubt=0.1)
    assert not {"mean", "least", "most"} & told("told [[Zbrozek]] so", Category.NAME, doubt=0.9)


@pytest.mark.parametrize(
    ("marked", "category", "name"),
    [
        ("told by [[Zbrozek]] today", Category.NAME, "by whom"),
        ("transferred from [[Qarlow]] today", Category.ADDRESS, "in place"),
        ("[[Zbrozek]] bed 4: stable", Category.NAME, "bed after"),
        ("All well.\n- [[Zbrozek]]", Category.DOCTOR, "signed"),
        ("seen on [[3/14]] then", Category.DATE, "dated"),
        ("[[Foley]] catheter", Category.NAME, "eponym"),
        ("a [[12]] mm nodule", Category.OTHER_ID, "unit after"),
    ],
)
def test_what_stands_around_it_is_told(marked: str, category: Category, name: str) -> None:
    assert name in told(marked, category)


def test_a_name_that_stands_elsewhere_without_doubt_is_told() -> None:
    text = "Zbrozek came. The film of Zbrozek is normal."
    tokens = tokenise(text)
    tagged = TaggedText([], tokens, np.where(tokens.starts < 7, 0.01, 0.9).astype(np.float32))
    proposals = [Proposal(0, 7, Category.NAME, TAGGER), Proposal(26, 33, Category.NAME, "tagger?")]
    rows = evidence(Page(text), proposals, tagged)
    assert rows[:, NAMES.index("echo")].tolist() == [0, 1]


@pytest.mark.parametrize("marked", ["on [**[[2118-3-14]]**]", "the [[XXXX]] film", "on [[___]] at"])
def test_what_is_blanked_out_is_not_even_proposed(marked: str) -> None:
    text, found = of(marked, Category.NAME)
    tagged = TaggedText([found], tokenise(text), np.zeros(len(tokenise(text)), np.float32))
    assert [one for one in all_proposals(Page(text), tagged) if one.by == TAGGER] == []
