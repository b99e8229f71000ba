from __future__ import annotations

import pytest

from medveil.defenses.reports.guards.filtering import kept_by_guards
from medveil.defenses.reports.tagger.tagged_text import SureSpan
from medveil.person.identifiers import Category
from medveil.person.span import Span

DROPPED = [
    ("[[Kerley]] B lines", Category.NAME),
    ("a [[Swan-Ganz]] catheter", Category.NAME),
    ("tip of the [[Hickman]] catheter", Category.DOCTOR),
    ("the [[XXXX]] film", Category.NAME),
    ("on [[___]] at", Category.DATE),
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
    ("on [**[[2118-3-14]]**]", Category.DATE),
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
    ("wegen Atemnot vorgestellt und untersucht, kein [[Erguss]] gesehen", Category.NAME),
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


@pytest.mark.parametrize(("marked", "category"), DROPPED)
def test_what_is_no_identifier_is_dropped(marked: str, category: Category) -> None:
    text, found = of(marked, category)
    assert kept_by_guards(text, [found]) == []


@pytest.mark.parametrize(("marked", "category"), KEPT)
def test_what_may_be_one_is_kept(marked: str, category: Category) -> None:
    text, found = of(marked, category)
    assert kept_by_guards(text, [found]) == [found]


def test_space_and_punctuation_around_it_do_not_belong_to_it() -> None:
    assert kept_by_guards("told Zbrozek, so", [Span(4, 13, Category.NAME)]) == [Span(5, 12, Category.NAME)]


def test_the_rest_of_a_date_or_name_goes_with_it() -> None:
    date = [Span(4, 8, Category.DATE), Span(9, 17, Category.DATE)]
    assert kept_by_guards("CXR 11hb Mac 2020", date) == date
    name = [Span(9, 10, Category.DOCTOR), Span(11, 18, Category.DOCTOR)]
    text = "c/o pain k zbrozek came to see wife since noon of today"
    assert kept_by_guards(text, name) == name
    assert kept_by_guards(text, name[:1]) == []


@pytest.mark.parametrize(
    ("marked", "category"),
    [("seen at [[Shrovetide]] again", Category.DATE), ("told in [[wingq]] of it", Category.OTHER_ID)],
)
def test_an_odd_shape_stands_where_the_network_has_no_doubt(marked: str, category: Category) -> None:
    text, found = of(marked, category)
    assert kept_by_guards(text, [found]) == []
    assert kept_by_guards(text, [SureSpan(found.start, found.end, category)]) == [found]


@pytest.mark.parametrize(
    ("marked", "category"),
    [
        ("[[Kerley]] B lines", Category.NAME),
        ("from [[South Korea]]", Category.ADDRESS),
        ("coronavirus disease [[2019]] suspected", Category.DATE),
        ("intubated on the [[7th]] day", Category.DATE),
        ("heparin [[4000]]u given", Category.ADDRESS),
        ("a [[12]] mm nodule", Category.DATE),
        ("in the [[bathtub]] He fell", Category.NAME),
        ("film of [[p.m.]] only", Category.TIME),
        ("[[ED]] called", Category.HOSPITAL),
        ("wt [[211]] (up 6", Category.OTHER_ID),
        ("a [[2/6]] SEM at base", Category.DATE),
        ("repeat CXR [[6/52]] later", Category.DATE),
        ("take it [[p.r.n.]] only", Category.INITIALS),
        ("for [[H. pylori]] again", Category.NAME),
        ("Bruce protocol [[9:30]] done", Category.TIME),
        ("Zbrozek, [[M. D.]] signed", Category.DOCTOR),
        ("Urine [[osm]] high", Category.OTHER_ID),
    ],
)
def test_a_thing_is_no_identifier_however_sure_the_network_is(marked: str, category: Category) -> None:
    text, found = of(marked, category)
    assert kept_by_guards(text, [SureSpan(found.start, found.end, category)]) == []


def test_the_word_hours_is_no_part_of_a_time() -> None:
    assert kept_by_guards("at 0450 hours", [Span(3, 13, Category.TIME)]) == [Span(3, 7, Category.TIME)]
