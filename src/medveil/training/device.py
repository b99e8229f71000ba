"""Where a network is trained or run: whether the device is there, how it lies in memory, and in which precision.

PyTorch is loaded only where it is needed: asking for the processor needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from medveil.errors import SettingsError

if TYPE_CHECKING:
    import torch
    from torch import nn

Given = TypeVar("Given", bound="nn.Module")


def check_device(device: str) -> None:
    """Refuse a device that is not here before anything is read."""
    if device == "cpu":
        return
    import torch

    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError):
        raise SettingsError(f"the device {device} cannot be used on this machine; use cpu") from None


def placed(network: Given, device: str) -> Given:
    """On the device, pixel by pixel in memory: the layout in which small convolutions are fastest."""
    import torch

    network.to(device)
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return network


def autocast(device: str) -> torch.autocast:
    """Sixteen bits (bfloat16) where an accelerator computes, full precision on the processor."""
    import torch

    kind = torch.device(device).type
    return torch.autocast(kind, torch.bfloat16, enabled=kind != "cpu")
