"""What the data is still good for: `label_probe` asks it of images, `linear_probe` of embeddings.

`pixel_damage` measures what cleaning did to the films, with the help of `lungs` (where they lie) and of
`encoders.findings` (how likely each finding is).
"""
