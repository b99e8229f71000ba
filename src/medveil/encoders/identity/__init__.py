"""Identity networks: do two radiographs show the same person?

Start at `embedder` (a vector an image, compared by inner product) or `verifier` (the probability that a pair is one
person); both load the bundled networks. `networks` builds them, `training` trains them.
"""
