"""Attackers fitted to the data at hand: pairs of one half of the patients teach them, the other half is attacked.

Start at `cross_fit`. What images and reports look like before anybody learned a link is in `views`; `heads` learns
which directions of both go together, `classifier` which findings a film shows, and `fusion` how much to trust each.
"""
