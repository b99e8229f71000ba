"""How the bundled text detector was trained: `recipe` trains its two networks, `calibration` packs them, `card` tells.

`backgrounds` and `strokes` gather what `rendering` and `composing` make training images of; `devices` draws what is no
text; `writing` writes on films what detection and removal are measured on.

The network that weighs what the detector proposes has its own: `evidence_proposals` gathers what `evidence_recipe`
learns from, on films that `evidence_films` names and `evidence_writing` writes on; `evidence_card` tells.
"""
