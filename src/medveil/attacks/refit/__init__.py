"""The refit attack: does a defense of the shared space remove the link between image and report, or only hide it?

`attack` is the entrance. The adversary has pairs of their own (`pairs`) and learns to link them, by `correlation` or by
contrast (`contrastive`); `refitting` takes the better way, and `cross_fit` does that on one cohort, half by half.
"""
