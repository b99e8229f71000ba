"""The optional libraries behind published models and clusters, imported only when one is used."""

from __future__ import annotations

import importlib
import logging
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from medveil.errors import SettingsError

IMPORTING_TORCHVISION = ("transformers", "open_clip")
OPERATORS = ("nms", "qnms")
SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


def library(name: str, *, extra: str = "vlm") -> Any:
    """The module, or one sentence that says how to install it."""
    if name in IMPORTING_TORCHVISION:
        declare_missing_operators()
    try:
        module = importlib.import_module(name)
    except ImportError:
        package = name.split(".")[0]
        raise SettingsError(f'{package} is needed and not installed; run `pip install "medveil[{extra}]"`') from None
    if name == "transformers":
        logging.getLogger("transformers").setLevel(logging.ERROR)  # what it warns of, medveil checks itself
        module.utils.logging.disable_progress_bar()
    return module


@cache
def declare_missing_operators() -> object | None:
    """Make a torchvision importable whose compiled part does not fit the installed torch.

    transformers and open_clip import torchvision where they find it, and that fails on the names of two operators. No
    model here calls them: that they are declared is enough. Does nothing where torchvision is absent or whole.
    """
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
