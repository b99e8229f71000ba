"""Burned-in text: find it, read it, decide what may stay, paint over the rest, look again.

Start at `removal`: its `TextRemover` goes through the rooms in that order, and `residual` looks again. `defense` offers
it to a release. A `Line` (`lines`) is what they hand one another.
"""
