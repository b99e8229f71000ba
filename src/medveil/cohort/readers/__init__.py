"""Data sets in layouts of their own: each reader recognises its folder and brings it into a cohort."""

from __future__ import annotations

from medveil.cohort.readers import (  # noqa: F401 - importing registers them
    chexpert,
    chexpert_plus,
    covid19,
    fundus_vessels,
    mimic_cxr,
    nih14,
    odir,
    openi,
    r2gen,
)
from medveil.cohort.readers.registry import Progress, Reader, readers, register

__all__ = ["Progress", "Reader", "readers", "register"]
