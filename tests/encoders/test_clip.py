from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from medveil.cohort import Cohort
from medveil.cohort.preprocess import PIPELINES, resized_first
from medveil.encoders.clip.model import CLIP_MEAN, CLIP_SPREAD
from medveil.encoders.loading import load_encoder
from medveil.encoders.published.libraries import library
from medveil.encoders.published.two_towers import Scaling
from medveil.errors import InputError
from medveil.testing import check_encoder

TEXTS = ["no acute disease", "heart size is normal . lungs are clear"]


@pytest.fixture(scope="module")
def images() -> list[Any]:
    rng = np.random.default_rng(4)
    return [rng.integers(0, 4096, shape).astype(np.uint16) for shape in ((300, 250), (224, 224), (500, 600))]


def unit(vectors: Any) -> Any:
    return torch.nn.functional.normalize(vectors, dim=1).numpy()


def test_images_are_prepared_as_in_the_paper(images: list[Any]) -> None:
    for image in images:
        assert np.array_equal(resized_first(224, image), PIPELINES["linkage-224"](image))
        assert resized_first(64, image).shape == (64, 64)
    gray = np.array([[0, 51], [102, 255]], np.uint8)
    scaled = Scaling(2, (0.1, 0.2, 0.3), (0.5, 1.0, 2.0)).apply([gray], "cpu").numpy()
    assert np.allclose(scaled[0, 0], [[-0.2, 0.2], [0.6, 1.8]])
    assert np.allclose(scaled[0, 2], [[-0.15, -0.05], [0.05, 0.35]])


def test_clip_computes_what_transformers_computes(clip_folder: Path, images: list[Any]) -> None:
    transformers = library("transformers")
    encoder = load_encoder(str(clip_folder))
    assert (encoder.name, encoder.dim, encoder.license) == ("tiny-clip", 12, "apache-2.0")
    model = transformers.CLIPModel.from_pretrained(clip_folder).eval()
    tokenizer = transformers.CLIPTokenizer.from_pretrained(clip_folder)
    pixels = []
    for image in images:
        small = cv2.resize(image.astype(np.float32), (224, 224), interpolation=cv2.INTER_AREA)
        small = cv2.equalizeHist(((small - small.min()) / (small.max() - small.min()) * 255).astype(np.uint8))
        pixels.append([(small / 255 - mean) / spread for mean, spread in zip(CLIP_MEAN, CLIP_SPREAD, strict=True)])
    with torch.inference_mode():
        seen = model.get_image_features(pixel_values=torch.tensor(np.array(pixels), dtype=torch.float32))
        read = [model.get_text_features(**tokenizer(text, return_tensors="pt")).pooler_output for text in TEXTS]
    assert np.allclose(encoder.encode_images(images), unit(seen.pooler_output), atol=2e-3)  # a gray level may round
    assert np.allclose(encoder.encode_reports(TEXTS), unit(torch.cat(read)), atol=1e-5)


def test_clip_reads_77_tokens_and_no_more(clip_folder: Path) -> None:
    encoder = load_encoder(str(clip_folder))
    start, cut = "a " * 75, "a " * 74
    assert np.allclose(*encoder.encode_reports([start + "b", start + "c d e"]), atol=1e-6)
    assert len(set(encoder.readings([start + "b", start + "c d e", cut]))) == 2
    assert not np.allclose(*encoder.encode_reports([cut + "b", cut + "c"]), atol=1e-4)


def test_siglip_fills_texts_to_its_full_length(siglip_folder: Path, images: list[Any]) -> None:
    transformers = library("transformers")
    encoder = load_encoder(str(siglip_folder))
    assert (encoder.dim, encoder.license) == (16, "not stated")
    model = transformers.SiglipModel.from_pretrained(siglip_folder).eval()
    tokens = torch.zeros((2, 10), dtype=torch.long)  # <pad> is 0
    tokens[0, :2] = torch.tensor([3, 4])  # lungs clear
    tokens[1] = torch.tensor([5, 6] * 5)  # no effusion no effusion …, cut
    pixels = (np.stack([resized_first(64, image) for image in images])[:, None] / 255 - 0.4) / 0.2
    with torch.inference_mode():
        read = model.get_text_features(input_ids=tokens).pooler_output
        seen = model.get_image_features(pixel_values=torch.tensor(pixels, dtype=torch.float32).expand(-1, 3, -1, -1))
    assert np.allclose(encoder.encode_reports(["lungs clear"]), unit(read)[:1], atol=1e-5)
    assert np.allclose(encoder.encode_reports(["no effusion " * 9]), unit(read)[1:], atol=1e-5)
    assert np.allclose(encoder.encode_images(images), unit(seen.pooler_output), atol=1e-5)


def test_the_encoders_pass_the_public_check(clip_folder: Path, siglip_folder: Path, hospital: Cohort) -> None:
    check_encoder(load_encoder(str(clip_folder)), hospital)
    check_encoder(load_encoder(str(siglip_folder)), hospital)


@pytest.fixture
def copy(clip_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(clip_folder, tmp_path / "copy"))


def test_weights_that_are_not_all_there_are_refused_not_drawn_at_random(copy: Path) -> None:
    tensors = load_file(copy / "model.safetensors")
    lost = next(name for name in tensors if "text_projection" in name)
    save_file({name: value for name, value in tensors.items() if name != lost}, copy / "model.safetensors")
    with pytest.raises(InputError, match="are not those of the model"):
        load_encoder(str(copy))
    save_file(tensors | {"one.too.many": torch.zeros(1)}, copy / "model.safetensors")
    with pytest.raises(InputError, match="are not those of the model"):
        load_encoder(str(copy))
    (copy / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(InputError, match="whole clip model"):
        load_encoder(str(copy))


def test_the_fingerprint_follows_the_content_not_the_place(clip_folder: Path, copy: Path) -> None:
    original = load_encoder(str(clip_folder)).fingerprint
    assert load_encoder(str(copy)).fingerprint == original
    tensors = load_file(copy / "model.safetensors")
    save_file(tensors | {"logit_scale": tensors["logit_scale"] + 1}, copy / "model.safetensors")
    changed = load_encoder(str(copy)).fingerprint
    (copy / "preprocessor_config.json").write_text(json.dumps({"image_mean": [0.5] * 3, "image_std": [0.5] * 3}))
    assert len({original, changed, load_encoder(str(copy)).fingerprint}) == 3


def test_a_pickle_in_place_of_weights_is_not_run(copy: Path, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "sprung",))

    (copy / "model.safetensors").unlink()
    torch.save({"trap": Trap()}, copy / "pytorch_model.bin")
    with pytest.raises(InputError, match="whole clip model"):
        load_encoder(str(copy))
    assert not (tmp_path / "sprung").exists()
