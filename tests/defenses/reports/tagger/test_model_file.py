import pytest
import torch
from safetensors.torch import save

from medveil.defenses.reports.tagger.model_file import load_model, save_model
from medveil.errors import InputError
from medveil.weights.bundled import bundled, read_card


def test_what_is_saved_is_nearly_what_is_loaded(random_model, tmp_path):
    path = tmp_path / "tagger.safetensors"
    save_model(path, random_model.networks, random_model.vocabulary, sure=0.7)
    loaded = load_model(path)
    assert loaded.sure == 0.7
    assert loaded.vocabulary.pieces == random_model.vocabulary.pieces
    for network, other in zip(random_model.networks, loaded.networks, strict=True):
        for name, value in network.state_dict().items():
            assert torch.allclose(other.state_dict()[name], value, atol=0.02 * float(value.abs().max()))


def test_loading_twice_changes_nothing_more(random_model, tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    save_model(first, random_model.networks, random_model.vocabulary, sure=0.5)
    once = load_model(first)
    save_model(second, once.networks, once.vocabulary, sure=0.5)
    twice = load_model(second)
    for network, other in zip(once.networks, twice.networks, strict=True):
        for name, value in network.state_dict().items():
            assert torch.allclose(other.state_dict()[name], value, rtol=2e-3, atol=1e-6)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a model",
        save({"a": torch.zeros(2)}),
        save({"a": torch.zeros(2)}, {"format": "medveil.tagger/2", "model": "{}"}),
    ],
)
def test_other_files_are_refused(content, tmp_path):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a tagger"):
        load_model(path)


def test_the_bundled_file_is_small_and_has_its_card():
    assert bundled("tagger").stat().st_size <= 8_000_000
    assert read_card(bundled("tagger"))["licence"].startswith("Apache-2.0")
