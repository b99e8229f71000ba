from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from medveil.encoders.loading import load_encoder
from medveil.encoders.published.libraries import library
from medveil.encoders.published.model_folder import license_of
from medveil.errors import InputError, SettingsError
from medveil.parts import registered


def test_the_published_models_are_known_by_name() -> None:
    known = registered("encoders")
    assert {"clip", "pubmedclip", "biomedclip", "biovil-t", "medveil-small"} <= set(known)
    assert [known[name].dim for name in ("clip", "pubmedclip", "biomedclip", "biovil-t")] == [512, 512, 512, 128]
    assert all(part.__doc__ for part in known.values())


def test_an_unknown_name_is_told_with_the_choices(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no encoder called clop; choose one of .*biovil-t"):
        load_encoder("clop")
    with pytest.raises(InputError, match="holds no model medveil can read"):
        load_encoder(str(tmp_path))
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(InputError, match="holds no model medveil can read"):
        load_encoder(str(tmp_path))
    (tmp_path / "config.json").write_text("[")
    with pytest.raises(InputError, match="not readable JSON"):
        load_encoder(str(tmp_path))


def test_a_device_that_is_not_there_is_refused() -> None:
    with pytest.raises(SettingsError, match="device nonsense cannot be used"):
        load_encoder("clip", device="nonsense")


def test_a_missing_library_is_told_with_how_to_install_it() -> None:
    with pytest.raises(SettingsError, match=r'no_such_library is needed .* `pip install "medveil\[vlm\]"`'):
        library("no_such_library.inner")


@pytest.mark.parametrize(
    ("card", "terms"),
    [
        ("---\nlicense: mit\n---\n", "mit"),
        ("---\ntags:\n- a\nlicense: cc-by-nc-4.0\n---\n", "cc-by-nc-4.0"),
        ("# Model\nlicense: mit\n", "not stated"),
        ("---\ntags: a\n---\nlicense: mit\n", "not stated"),
    ],
)
def test_the_licence_is_what_the_card_says(tmp_path: Path, card: str, terms: str) -> None:
    (tmp_path / "README.md").write_text(card)
    assert license_of(tmp_path) == terms


def test_a_torchvision_that_does_not_fit_is_made_importable_and_help_stays_light() -> None:
    code = """
import sys, warnings
warnings.simplefilter("error")
from medveil.encoders.loading import load_encoder
assert "torch" not in sys.modules and "transformers" not in sys.modules
from medveil.encoders.published.libraries import library
library("transformers").CLIPModel
"""
    subprocess.run([sys.executable, "-c", code], check=True)
