"""Models of the Hugging Face hub: which of their files are fetched, and where they lie. Nothing of theirs is run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from medveil.encoders.published.libraries import library
from medveil.errors import SettingsError

SMALL = (".json", ".txt", ".model", ".jinja")  # settings, vocabularies, how a model is asked
WEIGHTS = (".safetensors", ".bin", ".pt")
_SHARD = re.compile(r"-\d+-of-\d+$")


def fetch(repository: str) -> Path:
    """The folder with the model's files: fetched now, or before if the hub cannot be reached."""
    hub, errors, httpx = library("huggingface_hub"), library("huggingface_hub.errors"), library("httpx")
    try:
        files = hub.HfApi().list_repo_files(repository)
        return Path(hub.snapshot_download(repository, allow_patterns=sorted(needed(files))))
    except (errors.RepositoryNotFoundError, errors.HFValidationError):
        raise SettingsError(
            f"the hub has no model {repository} that may be read from here; check the name (or the path, if a folder "
            "was meant), or sign in"
        ) from None
    except (OSError, httpx.HTTPError):  # offline, unreachable, refused
        return _fetched_before(repository)


def _fetched_before(repository: str) -> Path:
    hub = library("huggingface_hub")
    try:
        return Path(hub.snapshot_download(repository, local_files_only=True))
    except OSError:
        raise SettingsError(
            f"the model {repository} is not on this machine and the hub cannot be reached; "
            "fetch it elsewhere and give its folder"
        ) from None


def needed(files: Iterable[str]) -> set[str]:
    """The files of the top folder a model is read from; safetensors instead of pickled weights where both are there."""
    top = {file for file in files if "/" not in file}
    weights = {file for file in top if file.endswith(WEIGHTS)}
    safe = {_stem(file) for file in weights if file.endswith(".safetensors")}
    kept = {file for file in weights if file.endswith(".safetensors") or _stem(file) not in safe}
    return kept | {file for file in top if file.endswith(SMALL) or file == "README.md"}


def _stem(file: str) -> str:
    """What a file of weights is called in either format: model.safetensors stands for pytorch_model.bin."""
    return _SHARD.sub("", file.rsplit(".", 1)[0]).replace("pytorch_model", "model")
