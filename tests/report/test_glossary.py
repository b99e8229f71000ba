"""Terms are explained where they are first used."""

from __future__ import annotations

from medveil.report.glossary import STANDARD, Linker, merged


def test_a_findings_own_wording_counts_and_terms_come_in_order() -> None:
    terms = merged([{"Chance": "luck"}, {"zeta": "last", "alpha": "first"}])
    assert terms["Chance"] == "luck" and "chance" not in terms
    assert next(iter(terms)) == "alpha" and list(terms)[-1] == "zeta"
    assert len(terms) == len(STANDARD) + 2


def test_the_first_use_in_a_section_is_linked() -> None:
    link = Linker({"chance": "luck", "attack": "a try", "control attack": "a <try> without"})
    once = link("Control attacks beat chance, not chance & mischance.")
    assert once == (
        '<a class="term" href="#term-3" title="a &lt;try&gt; without">Control attacks</a> beat '
        '<a class="term" href="#term-1" title="luck">chance</a>, not chance &amp; mischance.'
    )
    assert "href" not in link("chance")
    assert link.start() == ""
    assert "#term-1" in link("chance")
