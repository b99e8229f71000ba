"""What a PASS rests on, whatever the command line says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from medveil.attacks.identity.adversaries import FILMS_AND_ROWS
from medveil.cohort import Cohort
from medveil.errors import NothingToAttack, NotMeasurable, SettingsError
from medveil.finding import ONE_IN_ELEVEN, Finding, Power, Verdict, percent
from medveil.parts import Choice, choose, registered
from medveil.person.keys import Keys
from medveil.release import examine as examining
from medveil.release.anatomy.choosing import bits_for
from medveil.release.clean.engine import Engine
from medveil.release.gaps import Bound, anatomy_bound, unmeasured
from medveil.release.released import Released
from medveil.release.settings import Settings
from medveil.report.content import Comparison, Gap, ReportContent
from medveil.stats.estimate import Estimate

KEYS = Keys.for_demonstration(1)
PATIENTS = 300
NOTHING_FOUND = Estimate(0.0, 0.0, 0.0, 0.012, 600, PATIENTS, "patient")
PLANTED = Estimate(0.12, 0.02, 0.085, 0.163, 600, PATIENTS, "patient")  # 12 % of the patients are given away
TOGETHER: dict[str, Estimate] = {}  # what adversaries find by films and rows
ENOUGH = Power("Shown on half of these patients.", "Better than its control.", enough=True)


def cohort(*, visits: int = 2, reports: bool = True, dated: bool = True, patients: int = PATIENTS) -> Cohort:
    rows = [
        {
            "image_id": f"i{patient}-{visit}",
            "patient_id": f"p{patient}",
            "study_id": f"s{patient}-{visit}",
            "path": f"{patient}-{visit}.png",
            "view": "PA",
            "report": "No finding." if reports else None,
            "date": pd.Timestamp("2020-01-01") + pd.Timedelta(days=visit * (patient + 1)) if dated else None,
        }
        for patient in range(patients)
        for visit in range(visits)
    ]
    return Cohort.of(pd.DataFrame(rows), Path("/nowhere"))


def examined(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    originals: Cohort | None = None,
    beside: tuple[str, ...] = (),
    **found: Estimate,
) -> ReportContent:
    """A release in which each attack finds what is given by its name, or nothing; one set weaker finds nothing."""
    originals = cohort() if originals is None else originals
    settings = settings.resolved()
    limit = {"linkage": next((c.settings.threshold for c in settings.chosen("attacks") if c.name == "linkage"), None)}

    def compare(choice: Choice, before: Cohort, after: Cohort, asked: Settings, progress: Any) -> Comparison:
        estimate = NOTHING_FOUND if choice.weakened else found.get(choice.name.replace("-", "_"), NOTHING_FOUND)
        own = limit.get(choice.name)
        finding = Finding(
            choice.name,
            "attack" if choice.kind == "attacks" else "measure",
            "Can it?",
            "It can.",
            "share",
            {"share": estimate, **(TOGETHER if choice.name == "identity-adversaries" else {})},
            "By looking.",
            threshold=replace(ONE_IN_ELEVEN, value=own) if own else ONE_IN_ELEVEN,
            power=None if choice.part.__name__ in ("PixelSimilarity", "SinglingOut", "VisitIntervals") else ENOUGH,
        )
        judged = examining.judged(finding, asked)
        return Comparison(judged, judged if choice.kind == "attacks" else replace(judged, threshold=None))

    monkeypatch.setattr(examining, "_compare", compare)
    engine = Engine(KEYS, settings.chosen("defenses"))
    released = Released(originals, list(range(len(originals))), beside=beside)
    return examining.examine(originals, released, settings, engine, "2026-01-01", lambda *_: None, check=lambda: None)


def blocked(content: ReportContent) -> dict[str, str]:
    return {gap.what: gap.why for gap in content.gaps if gap.blocking}


def test_without_a_planted_link_a_pass_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    content = examined(Settings(), monkeypatch)
    assert content.verdict is Verdict.PASS, content.reasons
    assert {gap.what for gap in content.gaps} == {"The words of reports", "identity-adversaries"}, "no film was changed"


WEAKER = [
    *("linkage:encoders=mine", "linkage:match=pair", "linkage:ties=worst", "linkage:unit=query", "linkage:redraws=2"),
    *("linkage:matched=no", "linkage:sampled=yes", "linkage:threshold=0.5"),
    *("identity:false_match_rate=1e-9", "identity:weights=mine.safetensors"),
    *("singling-out:facts=sex", "visit-intervals:within=1", "refit:epochs=0", "identity-adversaries:effort=12"),
]
ALONE = [(name,) for name in registered("attacks")]


@pytest.mark.parametrize(
    "asked",
    [
        *({"attacks": ("default", "refit", each)} for each in WEAKER),
        *({"attacks": each} for each in ALONE),
        *({"attacks": ("identity", "linkage")}, {"attacks": ("default",)}),
        *({"threshold": each} for each in (0.1, 0.5, 0.99)),
        *({"recipient": each} for each in ("public", "researcher", "secure-room")),
        *({"attacks": ("linkage",), "threshold": each} for each in (0.05, 0.99)),
        *({"defenses": ("default", f"anatomy:method={each},level=8")} for each in ("blur", "deformation")),
    ],
    ids=str,
)
def test_with_a_link_planted_in_12_percent_nothing_on_the_command_line_gives_a_pass(
    asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in ("identity", "linkage"):
        everywhere = {"identity_adversaries": PLANTED} if part == "identity" else {"refit": PLANTED}
        content = examined(Settings(**asked), monkeypatch, **{part: PLANTED, **everywhere})
        assert content.verdict is not Verdict.PASS
        assert content.reasons


def test_an_attack_left_out_blocks_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    content = examined(Settings(attacks=("linkage",)), monkeypatch)
    assert content.verdict is Verdict.REVIEW
    assert set(blocked(content)) == {"identity", "pixel-similarity", "singling-out", "visit-intervals"}
    assert "left out" in blocked(content)["identity"]


@pytest.mark.parametrize("each", WEAKER)
def test_an_attack_set_weaker_blocks_a_pass(each: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = examined(Settings(attacks=("default", each)), monkeypatch)
    assert content.verdict is Verdict.REVIEW
    told = " ".join(f"{what} {why}" for what, why in blocked(content).items())
    assert each.partition(":")[0] in told or "threshold" in told.lower()


@pytest.mark.parametrize(
    "each",
    [
        *("linkage:redraws=5000", "linkage:encoders=medveil-small,encoders=mine", "linkage:ties=best"),
        *("linkage:match=text", "linkage:pools=50", "linkage:threshold=0.05", "identity:false_match_rate=0.01"),
        *("identity:show_images=yes,prior=0.1", "identity-adversaries:effort=full,keep=here", "refit"),
        *("identity-adversaries:effort=500", "visit-intervals:targets=50", "pixel-similarity:most_pairs=100"),
    ],
)
def test_an_attack_set_no_weaker_does_not(each: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert examined(Settings(attacks=("default", each)), monkeypatch).verdict is Verdict.PASS


def test_what_cannot_apply_is_told_and_does_not_block(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = cohort(reports=False, dated=False)
    content = examined(Settings(attacks=("identity", "pixel-similarity", "singling-out")), monkeypatch, silent)
    assert content.verdict is Verdict.PASS
    told = {gap.what: gap.why for gap in content.gaps}
    assert set(told) == {"linkage", "refit", "visit-intervals", "identity-adversaries"}
    assert told["linkage"].startswith("it does not apply: the data hold no reports")
    reports_there = examined(Settings(attacks=("identity",)), monkeypatch)
    assert {"linkage", "visit-intervals"} <= set(blocked(reports_there))


def test_an_attack_that_does_not_state_its_power_blocks_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.release.test_gaps.ENOUGH", None)
    content = examined(Settings(), monkeypatch)
    assert content.verdict is Verdict.REVIEW and set(blocked(content)) == {"identity", "linkage"}


def test_a_threshold_raised_by_hand_is_for_a_person_to_answer_for(monkeypatch: pytest.MonkeyPatch) -> None:
    content = examined(Settings(threshold=0.3), monkeypatch, identity=PLANTED)
    assert content.verdict is Verdict.REVIEW and "30.0 %" in blocked(content)["Threshold"]
    assert examined(Settings(threshold=0.05), monkeypatch).verdict is Verdict.PASS
    room = examined(Settings(recipient="secure-room"), monkeypatch, identity=PLANTED)
    assert room.verdict is Verdict.REVIEW and "33.0 % is accepted for this recipient" in blocked(room)["Threshold"]
    shown = examined(Settings(threshold=0.15, demonstration=True), monkeypatch)
    assert shown.verdict is Verdict.PASS and "invented" in " ".join(gap.why for gap in shown.gaps)


def test_what_a_defense_was_told_to_let_out_blocks_a_pass(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    faces = examined(Settings(defenses=("default", "pixels:faces=keep")), monkeypatch)
    assert faces.verdict is Verdict.REVIEW and "show a face" in blocked(faces)["Text burned into the image"]
    for own in ("detector", "reader"):
        blind = examined(Settings(defenses=("default", f"pixels:{own}=tests.blind:finds_nothing")), monkeypatch)
        assert blind.verdict is Verdict.REVIEW and f"a {own} of one's own" in " ".join(blind.reasons)
        assert any("--defense default" in each.command for each in blind.remedies)
    profile = tmp_path / "profile.toml"
    profile.write_text('options = ["Retain UIDs", "Clean Pixel Data"]\n')
    uids = examined(Settings(defenses=("default", f"headers:profile={profile}")), monkeypatch)
    assert uids.verdict is Verdict.REVIEW and "Retain UIDs Option" in " ".join(uids.reasons)


def test_views_that_no_trained_attacker_looks_at_block_unless_few_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those whom nobody looks at come on top of those who may be found."""
    some_found = replace(NOTHING_FOUND, high=0.05)
    for laterals, found, blocking in ((20, NOTHING_FOUND, False), (20, some_found, True), (60, NOTHING_FOUND, True)):
        originals = cohort()
        originals.table.loc[originals.table.index[: 2 * laterals : 2], "view"] = "LATERAL"
        content = examined(Settings(), monkeypatch, originals, identity=found)
        assert ("Other views" in blocked(content)) is blocking
        told = " ".join(gap.why for gap in content.gaps)
        assert f"{laterals} released images of {laterals} of 300 patients are no frontal films" in told


@pytest.mark.parametrize(
    ("owners", "blocking"), [(("p1", "p2"), False), (tuple(map(str, range(40))), True), (("",), True)]
)
def test_files_that_belong_to_no_image_block_unless_few_have_them(
    owners: tuple[str, ...], blocking: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = examined(Settings(), monkeypatch, beside=owners)
    assert ("Files without an image" in blocked(content)) is blocking
    assert "belong to no image" in " ".join(gap.why for gap in content.gaps)
    if blocking:
        (remedy,) = (each for each in content.remedies if each.about == "Files without an image")
        assert "--as table" in remedy.command


def test_those_who_were_not_looked_at_count_at_the_upper_end() -> None:
    found = Finding("x", "attack", "Can it?", "No.", "s", {"s": NOTHING_FOUND}, "So.", threshold=ONE_IN_ELEVEN)
    assert found.verdict is Verdict.PASS
    wider = found.with_unseen(264, 300, "patients")
    assert wider.estimate.high == pytest.approx(0.12 + 0.88 * NOTHING_FOUND.high) and wider.verdict is Verdict.REVIEW
    assert wider.limits == ("Of 300 patients, 36 could not be looked at; the upper end counts them as found.",)
    assert found.with_unseen(300, 300, "patients") is found


def names(settings: Settings, kind: Any) -> list[str]:
    return [each.name for each in settings.chosen(kind)]


def test_learning_attackers_follow_from_the_chain_of_defenses() -> None:
    by_hand = Settings(defenses=("default", "anatomy:method=blur,level=8"))
    assert "identity-adversaries" in names(by_hand, "attacks")
    assert "diagnosis" in names(by_hand, "measures") and "pixel-damage" not in names(by_hand, "measures")
    assert "identity-adversaries" not in names(Settings(), "attacks")


def identity() -> Choice:
    return choose("attacks", ["identity"])[0]


ONE_STUDY = NotMeasurable("every patient has only one frontal study")


def test_films_and_table_that_lead_to_people_together_block_where_that_is_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(defenses=("default", "anatomy:bits=4"))
    for found, blocking in ((PLANTED, False), (replace(PLANTED, value=0.2, low=0.12, high=0.3), True)):
        monkeypatch.setattr("tests.release.test_gaps.TOGETHER", {FILMS_AND_ROWS: found})
        content = examined(settings, monkeypatch)
        assert ("Films and table together" in blocked(content)) is blocking
        assert any(percent(found.value) in gap.why for gap in content.gaps if gap.what == "Films and table together")


def test_bits_that_add_up_beyond_the_proof_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(defenses=("default", "anatomy:bits=4"))
    for visits, told in ((1, False), (3, True)):
        content = examined(settings, monkeypatch, cohort(visits=visits))
        sentences = [gap.why for gap in content.gaps if gap.what == "The bits of a person" and not gap.blocking]
        assert bool(sentences) is told
    assert "12 bits together" in sentences[0] and "300 people" in sentences[0] and "100.0 %" in sentences[0]


def test_one_study_a_patient_blocks_and_says_what_is_reached_on_reference_data() -> None:
    gap = unmeasured(identity(), ONE_STUDY, Settings(), None)
    assert gap.blocking
    assert "96.7 % of tries" in gap.why and "72.5 % of tries" in gap.why and "67 patients" in gap.why
    linkage = choose("attacks", ["linkage"])[0]
    assert unmeasured(linkage, NothingToAttack("no reports"), Settings(), None) == Gap(
        "linkage", "no reports.", blocking=False
    )


def coded(bits: int, patients: int, images: int = 1) -> Bound | None:
    originals = cohort(visits=images, patients=patients)
    defenses = choose("defenses", ["default", f"anatomy:bits={bits}"])
    return anatomy_bound(Engine(KEYS, defenses), originals, Released(originals, list(range(len(originals)))))


def test_only_a_proof_that_keeps_the_risk_covers_one_study_a_patient() -> None:
    covered = unmeasured(identity(), ONE_STUDY, Settings(), coded(4, 400))
    assert not covered.blocking and "above 4.0 %" in covered.why and "96.7 %" in covered.why
    assert unmeasured(identity(), ONE_STUDY, Settings(), coded(6, 400)).blocking  # 64 codes among 400
    assert unmeasured(identity(), ONE_STUDY, Settings(), coded(4, 400, images=2)).blocking  # the bits add up
    assert unmeasured(identity(), ONE_STUDY, Settings(threshold=0.01), coded(4, 400)).blocking
    linkage = choose("attacks", ["linkage"])[0]
    assert unmeasured(linkage, NotMeasurable("too few"), Settings(), coded(4, 400)).blocking, "films are not reports"


def test_blurred_films_have_no_proof() -> None:
    originals = cohort(visits=1)
    engine = Engine(KEYS, choose("defenses", ["default", "anatomy:method=blur,level=8"]))
    assert anatomy_bound(engine, originals, Released(originals, [0])) is None


def test_films_of_people_who_came_once_get_the_bits_that_can_be_proved() -> None:
    assert bits_for(cohort(visits=1, patients=400), 0.09, None, seed=1) == 5  # 32 codes among 400
    none = coded(10, 400)
    assert none is not None and "says nothing here" in none.sentence and "10 bits" in none.sentence
    with pytest.raises(SettingsError, match="so few patients"):
        bits_for(cohort(visits=1, patients=15), 0.09, None, seed=1)
