"""A torchvision whose compiled part does not fit the installed torch, made importable.

transformers and open_clip import torchvision where they find it, and that fails on the names of two operators. No
model here calls them: that they are declared is enough.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

OPERATORS = ("nms", "qnms")
SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


@cache
def declare_missing_operators() -> object | None:
    """Call before transformers or open_clip is imported; does nothing where torchvision is absent or whole."""
    import torch

    spec = find_spec("torchvision")
    if "torchvision" in sys.modules or spec is None or spec.origin is None:
        return None
    compiled = Path(spec.origin).with_name("_C.so")
    if not compiled.exists():
        return None
    try:
        torch.ops.load_library(compiled)  # type: ignore[no-untyped-call]
    except OSError:
        library = torch.library.Library("torchvision", "DEF")  # type: ignore[no-untyped-call]
        for operator in OPERATORS:
            library.define(operator + SIGNATURE)  # type: ignore[no-untyped-call]
        return library  # the declarations live as long as this object, which the cache keeps
    return None
