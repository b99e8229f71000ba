"""How the bundled tagger was trained: `recipe` prepares and trains, `card` writes what is told of the result.

`corpus` writes the texts it learns from, `start` gathers what it starts with, `training` is the loop.
"""
