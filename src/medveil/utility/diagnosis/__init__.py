"""Is the diagnosis still in the films? Start at `measure` for a cohort, at `diagnosing` for arrays.

`films` holds films with what is known of them, `features` and `fine_tuning` are the two ways to learn from them, and
`comparison` says how well it went, paired by patient.
"""
