"""The file of a coded generator: the sampler, the head, the codebook, and fingerprints of the films it learned from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from medveil.defenses.anatomy.coded.codebook import Codebook, as_arrays, from_arrays
from medveil.defenses.anatomy.coded.generator import Sampler, Shape
from medveil.defenses.anatomy.coded.known_films import KnownFilms, Prints
from medveil.defenses.anatomy.coded.memorisation import refuse_memorised
from medveil.defenses.anatomy.coded.semantics import FIELDS, Head
from medveil.errors import InputError
from medveil.training.checkpoint import read_header, read_tensors, write_model
from medveil.weights.bundled import read_card

FORMAT = "medveil.coded/1"


@dataclass(frozen=True)
class Parts:
    """What a coded generator is made of, beside the autoencoder and the findings network."""

    sampler: Sampler
    head: Head
    codebook: Codebook
    known: KnownFilms


def save_coded(path: Path, sampler: Sampler, head: Head, codebook: Codebook, prints: Prints) -> None:
    tensors: dict[str, Tensor] = {}
    for name, network in (("sampler", sampler), ("head", head)):
        tensors |= {f"{name}.{key}": value for key, value in network.state_dict().items()}
    tensors |= {f"codebook.{key}": torch.from_numpy(np.asarray(array)) for key, array in as_arrays(codebook).items()}
    tensors["known"] = torch.from_numpy(np.ascontiguousarray(prints))
    architecture = {"shape": asdict(sampler.shape), "fields": list(FIELDS), "channels": head.inner.in_features}
    write_model(path, tensors, form=FORMAT, architecture=architecture)


def load_coded(path: Path) -> Parts:
    """Refused without an audit for memorised films in its card, or with one that found some."""
    refuse_memorised(read_card(path), path)
    try:
        told = read_header(path, form=FORMAT)
        if tuple(told["fields"]) != FIELDS:
            raise ValueError("other fields")
        shape = Shape(**{**told["shape"], "channels": tuple(told["shape"]["channels"])})
        tensors = read_tensors(path)
        sampler, head = Sampler(shape, len(FIELDS)), Head(int(told["channels"]))
        for name, network in (("sampler", sampler), ("head", head)):
            _fill(network, tensors, f"{name}.")
        arrays = {name: value.numpy() for name, value in _below(tensors, "codebook.").items()}
        return Parts(sampler, head, from_arrays(FIELDS, arrays), KnownFilms(tensors["known"].numpy()))
    except (ValueError, KeyError, TypeError, RuntimeError, IndexError):
        raise InputError(f"{path} is not a coded generator of this version; train it again or restore it") from None


def _below(tensors: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    return {key.removeprefix(name): value for key, value in tensors.items() if key.startswith(name)}


def _fill(network: nn.Module, tensors: dict[str, Tensor], name: str) -> None:
    network.load_state_dict({key: value.float() for key, value in _below(tensors, name).items()})
