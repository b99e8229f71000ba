"""Adversaries who learn: how well people are recognised in films that a defense has changed.

`attackers` is the entrance: four attackers look at `films`, of which each has its original and what became of it. Two
look as they are (`recognisers`); one is `retrained` on defended films of other patients, one learns from them to
undo the change (`restoration`). `matching` tells whom they found, `attacked` what that comes to.
"""

FILMS_AND_ROWS = "precision@1 by films and rows together"  # an estimate that is told beside what is judged
