"""The linkage attack: can a radiograph be linked to its report?

`attack` is the entrance, `run` the whole way: pairs become vectors, `cases` says who competes with whom, and `audit`
measures every encoder (`measurement`, `control`), resamples (`estimates`, `subgroups`), looks beyond the cohort
(`extrapolation`) and reports it (`findings`, `figures`, `tables`).
"""
