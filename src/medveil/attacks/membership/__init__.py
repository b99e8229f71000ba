"""Membership: does a released model tell who was in its training data?

`run` is the entrance. A model answers to each patient with `signals`; `scores` makes guesses of them by thresholds,
LiRA and RMIA, `success` says how often those are right, beside the `limits` that differential privacy sets. `blind`
guesses without any model, and `remembering` shows on a model that surely remembers that the attack could have
succeeded.
"""
