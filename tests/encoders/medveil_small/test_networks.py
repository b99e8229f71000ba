from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from medveil.encoders.medveil_small.model import SmallModel, load_model, save_model
from medveil.encoders.medveil_small.networks import AttentionPool
from medveil.encoders.medveil_small.vocabulary import Tokenizer
from medveil.errors import InputError


@pytest.fixture(scope="module")
def model() -> SmallModel:
    torch.manual_seed(3)
    return SmallModel(Tokenizer(["left", "right", "effusion", "no"], 256), dim=32).eval().requires_grad_(False)


def test_a_pool_is_what_its_readers_weigh() -> None:
    torch.manual_seed(1)
    pool = AttentionPool(6, 5, readers=3, share=2).requires_grad_(False)
    torch.nn.init.normal_(pool.empty_look)
    torch.nn.init.normal_(pool.empty_value)
    x, present = torch.randn(2, 4, 6), torch.tensor([[True, True, False, False], [False] * 4])
    read = torch.zeros(2, 3, 2)
    for item in range(2):
        places = [place for place in range(4) if present[item, place]]
        for reader in range(3):
            looks = [float(pool.look(x[item, place])[reader]) for place in places] + [float(pool.empty_look[reader])]
            values = [pool.value(x[item, place])[2 * reader : 2 * reader + 2] for place in places]
            weights = torch.tensor(looks).softmax(0)
            for weight, value in zip(weights, [*values, pool.empty_value[reader]], strict=True):
                read[item, reader] += weight * value
    torch.testing.assert_close(pool(x, present), pool.out(read.flatten(1)))


def test_vectors_have_unit_length(model: SmallModel) -> None:
    images = model.images(torch.rand(2, 1, 224, 224))
    reports = model.reports(model.tokenizer(["left effusion", "", "no effusion."]))
    assert images.shape == (2, 32)
    assert reports.shape == (3, 32)
    for vectors in (images, reports):
        torch.testing.assert_close(vectors.norm(dim=1), torch.ones(len(vectors)))


def test_order_of_words_matters(model: SmallModel) -> None:
    a, b = model.reports(model.tokenizer(["no left effusion. right effusion", "left effusion. no right effusion"]))
    assert float(a @ b) < 0.9999


def test_a_report_does_not_depend_on_its_batch(model: SmallModel) -> None:
    texts = ["Left effusion.", "no right effusion " * 30, "", "unheard of words"]
    together = model.reports(model.tokenizer(texts))
    alone = torch.cat([model.reports(model.tokenizer([text])) for text in texts])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=0)


def test_a_saved_model_is_the_same(model: SmallModel, tmp_path: Path) -> None:
    model.half().float()  # what half precision cannot hold is not saved
    save_model(tmp_path / "model.safetensors", model)
    loaded = load_model(tmp_path / "model.safetensors")
    assert loaded.tokenizer.vocabulary == model.tokenizer.vocabulary
    words = model.tokenizer(["left effusion"])
    assert torch.equal(loaded.reports(words), model.reports(words))
    image = torch.rand(1, 1, 224, 224)
    assert torch.equal(loaded.images(image), model.images(image))


def test_files_that_are_no_model_are_refused(model: SmallModel, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    with pytest.raises(InputError, match="not a medveil-small model"):
        load_model(path)
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a medveil-small model"):
        load_model(path)
    save_file({"a": torch.zeros(1)}, path)
    with pytest.raises(InputError, match="not a medveil-small model"):
        load_model(path)
    save_model(path, model)
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        metadata = file.metadata()
    tensors = load_file(path)
    save_file({name: value for name, value in tensors.items() if name != "image.place"}, path, metadata)
    with pytest.raises(InputError, match="does not hold the weights"):
        load_model(path)
    save_file(tensors | {"image.place": torch.zeros(1)}, path, metadata)
    with pytest.raises(InputError, match="does not fit"):
        load_model(path)


def test_only_weights_of_the_same_family_are_a_start(model: SmallModel) -> None:
    with pytest.raises(ValueError, match="EfficientNet-lite0"):
        model.image.start_from({"conv1.weight": torch.zeros(1)})
