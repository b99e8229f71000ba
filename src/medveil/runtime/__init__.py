"""What everything runs on: workers that may crash, the run journal, files that appear whole, compiled networks.

Start at `workers.ordered_map`, which works through items on `processes` or on a Ray `cluster`. `journal` says what a
run has done already; `storage` and `locks` are for files; `compiled` runs a network.
"""
