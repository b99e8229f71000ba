"""Values are told by their shape and by what stands around them; days and identifiers are not taken for any."""

from __future__ import annotations

import re

import pytest

from medveil.defenses.reports.scoring.measurements import is_value

VALUES = """
creat 142→[[128]]→131 | pH 7.29 -> [[7.33]] | fell from [[17.2]] to 8.4 | K up from 2.9 to [[4.1]] | Glycomet [[1-0-1]]
GCS 13 ([[E3V4M6]]) | Crohn's (Montreal [[A2L3B2]]) | 00:00;37.1;[[88]];118/72 | mass [[10:00]], 6 cm FN
pT3 N1b ([[3/21]]) M0 | open [[24/7]] | CPT: [[47562]] | ISO [[9001]]:2015 | mean PI [[1.02]]
[[McDonald 2017]] criteria
pain from [[8/10]] to 2/10 | R: -[[4.25]] / -0.75 x 170 | recall [[12/12]]. | iv [[12/12]]h
Lamotrigin [[150-0-200]], dann
Onset [[2]] h PTA | telemetry [[24]] h.
cord pH [[7.18/7.26]]. | OPD [[2/52]]. | nail [[11x200]], | 11x[[200]], | |/uL|[[150000-400000]]|L
Lithium [[450-0-675]], | CPT~[[99214]]; 93990 | CPT 97161 + [[97116]] x1
undermining from two to [[five o'clock]] | suture [[12 o'clock]]
Valdez [[F/68]] #3 | Tan [[M/64]] 20 Nov | Gurpreet [[M54]] MRN 77 | SANDHU [[M]]54 MRN
goals [[17/17]] | twitches [[0/4]] then more | grip [[2/5]] → 4/5 | neutral zero [[0-5-110]] | sat in the [[sun]]
garçon [[3 480]] g | the middle [[third]] of the clavicle
"""
OTHERS = """
DOB [[12/07/1931]] | seen [[3/14]] | MRN [[4471923]] | |[[4471923]]|1 | [[May 2017]] film | at [[10:00]], then home
in from [[3/10]] to 8/10 | seen on [[6/12]] | in [[6/11]] | fax 555-[[0]]-1
vu à [[14]] h | at [[14]] h | RDV jeudi [[14]] h | Freitag [[14]] h | el viernes [[9]] h
seen at [[five o'clock]] | bed [[M54]] | room [[F/68]] | [[M/94]] fell | lot [[1500-4000]] | |ACC|[[150000-400000]]|L
seen [[3/4]] and 7/4 | on [[Sun]]
home [[11/52/04]] | tel [[7.18/72.26]] | room [[412]] | call [[555-0191]]
"""


def _cases(marked: str) -> list[str]:
    return [part.strip() for line in marked.strip().splitlines() for part in line.split(" | ")]


def _read(marked: str) -> tuple[str, int, int]:
    match = re.search(r"\[\[(.*?)\]\]", marked)
    assert match is not None
    text = marked.replace("[[", "").replace("]]", "")
    return text, match.start(), match.start() + len(match[1])


@pytest.mark.parametrize("marked", _cases(VALUES))
def test_a_value_is_told(marked: str) -> None:
    assert is_value(*_read(marked))


@pytest.mark.parametrize("marked", _cases(OTHERS))
def test_what_may_identify_is_none(marked: str) -> None:
    assert not is_value(*_read(marked))


def test_a_score_is_told_by_what_bears_it() -> None:
    assert is_value(*_read("Barthel [[6/20]]")) and is_value(*_read("EMS [[11/20]]. TUG 38s"))
    assert not is_value(*_read("seen on [[6/20]]")) and not is_value(*_read("Barthel [[620]]"))
