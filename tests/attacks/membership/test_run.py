from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from PIL import Image

from medveil.attacks.membership.groups import Groups, patients_of
from medveil.attacks.membership.run import attack_encoder
from medveil.attacks.membership.settings import MembershipSettings
from medveil.cohort import Cohort
from medveil.errors import SettingsError
from medveil.finding import Finding

DIM = 32


class Remembering:
    """An encoder of noise, in which a remembered report points to its film."""

    license, dim = "none", DIM

    def __init__(self, name: str, remembered: Cohort | None = None, how_well: float = 1.0) -> None:
        self.name, self.fingerprint, self._how_well = name, name, how_well
        self._images: dict[str, NDArray[np.float32]] = {}
        if remembered is not None:
            for row, text in enumerate(remembered.table["report"].fillna("")):
                self._images[str(text)] = self._noise(remembered.image(row).tobytes())

    def encode_images(self, images: Iterable[NDArray[Any]]) -> NDArray[np.float32]:
        return _stacked([self._noise(image.tobytes()) for image in images])

    def encode_reports(self, texts: Iterable[str]) -> NDArray[np.float32]:
        found = []
        for text in texts:
            own = self._noise(text.encode())
            found.append(_unit(own + self._how_well * self._images[text]) if text in self._images else own)
        return _stacked(found)

    def _noise(self, content: bytes) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.sha256(self.name.encode() + content).digest()[:8])
        return _unit(np.random.default_rng(seed).normal(size=DIM))


def _unit(vector: NDArray[Any]) -> NDArray[np.float32]:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _stacked(vectors: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.stack(vectors) if vectors else np.zeros((0, DIM), np.float32)


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> Groups:
    """Films of noise with reports of noise: nothing tells members from others but memory."""
    root, rng, rows = tmp_path_factory.mktemp("noise"), np.random.default_rng(1), []
    for number in range(150):
        for film in range(1 + number % 2):
            name = f"{number:03}-{film}.png"
            Image.fromarray(rng.integers(0, 256, (32, 32), dtype=np.uint8)).save(root / name)
            words = " ".join(rng.choice(["heart", "lung", "clear", "large", "left", "right", "new", "old"], 30))
            person = {"sex": rng.choice(["F", "M"]), "age": float(rng.integers(20, 90)), "view": "PA"}
            split = ("train", "test", "train", "test", "val")[number % 5]
            ids = {"image_id": name, "patient_id": f"patient-{number:03}", "study_id": f"study-{number:03}"}
            rows.append({**ids, **person, "path": name, "report": words, "split": split})
    return Groups.of_split(Cohort.of(pd.DataFrame(rows), root), seed=1)


def _attacked(groups: Groups, how_well: float, **settings: Any) -> Finding:
    target = Remembering("target", groups.members, how_well)
    references = [Remembering("other"), Remembering("another")]
    return attack_encoder(target, references, groups, MembershipSettings(**settings), seed=1)  # type: ignore[arg-type]


def test_members_are_told_from_an_encoder_that_remembers(groups: Groups) -> None:
    finding = _attacked(groups, 2.0, epsilon=0.1)
    assert finding.estimates["RMIA: advantage"].low > 0.5
    assert finding.estimate.low > 0.5 and finding.verdict == "FAIL"
    assert any("the promise does not hold" in concern for concern in finding.concerns)
    assert {"similarity: advantage", "confidence: advantage", "LiRA: advantage"} <= set(finding.estimates)


def test_an_encoder_that_remembers_nobody_tells_nothing(groups: Groups) -> None:
    finding = _attacked(groups, 0.0, epsilon=8.0)
    for name in ("similarity", "confidence", "LiRA", "RMIA"):
        found = finding.estimates[f"{name}: advantage"]
        assert found.low <= 0 and found.chance == 0 and found.control is not None
    assert finding.power is not None and finding.power.enough  # heads fitted to the same pairs were found out
    assert finding.concerns == ()


def test_the_finding_is_whole_and_names_nobody(groups: Groups) -> None:
    finding = _attacked(groups, 1.0)
    told = json.dumps(finding.to_json(), allow_nan=False)
    assert told == json.dumps(_attacked(groups, 1.0).to_json())
    assert not any(name in told for name in patients_of(groups.members))
    assert finding.answer.endswith(".") and finding.estimate.chance == 0.01
    assert any("No ε was stated" in limit for limit in finding.limits)
    assert any("no false alarm is allowed" in limit for limit in finding.limits)
    rows = finding.tables[0].rows
    assert [row[0] for row in rows] == [
        "similarity",
        "confidence",
        "LiRA",
        "RMIA",
        "without the model",
        "blind guessing",
    ]


def test_members_of_another_kind_are_found_out_without_the_model(groups: Groups) -> None:
    """All members are men, say: then telling them apart is no proof of memory."""
    aged = groups.members.table.assign(sex="M", age=90.0)
    young = groups.others.table.assign(sex="F", age=30.0)
    apart = Groups(Cohort(aged, groups.members.root), Cohort(young, groups.others.root), groups.crowd)
    finding = attack_encoder(
        Remembering("target"),
        [Remembering("other")],
        apart,
        MembershipSettings(),
        seed=1,  # type: ignore[arg-type, list-item]
    )
    assert any("without the model" in concern for concern in finding.concerns)
    assert finding.estimate.control is not None and finding.estimate.control > 0.5


def test_settings_that_make_no_sense_are_refused() -> None:
    for wrong in ({"shadows": 3}, {"shadows": 5}, {"delta": 1.0}, {"epsilon": -1.0}):
        with pytest.raises(SettingsError):
            MembershipSettings(**wrong)
