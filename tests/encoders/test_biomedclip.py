from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from medveil.cohort import Cohort
from medveil.cohort.preprocess import resized_first
from medveil.encoders.loading import load_encoder
from medveil.encoders.published.libraries import library
from medveil.errors import InputError
from medveil.testing import check_encoder


def test_biomedclip_computes_what_open_clip_computes(biomedclip_folder: Path) -> None:
    open_clip = library("open_clip")
    encoder = load_encoder(str(biomedclip_folder))
    assert encoder.dim == 20
    settings = json.loads((biomedclip_folder / "open_clip_config.json").read_text())
    architecture = settings["model_cfg"]
    architecture["text_cfg"] |= {"hf_model_name": str(biomedclip_folder / "bert"), "hf_model_pretrained": False}
    model = open_clip.CustomTextCLIP(**architecture).eval()
    open_clip.load_checkpoint(model, str(biomedclip_folder / "open_clip_pytorch_model.bin"))
    tokenizer = open_clip.get_tokenizer(f"local-dir:{biomedclip_folder}")
    texts = ["Lungs clear.", "no effusion", "heart size normal " * 200]
    image = np.random.default_rng(5).integers(0, 256, (200, 200)).astype(np.uint8)
    mean, spread = (np.array(settings["preprocess_cfg"][key])[:, None, None] for key in ("mean", "std"))
    pixels = torch.tensor((resized_first(160, image)[None] / 255 - mean) / spread, dtype=torch.float32)[None]
    with torch.inference_mode():
        read = model.encode_text(tokenizer(texts), normalize=True).numpy()
        seen = model.encode_image(pixels, normalize=True).numpy()
    assert np.allclose(encoder.encode_reports(texts), read, atol=1e-5)
    assert np.allclose(encoder.encode_images([image]), seen, atol=1e-5)


def test_it_reads_256_tokens_and_no_more(biomedclip_folder: Path) -> None:
    encoder = load_encoder(str(biomedclip_folder))
    start = "clear " * 253  # and [CLS], [SEP]
    whole, cut = encoder.encode_reports([start + "heart", start + "heart size normal"])
    assert np.allclose(whole, cut, atol=1e-6)
    assert len(set(encoder.readings([start + "heart", start + "heart size normal", start]))) == 2
    assert not np.allclose(*encoder.encode_reports([start + "heart", start + "left"]), atol=1e-6)


def test_it_passes_the_public_check(biomedclip_folder: Path, hospital: Cohort) -> None:
    check_encoder(load_encoder(str(biomedclip_folder)), hospital)


def test_safetensors_are_read_too_and_wrong_weights_are_refused(biomedclip_folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(biomedclip_folder, tmp_path / "copy"))
    tensors = torch.load(copy / "open_clip_pytorch_model.bin", weights_only=True)
    (copy / "open_clip_pytorch_model.bin").unlink()
    with pytest.raises(InputError, match="holds no weights"):
        load_encoder(str(copy))
    save_file(tensors, copy / "open_clip_model.safetensors")
    texts = ["no effusion"]
    expected = load_encoder(str(biomedclip_folder)).encode_reports(texts)
    assert np.array_equal(load_encoder(str(copy)).encode_reports(texts), expected)
    del tensors["visual.head.proj.weight"]
    save_file(tensors, copy / "open_clip_model.safetensors")
    with pytest.raises(InputError, match="whole open_clip model"):
        load_encoder(str(copy))


def test_code_that_came_with_a_model_is_not_run(biomedclip_folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(biomedclip_folder, tmp_path / "copy"))
    (copy / "evil.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\nclass Evil: ...\n")
    told = json.loads((copy / "tokenizer_config.json").read_text())
    told |= {"tokenizer_class": "Evil", "auto_map": {"AutoTokenizer": ["evil.Evil", None]}}
    (copy / "tokenizer_config.json").write_text(json.dumps(told))
    settings = json.loads((copy / "open_clip_config.json").read_text())
    settings["model_cfg"]["text_cfg"]["tokenizer_kwargs"] = {"trust_remote_code": True}
    (copy / "open_clip_config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match="whole open_clip model"):
        load_encoder(str(copy))
    assert not (tmp_path / "sprung").exists()


def test_no_name_in_a_folder_leads_to_the_network(
    biomedclip_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **_: asked.append(address) or [])
    load_encoder(str(biomedclip_folder))
    copy = Path(shutil.copytree(biomedclip_folder, tmp_path / "copy"))
    settings = json.loads((copy / "open_clip_config.json").read_text())
    settings["model_cfg"]["vision_cfg"]["timm_model_name"] = "hf-hub:an-owner/a-network"
    (copy / "open_clip_config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match="whole open_clip model"):
        load_encoder(str(copy))
    assert not asked
