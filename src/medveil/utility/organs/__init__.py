"""Do the organs still lie where they lay? Start at `measure` for a cohort, at `segmenter` and `overlap` for arrays."""
