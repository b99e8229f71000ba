"""DCM-DeID: block what identifies in a film, and let a diffusion model fill it in from what the film means.

Start at `method`. `recogniser` and `blocking` say where identity lies, `codes` parts meaning from identity, and
`synthesis` makes the new film; `training` trains what they need.
"""
