"""medveil answers one question about chest X-rays and their reports: can this be released?

`release` is where it all comes together. What is protected is read by `cohort`, who is protected is told by `person`;
`defenses`, `attacks` and `utility` hold the parts that `parts` describes: a defense changes a subject, an attack and a
measure return a `finding`. `report` prints what came of it.
"""

__version__ = "0.1.0"
