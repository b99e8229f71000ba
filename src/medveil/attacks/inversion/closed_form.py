"""The film of a vision transformer out of its gradient, without any search (Lu et al., 2022).

The gradient of the places' embedding is that of what goes into the first block, place by place, and the gradient of the
first layer is its product with the patches of the film: a linear system with as many equations as the model is wide.
With one film in the step it has one solution. With several the sum is solved, and a mixture of films comes out.
"""

from __future__ import annotations

import torch
from torch import Tensor


def film_of_patches(first_layer: Tensor, places: Tensor) -> Tensor:
    """A film (side × side), up to brightness and contrast, of the gradients of the first layer (width × 1 × patch ×
    patch) and of the places' embedding (places × width, in rows of the film)."""
    patch, count = first_layer.shape[-1], len(places)
    across = round(count**0.5)
    if across**2 != count:
        raise ValueError("the places of a square film are a square number")
    pixels = torch.linalg.lstsq(places.T.double().cpu(), first_layer.flatten(1).double().cpu(), driver="gelsd").solution
    return pixels.view(across, across, patch, patch).permute(0, 2, 1, 3).reshape(across * patch, across * patch).float()
