"""Do the organs still lie where they lay? Start at `segmenter` and `overlap`."""
