"""What the data is still good for: `label_probe` asks it of images, `linear_probe` of embeddings.

`diagnosis`, `organs` and `drafted_reports` ask it of films whose anatomy was hidden: findings, outlines, reports.
`film_rows` chooses the films that they look at. `pixel_damage` measures what cleaning did to the films, with the help
of `lungs` (where they lie) and of `encoders.findings` (how likely each finding is).
"""
