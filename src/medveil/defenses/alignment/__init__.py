"""The projection heads of a vision-language model, trained so that images and reports of a patient link less.

Start with `AlignmentDefense` in `defense`; `training` does its work on cached `feature_pairs`, one of the `steps` at a
time, as the `settings` say. `accounting`, `group_privacy`, `ledger` and `coupling` keep the books of differential
privacy, `guarantee` puts what they prove into words. `baselines` are the ways that train nothing.
"""
