"""The optional libraries behind published models and clusters, imported only when one is used."""

from __future__ import annotations

import importlib
import logging
from typing import Any

from medveil.encoders.torchvision_operators import declare_missing_operators
from medveil.errors import SettingsError

IMPORTING_TORCHVISION = ("transformers", "open_clip")


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
