from __future__ import annotations

import pytest

from medveil.defenses.pixels.decide.markers import holds_marker, is_marker

STAYS = """
L|R|ap|PA|PA.|(L)|ERECT|SEMI-ERECT|Semi Upright|AP SUPINE|PORTABLE CHEST|LEFT|110 KV|110kV|kV: 85|85 kV 2.5 mAs
L AP|LT|RT AP|15 MIN|2 HRS|30 sec|X-TABLE|125 kVp 1,6 mAs|AP PORTABLE 90 kV|SID 180
"""
GOES = """
--|DOE|DOE L|L D|KJ|LONG|110|AP 1950|L 14:30|12/03/1950|110 KV 884312|2019 kV|85 kV 14 30|ERECT DR SMITH|R.J.
L.R.|L R|A-P|R-L|PA 19104|СТОЯ|ERECT*|9999 mAs|L1|M|F|Nº 7|15 MINNA|1430 MIN
"""


@pytest.mark.parametrize("text", STAYS.strip().replace("\n", "|").split("|"))
def test_side_view_position_and_exposure_may_stay(text):
    assert is_marker(text)


@pytest.mark.parametrize("text", ["", " ", *GOES.strip().replace("\n", "|").split("|")])
def test_anything_else_goes(text):
    assert not is_marker(text)


@pytest.mark.parametrize("text", ["SUPI\ufffd", "PORTAB", "SUPlNE", "XERECT", "\ufffdP", "P\ufffd"])
def test_what_is_nearly_a_marker_or_the_most_of_one_is_looked_at_again(text):
    assert holds_marker(text)


@pytest.mark.parametrize("text", ["SUP", "RECU", "SUPIDO", "JONES", "\ufffdK", "KP"])
def test_what_has_too_little_of_a_marker_is_not(text):
    assert not holds_marker(text)
