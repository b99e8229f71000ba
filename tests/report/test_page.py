"""The page: complete, self-contained, the same every time, and deaf to hostile text."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from medveil.finding import Picture
from medveil.report.content import OutputCheck, ReportContent
from medveil.report.page import render

Written = Callable[[ReportContent], Path]
HOSTILE = "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 2'>\"'{{ 7 * 7 }}"


class Outline(HTMLParser):
    """Start tags with their attributes, and the text a reader sees."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.headings: list[str] = []
        self._hidden = self._heading = False
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        self._hidden = tag in ("style", "script")
        self._heading = tag == "h2"

    def handle_endtag(self, tag: str) -> None:
        self._hidden = self._heading = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.words.append(data)
        if self._heading:
            self.headings.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def poisoned(node: Any, name: str = "") -> Any:
    """Every free text of a document with markup in it, keys included."""
    if isinstance(node, dict):
        free = name in ("quarantined", "done", "packages", "settings", "glossary")
        return {(key + HOSTILE if free else key): poisoned(value, key) for key, value in node.items()}
    if isinstance(node, list):
        return [poisoned(item, name) for item in node]
    fixed = ("schema", "verdict", "kind", "scale", "headline")
    return node + HOSTILE if isinstance(node, str) and name not in fixed else node


def test_the_reader_finds_the_verdict_first_then_the_parts_in_order(sample: ReportContent, written: Written) -> None:
    outline = Outline(written(sample).read_text(encoding="utf-8"))
    headings = ["Contents", sample.verdict]
    headings += ["What was found", "From the verdict to a decision"] if sample.sheet else []
    headings += ["What was removed", "What an attacker can still do", "What the data are still good for"]
    headings += ["Check of the output", "Quarantine", "What was not measured", "Glossary", "Provenance"]
    assert outline.headings == headings
    text = outline.text
    for reason in sample.reasons:
        assert reason in text
    for comparison in sample.comparisons:
        assert comparison.after.question in text and comparison.after.method in text
    for gap in sample.gaps:
        assert gap.what in text and gap.why in text
    assert ("Blocks a PASS" in text) == any(gap.blocking for gap in sample.gaps)


def test_numbers_stand_beside_their_threshold_chance_and_control(passing: ReportContent, written: Written) -> None:
    text = Outline(written(passing).read_text(encoding="utf-8")).text
    assert re.search(r"4\.1 % \(95 % interval \d\.\d–\d\.\d %\)", text)
    assert "2025-01-31, 09:30 UTC" in text
    assert "the threshold of 9 %, “EMA 0.09”" in text
    assert "1,519 images of 311 patients" in text
    assert "1.2 %; after the defenses 3.4 times chance" in text
    assert "3.1 %; after the defenses the attack does better than the control, 1.3 times as well" in text
    assert "18,402 identifying attributes removed" in text
    assert "It ran, and found nothing to change." in text
    assert "could not be measured" in text  # the label without a positive patient


def test_what_could_not_be_measured_says_so_and_is_not_passed(written: Written, failing: ReportContent) -> None:
    document = failing.to_json()
    lost = {"value": None, "sd": None, "interval": [None, None], "n": 0, "units": 0, "unit": "patient"}
    lost |= {"level": 0.95, "chance": None, "control": None}
    after = document["comparisons"][0]["after"]
    after["estimates"] = {after["headline"]: lost}
    after["verdict"] = document["comparisons"][0]["verdict"] = "REVIEW"
    text = Outline(render(document)).text
    assert "precision@1 61.2 % could not be measured" in text
    assert "could not be measured well enough to be compared with the threshold" in text
    assert not re.search(r"\bnan\b|\bNone\b|\binf\b", text, re.IGNORECASE)


@pytest.mark.parametrize("control, words", [(0.0, "does better"), (0.5, "does no better")])
def test_the_control_attack_is_compared_with(control: float, words: str, passing: ReportContent) -> None:
    document = passing.to_json()
    document["comparisons"][0]["after"]["estimates"]["precision@1"] |= {"control": control, "chance": 0.0}
    text = Outline(render(document)).text
    assert f"{control:.1%}".replace("%", " %") + f"; after the defenses the attack {words} than the control" in text
    assert "times chance" not in text


def test_the_same_content_gives_the_same_bytes(passing: ReportContent, written: Written) -> None:
    subject = passing.subject
    shuffled = replace(
        passing,
        subject=replace(subject, quarantined=dict(reversed(subject.quarantined.items()))),
        removals=tuple(replace(r, done=dict(reversed(r.done.items()))) for r in passing.removals),
    )
    first, second = written(passing), written(shuffled)
    assert first != second
    for name in ("report.json", "report.html"):
        assert first.with_name(name).read_bytes() == second.with_name(name).read_bytes()
    assert sorted(path.name for path in first.parent.iterdir()) == ["report.html", "report.json"]


def test_hostile_text_stays_text(passing: ReportContent) -> None:
    calm, attacked = Outline(render(passing.to_json())), Outline(render(poisoned(passing.to_json())))
    count = [sum(tag in ("script", "img") for tag, _ in outline.tags) for outline in (calm, attacked)]
    assert count[0] == count[1] == 2  # the script, and one picture
    assert not any(name.startswith("on") for _, attributes in attacked.tags for name in attributes)
    assert HOSTILE in "".join(attacked.words)


def test_nothing_is_loaded_and_only_the_pages_own_style_and_script_may_act(
    sample: ReportContent, written: Written
) -> None:
    page = written(sample).read_text(encoding="utf-8")
    for tag, attributes in Outline(page).tags:
        assert tag not in ("iframe", "object", "embed", "form"), tag
        assert "style" not in attributes
        source = attributes.get("src")
        assert source is None or (tag == "img" and source.startswith("data:image/png;base64,"))
        target = attributes.get("href") or "#"
        assert target.startswith(("#", "data:")) or target == "report.json"
    assert "@import" not in page and "url(" not in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    rules = policy[1].replace("&#39;", "'")
    assert rules.startswith("default-src 'none';") and "unsafe" not in rules
    for tag in ("style", "script"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert inside is not None
        digest = base64.b64encode(hashlib.sha256(inside[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in rules
    assert len(page) < 200_000


def test_a_picture_is_shown_once_after_the_defenses_with_its_words(passing: ReportContent, written: Written) -> None:
    outline = Outline(written(passing).read_text(encoding="utf-8"))
    shown = [attributes for tag, attributes in outline.tags if tag == "img"]
    picture = passing.comparisons[1].after.pictures[0]
    assert [image["alt"] for image in shown] == [picture.alt]
    assert base64.b64decode(str(shown[0]["src"]).partition(",")[2]) == picture.png
    assert picture.title in outline.text and picture.note in outline.text


def test_a_picture_is_a_png_with_words() -> None:
    with pytest.raises(ValueError, match="PNG"):
        Picture("map", b"<svg onload='alert(1)'>", "a map")
    with pytest.raises(ValueError, match="words"):
        Picture("map", b"\x89PNG\r\n\x1a\n", "")


def test_links_within_the_page_arrive_and_no_name_is_used_twice(sample: ReportContent, written: Written) -> None:
    tags = Outline(written(sample).read_text(encoding="utf-8")).tags
    names = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(names) == len(set(names))
    targets = {str(a["href"])[1:] for _, a in tags if str(a.get("href")).startswith("#")}
    assert targets <= set(names)
    levels = [int(tag[1]) for tag, _ in tags if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels[1:]))


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_can_be_told_apart(theme: str, passing: ReportContent) -> None:
    style = render(passing.to_json()).split("<style>")[1].split("</style>")[0]
    found = re.findall(r"--([\w-]+): (#[0-9a-f]{6})", style)
    colours = dict(found[: len(found) // 3] if theme == "light" else found[len(found) // 3 :])
    grounds = ("paper", "raised", "sunk", "pass-soft", "review-soft", "fail-soft")
    pairs = [(text, ground) for text in ("ink", "quiet", "accent") for ground in grounds]
    pairs += [(tone, f"{tone}-soft") for tone in ("pass", "review", "fail")]
    pairs += [(tone, "raised") for tone in ("pass", "review", "fail")]
    for text, ground in pairs:
        assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for hue in range(6):
        assert contrast(colours[f"hue-{hue}"], colours["raised"]) >= 3, hue


def test_what_the_check_found_stands_beside_where(passing: ReportContent, written: Written) -> None:
    check = OutputCheck({"images read": 9}, {"images in which text can be read": 1}, ("5f3a",))
    text = Outline(written(replace(passing, check=check)).read_text(encoding="utf-8")).text
    assert "no attack is above its threshold" in text
    assert "Where: 1 released image5f3a" in text
    clean = Outline(written(replace(passing, check=OutputCheck({"images read": 9}))).read_text(encoding="utf-8")).text
    assert "Nothing was found that should not be there." in clean


def test_a_table_that_did_not_change_is_shown_once(sample: ReportContent, written: Written) -> None:
    """In the samples the sizes of groups are the same before and after."""
    text = Outline(written(sample).read_text(encoding="utf-8")).text
    assert "Group sizes, before the defenses" not in text
    assert text.count("Group sizes") == sum(bool(each.after.tables) for each in sample.comparisons)


def test_a_long_setting_is_shortened_on_the_page() -> None:
    from medveil.report.page import _flat

    told = _flat({"defenses": {"table": {"plan": "x" * 5000, "ages": 10}}})
    assert told["defenses.table.ages"] == "10"
    assert len(told["defenses.table.plan"]) < 120 and "5,000 characters" in told["defenses.table.plan"]


def test_before_and_after_is_said_of_attacks_alone_that_ran_on_both(passing: ReportContent, written: Written) -> None:
    """Of a model that was trained privately there is none from before."""
    pairs = "Each attack was run before and after the defenses."
    assert pairs in Outline(written(passing).read_text(encoding="utf-8")).text
    alone = tuple(replace(one, before=None, change=None) for one in passing.comparisons)
    text = Outline(written(replace(passing, comparisons=alone)).read_text(encoding="utf-8")).text
    assert pairs not in text and "Each attack was run on what is released." in text
