"""Settings of parts: read from text, written back, refused in one sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.errors import SettingsError
from medveil.part_settings import NoSettings, described, read_text, split_name, to_json, write_table, write_text


@dataclass(frozen=True)
class Everything:
    count: int = 3
    share: float = 0.5
    keep: bool = False
    word: str = "plain"
    label: str | None = None
    file: Path | None = None
    fill: Literal["box", "membrane"] = "membrane"
    pools: tuple[int | Literal["all"], ...] = ()
    names: tuple[str, ...] | None = None


def read(text: str, declared: type[Any] = Everything) -> Any:
    return read_text(declared, text, of="the attack x")


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("", {}),
        ("count=7,share=1e-3", {"count": 7, "share": 0.001}),
        ("keep=true", {"keep": True}),
        ("keep=no", {}),
        ("label=none", {}),
        ('label="none"', {"label": "none"}),
        ("file=C:\\data\\net.bin", {"file": Path("C:\\data\\net.bin")}),
        ("fill=box", {"fill": "box"}),
        ("pools=100,pools=all", {"pools": (100, "all")}),
        ('word="a,b ""c"""', {"word": 'a,b "c"'}),
        ("names=", {"names": ()}),
        ('names=""', {"names": ("",)}),
        ("word=a=b", {"word": "a=b"}),
    ],
)
def test_values_are_read_as_they_are_annotated(text: str, changes: dict[str, Any]) -> None:
    assert read(text) == replace(Everything(), **changes)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("colour=red", "the attack x has no setting called colour; it has count, share, "),
        ("count=many", "count of the attack x is a whole number, not 'many'"),
        ("share=nan", "share of the attack x is a number, not 'nan'"),
        ("fill=blur", "fill of the attack x is box or membrane, not 'blur'"),
        ("keep=2", "keep of the attack x is true or false"),
        ("count=1,count=2", "count of the attack x is a whole number, not '1, 2'"),
        ("pools=few", "a whole number or all, any number of times"),
        ("count", "written as key=value"),
        ('word="open', "written as key=value"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(text: str, told: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        read(text)
    assert told in str(refusal.value)


def test_a_part_without_settings_says_so() -> None:
    assert read("", NoSettings) == NoSettings()
    with pytest.raises(SettingsError, match="it has none"):
        read("a=1", NoSettings)


def test_a_name_ends_at_the_first_colon() -> None:
    assert split_name("anatomy:file=C:\\x") == ("anatomy", "file=C:\\x")
    assert split_name("anatomy") == ("anatomy", "")


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]))


@given(
    st.builds(
        Everything,
        count=st.integers(),
        share=st.floats(allow_nan=False, allow_infinity=False),
        keep=st.booleans(),
        word=texts,
        label=st.none() | texts,
        file=st.none() | texts.filter(bool).map(Path),
        fill=st.sampled_from(["box", "membrane"]),
        pools=st.lists(st.integers() | st.just("all")).map(tuple),
        names=st.none() | st.lists(texts).map(tuple),
    )
)
def test_what_is_written_is_read_back(settings: Everything) -> None:
    assert read(write_text(settings)) == settings


def test_a_toml_table_is_the_same_text() -> None:
    table = {"fill": "box", "pools": [100, "all"], "keep": True, "label": "none", "word": "a, b"}
    name, text = split_name(write_table("x", table))
    assert name == "x"
    assert read(text) == Everything(fill="box", pools=(100, "all"), keep=True, label=None, word="a, b")
    assert write_table("x", {}) == "x"


def test_settings_are_told_in_words_and_plain_values() -> None:
    assert described(Everything)["fill"] == {"is": "box or membrane", "default": "membrane"}
    assert described(Everything)["label"] == {"is": "a text or none", "default": None}
    assert to_json(Everything(file=Path("a/b"), pools=(1, "all")))["pools"] == [1, "all"]
