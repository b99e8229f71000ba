"""Flower's own secure aggregation (SecAgg+) at work: its code in every site, and a server that keeps what it sees.

The server here follows the protocol to the letter, or asks every site for both shares of everybody at the end, which
Flower's clients do not refuse. Nothing is changed in what a site does.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.secure_sum.mersenne import Words
from medveil.errors import SettingsError

CLIPPED, MOST, MODULUS, HEAVIEST = 8.0, 1 << 22, 1 << 32, 1000.0  # Flower's defaults
Update = NDArray[np.float32]


@dataclass(frozen=True)
class View:
    """What the server has at the end.

    `masked`: each site's vector, as one row of numbers; `weights`: how much each counts, which is told in the clear;
    `own`: the seeds of each site's own mask, unless it is off already; `pairwise`: those of the masks between sites,
    where it could compute them.
    """

    masked: Mapping[int, Words] = field(repr=False)
    weights: Mapping[int, int]
    own: Mapping[int, int] = field(repr=False)
    pairwise: Mapping[tuple[int, int], int] = field(repr=False)

    def between(self, site: int) -> Words:
        """A site's vector without its own mask: the update and the masks between sites are left."""
        if site not in self.own:
            return self.masked[site]
        return self.masked[site] - drawn(self.own[site], len(self.masked[site]))


def drawn(seed: int, count: int) -> Words:
    """Flower's mask: one number alone, then the rest, which is the same as all in a row."""
    return np.random.RandomState(seed).randint(0, MODULUS - 1, count, dtype=np.int64).astype(np.uint32)


def folded(key: bytes) -> int:
    """Flower's seed: four bytes of a key after the other, by exclusive or."""
    seed = 0
    for start in range(0, len(key), 4):
        seed ^= int.from_bytes(key[start : start + 4], "little")
    return seed


def aggregated(updates: Sequence[Update], examples: Sequence[int], *, both: bool = False, lost: int = 0) -> View:
    """One round; with `both` the server asks for both shares of everybody. The last `lost` sites send no update."""
    flower = _flower()
    sites = {
        number: _StockSite(number, *one, flower) for number, one in enumerate(zip(updates, examples, strict=True), 1)
    }
    key, stage = flower.Key, flower.Stage
    plan = {
        key.SAMPLE_NUMBER: len(sites),
        key.SHARE_NUMBER: len(sites),
        key.THRESHOLD: max(2, len(sites) - max(1, lost)),
        key.CLIPPING_RANGE: CLIPPED,
        key.TARGET_RANGE: MOST,
        key.MOD_RANGE: MODULUS,
        key.MAX_WEIGHT: HEAVIEST,
    }
    keys = {name: site.asked(stage.SETUP, plan) for name, site in sites.items()}
    public = {str(name): [one[key.PUBLIC_KEY_1], one[key.PUBLIC_KEY_2]] for name, one in keys.items()}
    sealed: dict[int, dict[int, bytes]] = {name: {} for name in sites}
    for name, site in sites.items():
        told = site.asked(stage.SHARE_KEYS, public)
        for to, text in zip(told[key.DESTINATION_LIST], told[key.CIPHERTEXT_LIST], strict=True):
            sealed[to][name] = text
    masked, weights = {}, {}
    there = dict(list(sites.items())[: len(sites) - lost])
    for name, site in there.items():
        sent = {key.SOURCE_LIST: list(sealed[name]), key.CIPHERTEXT_LIST: list(sealed[name].values())}
        told = site.asked(stage.COLLECT_MASKED_VECTORS, sent)
        parts = [flower.bytes_to_ndarray(part) for part in told[key.MASKED_PARAMETERS]]
        masked[name] = np.concatenate([np.ravel(part) for part in parts]).astype(np.uint32)
        weights[name] = round(site.told_examples / HEAVIEST * MOST)
    lists = {key.ACTIVE_NODE_ID_LIST: list(sites), key.DEAD_NODE_ID_LIST: list(sites) if both else []}
    shares: dict[int, list[list[bytes]]] = {name: [] for name in sites}
    for site in there.values():
        told = site.asked(stage.UNMASK, lists)
        for owner in sites:
            at = [place for place, name in enumerate(told[key.NODE_ID_LIST]) if name == owner]
            shares[owner].append([told[key.SHARE_LIST][place] for place in at])
    own = {name: folded(flower.combine_shares([one[0] for one in held])) for name, held in shares.items()}
    pairwise = {}
    if both:
        private = {name: flower.combine_shares([one[1] for one in held]) for name, held in shares.items()}
        for one in sites:
            for other in sites:
                if one < other:
                    theirs = flower.bytes_to_public_key(public[str(other)][0])
                    shared = flower.generate_shared_key(flower.bytes_to_private_key(private[one]), theirs)
                    pairwise[one, other] = folded(shared)
    return View(masked, weights, own, pairwise)


class _StockSite:
    """One node with Flower's modifier around a training that returns a given update."""

    def __init__(self, number: int, update: Update, examples: int, flower: Any) -> None:
        self._flower, self._number = flower, number
        self._update, self._examples = update, examples
        self._context = flower.Context(1, number, {}, flower.RecordDict(), {})
        self.told_examples = 0

    def asked(self, stage: str, told: Mapping[str, Any]) -> Mapping[str, Any]:
        flower = self._flower
        record = flower.ConfigRecord(dict(told) | {flower.Key.STAGE: stage})
        content = flower.RecordDict({flower.RECORD_KEY_CONFIGS: record})
        message = flower.make_message(metadata=self._envelope(), content=content)
        reply = flower.secaggplus_mod(message, self._context, self._trained)
        if stage == flower.Stage.COLLECT_MASKED_VECTORS:
            self.told_examples = flower.recorddict_to_fitres(reply.content, True).num_examples
        return dict(reply.content.config_records[flower.RECORD_KEY_CONFIGS])

    def _envelope(self) -> Any:
        train = self._flower.MessageType.TRAIN
        return self._flower.Metadata(1, "", 1, self._number, "", "1", time.time(), 3600.0, train)

    def _trained(self, message: Any, context: Any) -> Any:
        flower = self._flower
        parameters = flower.ndarrays_to_parameters([self._update])
        result = flower.FitRes(flower.Status(flower.Code.OK, ""), parameters, self._examples, {})
        return flower.Message(flower.fitres_to_recorddict(result, False), reply_to=message)


def _flower() -> Any:
    """What is needed of Flower: it is an extra, and takes seconds to import."""
    os.environ["FLWR_TELEMETRY_ENABLED"] = "0"  # before the import, or it calls home
    try:
        found = {name: getattr(import_module(module), name) for module, names in _NEEDED.items() for name in names}
    except ImportError as missing:
        raise SettingsError("this attack tries Flower's own code; install medveil[federated]") from missing
    return SimpleNamespace(**found)


_SUMS = "flwr.common.secure_aggregation"
_NEEDED = {
    "flwr.app": ("ConfigRecord", "Context", "Message", "Metadata", "RecordDict"),
    "flwr.app.message": ("make_message",),
    "flwr.app.message_type": ("MessageType",),
    "flwr.client.mod.secure_aggregation.secaggplus_mod": ("secaggplus_mod",),
    "flwr.common": ("Code", "FitRes", "Status", "bytes_to_ndarray", "ndarrays_to_parameters"),
    f"{_SUMS}.crypto.shamir": ("combine_shares",),
    f"{_SUMS}.crypto.symmetric_encryption": ("generate_shared_key",),
    f"{_SUMS}.secaggplus_constants": ("RECORD_KEY_CONFIGS", "Key", "Stage"),
    "flwr.compat.common.recorddict_compat": ("fitres_to_recorddict", "recorddict_to_fitres"),
    "flwr.supercore.primitives.asymmetric": ("bytes_to_private_key", "bytes_to_public_key"),
}
