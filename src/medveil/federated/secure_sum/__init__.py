"""Sums that show no summand: each site's update is masked, and the masks cancel out in the sum alone.

The protocol is that of Bonawitz et al. (2017) against a server that may lie: keys are signed by the sites' own, masks
come from AES in counter mode, what a lost site leaves behind is recovered by shares, and no site helps to unmask before
enough others have signed the same list. `site` and `server` are the two sides, `messages` what passes between them.
"""
