"""The film of a vision transformer out of its gradient, without any search (Lu et al., 2022).

The gradient of the places' embedding is that of what goes into the first block, place by place, and the gradient of the
first layer is its product with the patches of the film: a linear system with as many equations as the model is wide.
With one film in the step it has one solution. With several the sum is solved, and a mixture of films comes out. Where
numbers are in doubt, as after undoing an optimiser's step, each equation counts by how sure it is.
"""

from __future__ import annotations

import torch
from torch import Tensor

_FLOOR = 1e-3  # of the usual size of a number: nothing is surer


def film_of_patches(
    first_layer: Tensor, places: Tensor, *, layer_doubt: Tensor | None = None, place_doubt: Tensor | None = None
) -> Tensor:
    """A film (side × side), up to brightness and contrast, of the gradients of the first layer (width × 1 × patch ×
    patch) and of the places' embedding (places × width, in rows of the film); doubts have the same shapes."""
    patch, count = first_layer.shape[-1], len(places)
    across = round(count**0.5)
    if across**2 != count:
        raise ValueError("the places of a square film are a square number")
    system, told = places.T.double().cpu(), first_layer.flatten(1).double().cpu()
    if layer_doubt is None or place_doubt is None:
        pixels = torch.linalg.lstsq(system, told, driver="gelsd").solution
    else:
        spread = layer_doubt.flatten(1).double().cpu() ** 2 + (place_doubt.double().cpu() ** 2).sum(0)[:, None]
        sure = (spread + (_FLOOR * told.abs().median()) ** 2 + 1e-60).rsqrt().T  # pixels of a patch × width
        scaled, right = system[None] * sure[:, :, None], (told.T * sure)[:, :, None]
        pixels = torch.linalg.lstsq(scaled, right, driver="gelsd").solution[:, :, 0].T
    return pixels.reshape(across, across, patch, patch).permute(0, 2, 1, 3).reshape(across * patch, -1).float()
