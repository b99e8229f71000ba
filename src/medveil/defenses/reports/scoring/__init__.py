"""Propose, then score: what the finders propose is kept or left by one scorer, from the evidence for and against it.

Start with `scorer.Scorer`; `evidence` is what it weighs, `measurements` tells numbers that measure something.
"""
