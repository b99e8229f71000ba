from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from medveil.attacks.identity.examples import Example, chosen_examples, example_pictures
from medveil.attacks.identity.judged_pairs import JudgedPairs
from medveil.attacks.identity.verification import MEASURES
from medveil.cli import app
from medveil.cohort import Cohort
from medveil.encoders.identity.networks.model_file import save_network
from medveil.encoders.identity.training.settings import TrainingSettings
from medveil.encoders.identity.training.train import Scores, TrainingResult
from medveil.encoders.identity.verifier import VerificationNetwork
from medveil.errors import NotMeasurable, SettingsError
from medveil.release.identity_studies import Run, _training_finding
from medveil.stats.estimate import Estimate


def told(words: list[Any]) -> dict[str, Any]:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0
    found: dict[str, Any] = json.loads(done.stdout)["comparisons"][0]["after"]
    return found


@pytest.mark.exhaustive
def test_every_handling_size_and_rate_is_trained_and_compared(
    hospital_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[TrainingSettings] = []

    def train_on(kind: str, images: Any, out: Path, *, settings: TrainingSettings, **_: Any) -> TrainingResult:
        """A network from chance: how training goes is tested elsewhere."""
        seen.append(settings)
        architecture = settings.architecture("verification")
        save_network(out / "model.safetensors", VerificationNetwork("resnet50", "global", 128), architecture)
        return TrainingResult(out / "model.safetensors", Scores(0.5, 0.5), 1, 1e-4, 0, [], True, settings.pairs)

    monkeypatch.setattr("medveil.release.identity_studies.train_on", train_on)
    command = ["study", "training", hospital_folder, "-o", tmp_path, "--size", 64, "--json", "--split-by", "20/10/70"]
    found = told([*command, "--mining", "fixed", "--mining", "redrawn", "--pairs", 10, "--rate", 1e-3])
    assert [(how.mining, how.pairs, how.rate) for how in seen] == [("fixed", 10, 1e-3), ("redrawn", 10, 1e-3)]
    assert (tmp_path / "runs" / "fixed-10-0.001" / "model.safetensors").is_file()
    table = found["tables"][0]
    assert table["columns"][:5] == ["data handling", "training pairs", "learning rate", "AUC", "accuracy"]
    assert [row[:3] for row in table["rows"]] == [["FTS", "10", "0.001"], ["RNP", "10", "0.001"]]
    curves = [series["name"] for series in found["figures"][0]["series"]]
    assert curves == ["FTS, 10 pairs, rate 0.001", "RNP, 10 pairs, rate 0.001", "chance"]
    assert found["tables"][1]["title"] == "Confusion matrix at 0.5"
    refused = CliRunner().invoke(app, [str(word) for word in [*command[:-2], "--split", "train"]])
    assert isinstance(refused.exception, NotMeasurable)


def test_a_rate_that_cannot_be_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    command = ["study", "training", tmp_path / "nowhere", "-o", tmp_path / "out", "--rate", 1e-4, "--rate", "nan"]
    done = CliRunner().invoke(app, [str(word) for word in command])
    assert isinstance(done.exception, SettingsError), done.exception


def test_networks_with_fewer_pairs_than_asked_for_keep_their_rows() -> None:
    rng = np.random.default_rng(0)
    rows, same = np.arange(40), np.arange(40) < 20
    pairs = JudgedPairs(rows, rows + 40, same, (rows % 20, rows % 20), same + rng.normal(size=40), same * 1.0)
    found = dict.fromkeys((*MEASURES, "AUC"), Estimate(0.5, 0.1, 0.4, 0.6, n=40, units=20))
    runs = [Run("fixed", asked, 1e-4) for asked in (10, 100, 1000)]
    used = {10: 10, 100: 60, 1000: 60}
    finding = _training_finding({run: (used[run.pairs or 0], pairs, found) for run in runs}, 0, from_chance=True)
    assert [row[1] for row in finding.tables[0].rows] == ["10", "60 of 100 asked for", "60 of 1,000 asked for"]
    assert len(finding.figures[0].series) == len(runs) + 1
    assert any("began from chance" in limit for limit in finding.limits)


def test_a_view_that_is_asked_for_is_trained_on_too(
    hospital_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Seen(Exception):
        pass

    def from_cohort(cohort: Cohort, *_: Any) -> None:
        assert set(cohort.table["view"]) == {"PA"} and {"train", "val"} <= set(cohort.table["split"])
        raise Seen

    monkeypatch.setattr("medveil.release.identity_studies.from_cohort", from_cohort)
    command = ["study", "training", hospital_folder, "-o", tmp_path, "--view", "PA", "--split-by", "20/10/70"]
    done = CliRunner().invoke(app, [str(word) for word in command])
    assert isinstance(done.exception, Seen), done.exception


@pytest.mark.exhaustive
def test_every_size_is_measured_on_the_same_films(hospital_folder: Path, tmp_path: Path) -> None:
    found = told(["study", "resolution", hospital_folder, "-o", tmp_path, "--size", 96, "--size", 320, "--json"])
    (large, *_, many), (small, *_, few) = found["tables"][0]["rows"]
    assert (large, small, many) == (320, 96, few)
    assert found["estimates"]["precision@1 at 320 pixels"] != found["estimates"]["precision@1 at 96 pixels"]
    assert any("blown up" in limit and "320" in limit for limit in found["limits"])
    assert not any("96" in limit for limit in found["limits"])


def test_examples_show_phantoms_but_nobody_else(hospital_folder: Path, tmp_path: Path) -> None:
    found = told(["study", "examples", hospital_folder, "-o", tmp_path, "--json"])
    titles = [picture["title"] for picture in found["pictures"]]
    assert titles == [f"Attention at the {place} layer" for place in ("first", "middle", "last")]
    assert all("without the films" in picture["note"] for picture in found["pictures"])
    kinds = [row[1] for row in found["tables"][1]["rows"]]
    assert kinds[0] == "true positive" and len(kinds) <= 6


class Edges:
    """A network whose first layer sees every pixel."""

    def attention(self, a: np.ndarray, b: np.ndarray, place: Any) -> tuple[np.ndarray, np.ndarray]:
        return a.astype(np.float32) / 255, b.astype(np.float32) / 255


def test_attention_without_the_films_shows_nothing_finer_than_its_last_layer() -> None:
    rng = np.random.default_rng(0)
    blocks = np.kron(rng.integers(64, 192, (8, 8)), np.ones((32, 32)))
    stripes = blocks + np.tile([[50, -50], [-50, 50]], (128, 128))  # the same in every place of 8 by 8
    example = [Example("true positive", 0, 1, 0.9)]

    def shown(film: np.ndarray, *, show_images: bool) -> list[bytes]:
        films = [[film.astype(np.uint8), film.astype(np.uint8)]]
        return [picture.png for picture in example_pictures(Edges(), example, films, show_images=show_images)]

    assert shown(stripes, show_images=False) == shown(blocks, show_images=False)
    assert shown(stripes, show_images=True) != shown(blocks, show_images=True)


def test_hits_are_of_different_people_and_errors_are_the_surest() -> None:
    scores = np.array([0.99, 0.98, 0.9, 0.8, 0.7, 0.6, 0.4, 0.2, 0.95, 0.55, 0.1])
    same = np.array([True] * 8 + [False] * 3)
    owners = np.array([0, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2])
    rows = np.arange(11)
    pairs = JudgedPairs(rows, rows + 20, same, (owners, owners + same.astype(int) - 1), scores, scores)
    found = chosen_examples(pairs)
    assert [each.kind for each in found] == ["true positive"] * 4 + ["false positive", "false negative"]
    assert [each.probability for each in found] == [0.99, 0.9, 0.8, 0.6, 0.95, 0.2]
    assert len({owners[each.left] for each in found[:4]}) == 4
