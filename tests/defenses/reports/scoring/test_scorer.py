"""A scorer weighs what it is told, is kept as it was fitted, and a file of another version is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from medveil.defenses.reports.proposal import TAGGER, Proposal
from medveil.defenses.reports.rules.page import Page
from medveil.defenses.reports.scoring import scorer as module
from medveil.defenses.reports.scoring.evidence import GROUPS, NAMES
from medveil.defenses.reports.scoring.scorer import GROUP_NAMES, Scorer, load_scorer, save_scorer
from medveil.defenses.reports.tagger.tagged_text import TaggedText
from medveil.defenses.reports.tagger.tokens import tokenise
from medveil.errors import InputError
from medveil.person.identifiers import Category

TEXT = "told Zbrozek and 4471923 so"
PROPOSALS = [Proposal(5, 12, Category.NAME, TAGGER), Proposal(17, 24, Category.MRN, "echoes")]


def weighing(name: str, weight: float, least: float = 0.5) -> Scorer:
    weights = np.zeros((len(GROUP_NAMES), len(NAMES)), np.float32)
    weights[:, NAMES.index(name)] = weight
    return Scorer(weights, least)


def tagged() -> TaggedText:
    tokens = tokenise(TEXT)
    return TaggedText([], tokens, np.full(len(tokens), 0.5, np.float32))


def test_every_kind_belongs_to_a_group() -> None:
    assert set(GROUPS) == set(Category)


def test_what_the_evidence_speaks_for_is_kept() -> None:
    assert weighing("by echoes", 3.0, 0.6).kept(Page(TEXT), PROPOSALS, tagged()) == PROPOSALS[1:]
    assert weighing("some unknown", 3.0, 0.6).kept(Page(TEXT), PROPOSALS, tagged()) == PROPOSALS[:1]
    assert weighing("bias", -3.0).kept(Page(TEXT), PROPOSALS, tagged()) == []
    assert weighing("bias", -3.0).kept(Page(TEXT), [], tagged()) == []


def test_what_a_grammar_tells_needs_half_a_vote_and_a_code_none() -> None:
    told = [Proposal(17, 24, Category.MRN, "codes"), Proposal(17, 24, Category.DATE, "dates")]
    kept = weighing("bias", -0.7).kept(Page(TEXT), told, tagged())
    assert [one.by for one in kept] == ["codes", "dates"]
    assert [one.doubtful for one in kept] == [True, True]  # a tag, and no other number, where hardly anything tells it
    assert [one.doubtful for one in weighing("bias", 3.0).kept(Page(TEXT), told[:1], tagged())] == [False]
    assert [one.by for one in weighing("bias", -3.0).kept(Page(TEXT), told, tagged())] == ["codes"]


def test_a_number_in_doubt_becomes_a_tag_in_a_place_too() -> None:
    text = "march fracture of the 2nd MT today"
    tokens = tokenise(text)
    said = TaggedText([], tokens, np.full(len(tokens), 0.5, np.float32))
    places = [Proposal(22, 28, Category.ADDRESS, TAGGER), Proposal(0, 5, Category.ADDRESS, TAGGER)]
    kept = weighing("bias", 1.0).kept(Page(text), places, said)
    assert {(one.start, one.doubtful) for one in kept} == {(22, True), (0, False)}


def test_what_reads_as_a_value_is_weighed_whoever_proposes_it() -> None:
    text = "cord pH 7.18/7.26 today"
    tokens = tokenise(text)
    said = TaggedText([], tokens, np.full(len(tokens), 0.5, np.float32))
    one = Proposal(8, 17, Category.PHONE, "contacts")
    assert weighing("bias", 1.0).kept(Page(text), [one], said) == []
    assert [kept.doubtful for kept in weighing("bias", 3.0).kept(Page(text), [one], said)] == [True]


def test_a_short_number_needs_as_much_whatever_it_is_taken_for() -> None:
    text = "furosemide 40 daily"
    tokens = tokenise(text)
    said = TaggedText([], tokens, np.full(len(tokens), 0.5, np.float32))
    one = Proposal(11, 13, Category.ADDRESS, TAGGER)
    assert weighing("bias", 0.2).kept(Page(text), [one], said) == []
    assert weighing("bias", 1.0).kept(Page(text), [one], said)


def test_what_a_grammar_covers_is_not_told_twice() -> None:
    told = [Proposal(17, 24, Category.MRN, "codes"), Proposal(19, 24, Category.MRN, TAGGER)]
    assert weighing("bias", 3.0).kept(Page(TEXT), told, tagged()) == told[:1]
    doubted = [Proposal(17, 24, Category.DATE, "dates"), Proposal(19, 24, Category.DATE, TAGGER)]
    kept = weighing("by tagger", 3.0, 0.9).kept(Page(TEXT), doubted, tagged())
    assert [one.by for one in kept] == ["dates"]


def test_likelihoods_are_those_of_a_logistic_regression() -> None:
    said = weighing("bias", 1.0).likelihoods(Page(TEXT), PROPOSALS, tagged())
    assert said == pytest.approx([1 / (1 + np.exp(-1))] * 2, abs=1e-6)


def test_it_is_read_as_it_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "scorer.safetensors"
    save_scorer(path, weighing("thing", -2.0, 0.3))
    read = load_scorer(path)
    assert read.least == 0.3 and np.array_equal(read.weights, weighing("thing", -2.0).weights)


def test_a_scorer_of_other_evidence_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scorer.safetensors"
    save_scorer(path, weighing("thing", -2.0))
    monkeypatch.setattr(module, "NAMES", ("bias",))
    with pytest.raises(InputError, match="fit it again"):
        load_scorer(path)
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match="fit it again"):
        load_scorer(path)


def test_the_bundled_one_leaves_what_looks_like_no_name() -> None:
    scorer = Scorer.bundled()
    people = scorer.weights[GROUP_NAMES.index("people")]
    assert people[NAMES.index("mean")] > 0 > people[NAMES.index("other shape")]
    assert 0 < scorer.least < 0.5
