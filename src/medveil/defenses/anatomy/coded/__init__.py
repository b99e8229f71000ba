"""Films re-made from a code of a few bits: start at `method`.

`semantics` says what a film shows, `codebook` puts that into bits, `generator` draws a film from the code and fresh
randomness, `bound` says what nobody can do better than, `known_films` refuses films that the generator has learned
from.
"""
