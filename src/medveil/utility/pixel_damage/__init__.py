"""A measure: what cleaning did to the films themselves, told without an answer key.

`film` compares one film with its original, `damage` sums up all of them, `pictures` shows the worst, and `measure` is
the part that a release runs; the check of an output uses the first two.
"""
