from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from medveil import parts
from medveil.errors import SettingsError
from medveil.parts import KINDS, PLACES, catalogue, choose, register_attack, registered
from medveil.testing import check_settings

HEAVY = ("torch", "numpy", "pandas", "sklearn", "scipy", "numba", "cv2", "pydicom")


@dataclass(frozen=True)
class ShoutSettings:
    loud: bool = True
    times: int = 3


@pytest.fixture
def plug_ins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One part with settings that runs only where it is asked for, one as plain as can be."""
    registered("attacks")
    monkeypatch.setitem(parts._REGISTRY, "attacks", dict(parts._REGISTRY["attacks"]))

    @register_attack
    class Shout:
        """Shouts."""

        name = "shout"
        Settings = ShoutSettings
        default = False
        baseline = True

        def __init__(self, settings: ShoutSettings, device: str) -> None:
            self.settings, self.device = settings, device

    @register_attack
    class Plain:
        """Knows nothing of settings."""

        name = "plain"
        baseline = True

    yield


def test_looking_for_parts_loads_no_heavy_library() -> None:
    """Every worker of a release does it; in a process of its own, for here they may be loaded already."""
    code = (
        f"HEAVY = {HEAVY}; import json, sys; from medveil.parts import KINDS, registered;"
        "found = {kind: list(registered(kind)) for kind in KINDS};"
        "heavy = [name for name in HEAVY if name in sys.modules];"
        "print(json.dumps([found, heavy]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found, heavy = json.loads(done.stdout)
    assert "identity" in found["attacks"] and "label-probe" in found["measures"]
    assert "headers" in found["defenses"] and "medveil-small" in found["encoders"]
    assert heavy == []


def test_no_name_stands_for_all_that_run_unasked(plug_ins: None) -> None:
    usual = [choice.name for choice in choose("attacks")]
    assert "identity" in usual and "plain" in usual and "shout" not in usual
    assert [choice.name for choice in choose("attacks", ["default", "shout"])] == [*usual, "shout"]


def test_a_part_is_built_with_what_it_asks_for(plug_ins: None) -> None:
    shout, plain = choose("attacks", ["shout:times=5", "plain"])
    built = shout.build(device="cuda", keys="not asked for")
    assert (built.settings, built.device) == (ShoutSettings(times=5), "cuda")
    assert plain.build(device="cuda").name == "plain"
    assert (shout.text, plain.text) == ("shout:times=5", "plain")
    assert shout.to_json() == {"loud": True, "times": 5}
    assert pickle.loads(pickle.dumps(shout)) == shout and hash(shout) == hash(choose("attacks", [shout.text])[0])


def test_the_last_word_counts(plug_ins: None) -> None:
    (shout,) = choose("attacks", ["shout:times=5", "shout:loud=no"])
    assert shout.settings == ShoutSettings(loud=False)
    usual = choose("attacks", ["singling-out:facts=age", "default"])
    assert {choice.text for choice in usual} >= {"singling-out:facts=age", "identity"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("telepathy", "there is no attack called telepathy; choose from identity, "),
        ("shout:volume=9", "the attack shout has no setting called volume; it has loud, times"),
        ("shout:times=often", "times of the attack shout is a whole number, not 'often'"),
        ("plain:a=1", "the attack plain has no setting called a; it has none"),
        ("default:a=1", "no attack called default"),
    ],
)
def test_what_is_not_there_is_refused(plug_ins: None, text: str, told: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        choose("attacks", [text])
    assert told in str(refusal.value)


@pytest.mark.parametrize("name", ["default", "", "a:b", "a b", "a=b"])
def test_a_name_that_could_not_be_typed_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be called"):
        register_attack(type("Odd", (), {"name": name}))


def test_every_part_tells_what_it_is_and_what_it_can_be_set_to() -> None:
    for kind in KINDS:
        for name, part in catalogue(kind).items():
            assert part["what"].endswith("."), name
            assert part["place"] in (*PLACES, None), name
    assert catalogue("attacks")["identity"]["devices"] == ["cpu", "cuda"]
    assert catalogue("attacks")["singling-out"]["settings"]["facts"]["default"] == ["age", "sex", "site"]


@dataclass(frozen=True)
class Required:
    times: int


@dataclass
class Changeable:
    times: int = 3


@dataclass(frozen=True)
class Brittle:
    times: int = 3

    def __post_init__(self) -> None:
        if self.times < 1:
            raise ValueError("not a settings error")


@dataclass(frozen=True)
class Mapped:
    times: dict[str, int] | None = None


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        (Required, "every setting has a default"),
        (Changeable, "frozen dataclass"),
        (Brittle, "refused with SettingsError"),
        (Mapped, "settings are int, float"),
    ],
)
def test_settings_that_break_the_contract_are_told(declared: type[Any], told: str) -> None:
    class Part:
        Settings = declared

        def __init__(self, settings: Any = None) -> None: ...

    with pytest.raises(AssertionError, match=told):
        check_settings(Part())


def test_settings_that_nobody_takes_are_told() -> None:
    class Deaf:
        Settings = ShoutSettings

    with pytest.raises(AssertionError, match="constructor takes the settings"):
        check_settings(Deaf())
