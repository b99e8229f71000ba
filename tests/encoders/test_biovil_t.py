from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from medveil.cohort import Cohort
from medveil.defenses.alignment.heads import take_over
from medveil.encoders.biovil_t.change_pooler import position_code
from medveil.encoders.biovil_t.image_network import ImageNetwork
from medveil.encoders.biovil_t.model import IMAGE_WEIGHTS
from medveil.encoders.biovil_t.text_network import TextNetwork
from medveil.encoders.headless import headless
from medveil.encoders.loading import load_encoder
from medveil.errors import InputError
from medveil.testing import check_encoder


@pytest.fixture(scope="module")
def oracles(real_data: Path) -> Path:
    """Names, shapes and answers of the published networks."""
    folder = real_data.parent / "oracles"
    if not folder.is_dir():
        pytest.skip("the known answers are not here")
    return folder


@pytest.fixture(scope="module")
def fill(oracles: Path) -> Any:
    spec = importlib.util.spec_from_file_location("fill", oracles / "fill.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shapes(network: torch.nn.Module) -> dict[str, list[int]]:
    return {name: list(value.shape) for name, value in network.state_dict().items()}


@pytest.mark.real_data
def test_the_image_network_is_the_published_one(oracles: Path, fill: Any) -> None:
    known = json.loads((oracles / "biovil_t_image.json").read_text())
    network = ImageNetwork().eval()
    assert shapes(network) == known["parameters"]
    network.load_state_dict(fill.fill(network.state_dict()))
    with torch.inference_mode():
        patches = network.encoder(fill.image())
        projected = network.projector(patches)
        vectors = network(fill.image())
    assert list(patches.mean((2, 3)).shape) == known["img_embedding_shape"]
    assert list(projected.shape) == known["projected_patch_embeddings_shape"]
    assert np.allclose([projected.mean(), projected.std()], known["projected_patch_mean_std"], atol=1e-4)
    assert np.allclose(vectors, known["projected_global_embedding"], atol=1e-4)


@pytest.mark.real_data
def test_the_text_network_is_the_published_one(oracles: Path, fill: Any) -> None:
    known = json.loads((oracles / "cxr_bert_text.json").read_text())
    network = TextNetwork(known["config"]).eval()
    assert shapes(network) == known["parameters"]
    network.load_state_dict(fill.fill(network.state_dict()))
    mask = torch.ones(2, 20, dtype=torch.long)
    mask[1, 12:] = 0
    with torch.inference_mode():
        vectors = torch.nn.functional.normalize(network((torch.arange(40).view(2, 20) * 7) % 512, mask), dim=1)
    assert np.allclose(vectors, known["projected_text_embeddings (unit length)"], atol=1e-4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, bert_vocabulary: Callable[..., int]) -> Path:
    """The layout of the hub: the image network whole, the text network with fewer and narrower layers."""
    folder = tmp_path_factory.mktemp("biovil")
    settings = {
        "model_type": "cxr-bert",
        "architectures": ["CXRBertModel"],
        "auto_map": {"AutoModel": "modeling_cxrbert.CXRBertModel"},
        "vocab_size": bert_vocabulary(folder, 64),
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 48,
        "max_position_embeddings": 512,
        "projection_size": 128,
    }
    (folder / "config.json").write_text(json.dumps(settings))
    (folder / "modeling_cxrbert.py").write_text("raise RuntimeError('remote code was run')")
    torch.manual_seed(3)
    torch.save(ImageNetwork().state_dict(), folder / IMAGE_WEIGHTS)
    state = TextNetwork(settings).state_dict() | {"bert.embeddings.position_ids": torch.arange(512)[None]}
    torch.save(state, folder / "pytorch_model.bin")
    return folder


@pytest.fixture(scope="module")
def encoder(folder: Path) -> Any:
    return load_encoder(str(folder))


def test_a_folder_as_on_the_hub_becomes_an_encoder(encoder: Any, hospital: Cohort) -> None:
    assert (encoder.dim, encoder.license) == (128, "MIT")
    check_encoder(encoder, hospital, pairs=1)


def test_it_takes_pixels_of_0_to_1_as_they_are(encoder: Any) -> None:
    image = np.random.default_rng(3).integers(0, 256, (224, 224)).astype(np.uint8)
    pixels = torch.tensor(encoder.prepare(image) / np.float32(255))[None, None].expand(1, 3, 224, 224)
    with torch.inference_mode():
        expected = torch.nn.functional.normalize(encoder.image(pixels), dim=1)
    assert np.allclose(encoder.encode_images([image]), expected, atol=1e-5)


def test_its_released_vector_is_the_mean_of_projected_patches(encoder: Any) -> None:
    """Which is not what its head makes of the mean patch, so what is released goes beside it."""
    image = np.random.default_rng(4).integers(0, 4096, (300, 300)).astype(np.uint16)
    bare = headless(encoder)
    assert bare.released is encoder
    pixels = encoder.scaling.apply([encoder.prepare(image)], "cpu")
    network = encoder.image
    with torch.inference_mode():
        patches = network.projector(network.encoder(pixels))
        assert patches.shape[2] * patches.shape[3] > 1
        expected = torch.nn.functional.normalize(patches.mean((2, 3)), dim=1).numpy()
    assert np.allclose(bare.released.encode_images([image]), expected, atol=1e-5)
    heads = take_over(bare.image_head, bare.report_head)
    assert not np.allclose(heads.embed_images(bare.images.encode_images([image])), expected, atol=1e-3)
    texts = ["no effusion"]
    assert np.allclose(
        heads.embed_reports(bare.reports.encode_reports(texts)), encoder.encode_reports(texts), atol=1e-5
    )


def test_it_reads_512_tokens_and_no_more(encoder: Any) -> None:
    start = "clear " * 509  # and [CLS], [SEP]
    assert len(set(encoder.readings([start + "heart", start + "heart size normal", start + "left"]))) == 2
    whole, cut, other = encoder.encode_reports([start + "heart", start + "heart size normal", start + "left"])
    assert np.allclose(whole, cut, atol=1e-6)
    assert not np.array_equal(whole, other)


def test_a_tensor_with_two_names_may_be_saved_under_one(folder: Path, encoder: Any, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    state = torch.load(copy / "pytorch_model.bin", weights_only=True)
    (copy / "pytorch_model.bin").unlink()
    lost = ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias")
    save_file({name: value for name, value in state.items() if name not in lost}, copy / "model.safetensors")
    texts = ["no effusion", "heart size normal"]
    assert np.array_equal(load_encoder(str(copy)).encode_reports(texts), encoder.encode_reports(texts))


def test_weights_of_something_else_are_refused(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    state = torch.load(copy / "pytorch_model.bin", weights_only=True)
    del state["cls_projection_head.dense_to_output.bias"]
    torch.save(state, copy / "pytorch_model.bin")
    with pytest.raises(InputError, match="not those of BioViL-T"):
        load_encoder(str(copy))
    (copy / "pytorch_model.bin").unlink()
    with pytest.raises(InputError, match="no weights of the text network"):
        load_encoder(str(copy))
    torch.save({"encoder.encoder.conv1.weight": torch.zeros(1)}, copy / IMAGE_WEIGHTS)
    with pytest.raises(InputError, match="not those of BioViL-T"):
        load_encoder(str(copy))
    (copy / "config.json").unlink()
    with pytest.raises(InputError, match=r"config\.json is missing"):
        load_encoder(str(copy))


def test_an_earlier_image_changes_the_vector_and_its_place_matters() -> None:
    torch.manual_seed(4)
    network = ImageNetwork().eval()
    now, before = torch.rand(2, 1, 3, 96, 64)
    with torch.inference_mode():
        alone, pair, turned = network(now), network(now, before), network(now, before.flip(2))
    assert not torch.allclose(alone, pair, atol=1e-4)
    assert not torch.allclose(pair, turned, atol=1e-6)
    pooler = network.encoder.vit_pooler
    patches, earlier = torch.rand(2, 1, 256, 3, 4)
    with torch.inference_mode():
        change = pooler(patches, earlier)
        moved = pooler(patches.flip(3), earlier.flip(3)).flip(3)
    assert change.shape == patches.shape
    assert not torch.allclose(change, moved, atol=1e-4)  # where a patch lies is part of what is compared


def test_the_position_code_is_sines_and_cosines_of_row_and_column() -> None:
    code = position_code(3, 4, 8)
    assert code.shape == (12, 8)
    row, column = 2 * np.pi * 2 / 3, 2 * np.pi * 3 / 4  # the patch in row 2, column 3, counted from 1
    expected = [wave(angle / length) for angle in (row, column) for length in (1, 100) for wave in (np.sin, np.cos)]
    assert np.allclose(code[1 * 4 + 2], expected, atol=1e-5)
