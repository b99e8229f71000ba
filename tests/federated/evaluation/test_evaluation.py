from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from medveil.errors import NotMeasurable
from medveil.federated.evaluation.attention import grad_cam, inside, phrase_maps, pointing
from medveil.federated.evaluation.comparison import TestFilms, against, at_prevalence, macro_auc
from medveil.federated.evaluation.few_shot import few_shot_scores
from medveil.federated.evaluation.retrieval import recall
from medveil.federated.evaluation.token_alignment import named_words, on_named_words, word_relevance
from medveil.federated.evaluation.zero_shot import phrase_vectors, sentences, zero_shot_scores
from medveil.federated.local_training import LocalTraining, assemble
from medveil.federated.recipe import Recipe
from medveil.federated.rounds import federate
from medveil.federated.vision_language.building import build
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.hashed_words import bucket, hashed
from medveil.federated.vision_language.network import VisionLanguageNetwork

SAID = {"Cardiomegaly": "cardiomegaly", "Edema": "edema", "Pneumonia": "pneumonia"}


def reported(films: Films, recipe: Recipe) -> Films:
    """With reports that state what is there and deny the rest."""
    texts = [
        " ".join(
            f"there is {'' if there else 'no '}{SAID[name]}."
            for name, there in zip(recipe.findings, row == 1, strict=True)
        )
        for row in films.targets
    ]
    return replace(films, words=hashed(texts, words=recipe.words, buckets=recipe.buckets))


@pytest.fixture(scope="module")
def trained() -> dict[str, tuple[Recipe, VisionLanguageNetwork]]:
    return {}


@pytest.fixture
def model(
    trained: dict[str, tuple[Recipe, VisionLanguageNetwork]], small_recipe: Recipe, make_films: Callable[..., Films]
) -> tuple[Recipe, VisionLanguageNetwork]:
    """Trained once on films that show bright patches and reports that say so."""
    if "it" not in trained:
        recipe = replace(
            small_recipe,
            words=20,
            buckets=128,
            embedding=16,
            local_steps=12,
            batch=24,
            learning_rate=4e-3,
            contrast=1.0,
        )
        films = make_films(patients=60)
        films = reported(replace(films, words=np.zeros((len(films), recipe.words), np.int32)), recipe)
        done = federate(recipe, {"a": LocalTraining(recipe, films, None)}, 2)
        trained["it"] = recipe, assemble(recipe, done.shared)
    return trained["it"]


def truth(films: Films) -> TestFilms:
    return TestFilms(films.targets == 1, films.known, films.patients.astype(str))


def test_few_examples_diagnose(model: tuple[Recipe, VisionLanguageNetwork], make_films: Callable[..., Films]) -> None:
    recipe, network = model
    unseen, examples = make_films(patients=60, seed=7), make_films(patients=40, seed=8)
    rng = np.random.default_rng(0)
    few = few_shot_scores(network, examples, unseen, shots=8, device="cpu", rng=rng)
    assert macro_auc([few], truth(unseen), redraws=20).value > 0.8
    too_few = few_shot_scores(network, examples, unseen, shots=500, device="cpu", rng=rng)
    assert np.isnan(too_few).all()
    with pytest.raises(NotMeasurable, match="knows no words"):
        phrase_vectors(build(replace(recipe, text="none")), recipe.findings, recipe, "cpu")


def test_a_film_is_called_by_the_sentence_it_is_nearest_to(
    small_recipe: Recipe, make_films: Callable[..., Films], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors as a perfect model would have them: a dimension a finding, its sign says stated or denied."""
    recipe = replace(small_recipe, embedding=3, words=16, buckets=4096)
    network, films = build(recipe), make_films(patients=20)
    names = [bucket(word, recipe.buckets) for word in SAID.values()]
    no = bucket("no", recipe.buckets)

    def read(words: torch.Tensor) -> torch.Tensor:
        there = torch.stack([(words == name).any(1) for name in names], 1).float()
        return there * torch.where((words == no).any(1, keepdim=True), -1.0, 1.0)

    seen = torch.from_numpy(films.targets * 2 - 1)
    monkeypatch.setattr(network, "report_vectors", read)
    monkeypatch.setattr(network, "film_vectors", lambda pixels: seen[: len(pixels)])
    scores = zero_shot_scores(network, films, recipe.findings, recipe, device="cpu")
    assert ((scores > 0) == (films.targets == 1)).all()


def test_pointing_hits_when_the_highest_point_lies_in_the_box() -> None:
    maps = torch.zeros(3, 8, 8)
    maps[0, 2, 5] = maps[1, 7, 7] = maps[2, 3, 5] = 1.0
    found = pointing(maps, [(5, 2, 7, 3), (0, 0, 7, 7), (5, 2, 7, 3)])
    assert found.hit.tolist() == [1.0, 0.0, 0.0]
    assert found.chance.tolist() == [2 / 64, 49 / 64, 2 / 64]


def test_a_phrase_has_a_map_of_its_own(
    model: tuple[Recipe, VisionLanguageNetwork], make_films: Callable[..., Films]
) -> None:
    recipe, network = model
    films = make_films(patients=3)
    with torch.no_grad():
        phrases = phrase_vectors(network, recipe.findings, recipe, "cpu")
        places = network.image_projection(network.image(torch.from_numpy(films.pixels[:1, None]) / 255).movedim(1, -1))
    maps = phrase_maps(network, phrases, films.pixels, device="cpu")
    assert maps.shape == (len(films), 3, 32, 32)
    corner = torch.nn.functional.normalize(places[0, 0, 0], dim=0) @ phrases[1]
    assert float(maps[0, 1, 0, 0]) == pytest.approx(float(corner), abs=1e-4)


def test_grad_cam_is_what_the_gradient_says(small_recipe: Recipe, make_films: Callable[..., Films]) -> None:
    """The shortcut through the linear head against the published formula, whatever the finding's odds are."""
    network, films = build(small_recipe), make_films(patients=2, films=1)
    with torch.no_grad():
        network.image_head.weight[1] = -network.image_head.weight[1].abs()  # nowhere above zero
    pixels = torch.from_numpy(films.pixels).unsqueeze(1).float() / 255
    places = network.image(pixels)
    (gradient,) = torch.autograd.grad(network.image_head(places.mean((2, 3)))[:, 1].sum(), [places])
    weights = gradient.mean((2, 3), keepdim=True)
    evidence = (weights * places).sum(1).detach()
    expected = (evidence - evidence.mean((1, 2), keepdim=True)).clamp(min=0)
    ours = grad_cam(network, films.pixels, device="cpu")[:, 1]
    side = small_recipe.side
    larger = torch.nn.functional.interpolate(expected[:, None], size=(side, side), mode="bilinear")[:, 0]
    assert torch.allclose(ours, larger * places[0, 0].numel(), atol=1e-5)  # the gradient is of a mean over places
    assert (ours.amax((1, 2)) > 1e-3).all()


def test_how_much_of_a_map_lies_in_a_mask() -> None:
    maps, mask = torch.zeros(2, 4, 4), np.zeros((2, 4, 4), bool)
    maps[0, :2] = 3.0
    mask[:, :1] = True
    found = inside(maps, mask)
    assert found.hit[0] == pytest.approx(0.5) and np.isnan(found.hit[1])
    assert found.chance.tolist() == [0.25, 0.25]


def test_the_words_that_count_are_those_that_name_what_is_there(
    model: tuple[Recipe, VisionLanguageNetwork], make_films: Callable[..., Films]
) -> None:
    recipe, network = model
    films = make_films(patients=30, seed=10)
    films = reported(replace(films, words=np.zeros((len(films), recipe.words), np.int32)), recipe)
    relevance = word_relevance(network, films, device="cpu")
    assert relevance.shape == films.words.shape and not relevance[films.words == 0].any()
    named = named_words(films, recipe.findings, recipe)
    assert named.sum() == (films.targets == 1).sum()
    found = on_named_words(relevance, named, films.words)
    assert np.isnan(found.hit[(films.targets == 0).all(1)]).all()
    assert 0 < np.nanmean(found.hit) < 1 and 0 < np.nanmean(found.chance) < 1
    silent = replace(films, words=np.zeros_like(films.words))
    assert not word_relevance(network, silent, device="cpu").any()


def test_retrieval_is_by_chance_for_a_collapsed_model_and_perfect_for_the_same_vectors() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(50, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert recall(vectors, vectors)["film to report, recall@1"].value == 1.0
    same = np.tile(vectors[:1], (50, 1))
    collapsed = recall(same, same)["report to film, recall@5"]
    assert collapsed.value == pytest.approx(0.1) == pytest.approx(collapsed.chance)
    with pytest.raises(NotMeasurable):
        recall(vectors[:1], vectors[:1])


def test_a_better_model_is_better_on_the_same_patients_and_a_copy_is_not() -> None:
    rng = np.random.default_rng(1)
    patients = np.repeat(np.arange(80), 2)
    targets = rng.random((160, 2)) < 0.4
    films = TestFilms(targets, np.ones_like(targets), patients.astype(str))
    good, poor = (targets * strength + rng.normal(size=targets.shape) for strength in (2.0, 0.3))
    ours = macro_auc([good, good], films)
    found = against(ours, {"poor": macro_auc([poor], films), "copy": macro_auc([good], films)})
    assert found["poor"].delta.low > 0 and found["poor"].p < 0.05
    assert found["copy"].delta.value == 0 and found["copy"].p == 1.0
    assert ours.units == 80 and ours.n == 160


def test_rare_findings_and_missing_scores_do_not_count() -> None:
    targets = np.zeros((40, 3), bool)
    targets[:20, 0] = targets[:3, 1] = targets[::2, 2] = True
    films = TestFilms(targets, np.ones_like(targets), np.arange(40).astype(str))
    assert films.measurable() == [0, 2]
    scores = targets.astype(float)
    scores[:, 2] = np.nan
    assert macro_auc([scores], films, redraws=5).value == 1.0
    with pytest.raises(NotMeasurable):
        macro_auc([scores * np.nan], films, redraws=5)
    accuracy, f1 = at_prevalence(targets.astype(float), films, np.array([0.5, 0.1, 0.5]), [0, 2])
    assert accuracy == f1 == 1.0


def test_sentences_state_and_deny() -> None:
    stated, denied = sentences("Pneumothorax")
    assert "There is pneumothorax." in stated and "No pneumothorax." in denied
    assert sentences("No Finding")[0][0] == "No acute abnormality."
