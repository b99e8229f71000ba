"""Chest radiographs drawn from a plan: start with `draw` in `drawing`.

`anatomy` is the body that belongs to a patient, `chest` that body under one visit's breath and findings, `pose` how it
stands before the detector. `soft_tissue`, `bones`, `vessels`, `pathology` and `devices` draw on a `canvas` with a
`brush`; `scanner` turns what attenuates the beam into a 12-bit image.
"""

from medveil.cohort.phantom.radiograph.drawing import Drawing, draw

__all__ = ["Drawing", "draw"]
