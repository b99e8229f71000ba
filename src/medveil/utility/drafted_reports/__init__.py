"""Do films still say what their reports say? Start at `measure` for a cohort, at `drafting` for arrays.

`words` turns reports into words, `drafter` is the small network that writes them from a film, `bleu` compares.
"""
