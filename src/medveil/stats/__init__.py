"""Ranks, resampling and intervals: pure functions on arrays.

`estimate` is what every number leaves the package as, `bootstrap` and `shares` put intervals around it. `ranks`,
`pools` and `retrieval` are for finding things, `verification` and `auc` for telling two kinds apart, `privacy_audit`
for what differential privacy allows. The fast loops below them are in `kernels`.
"""
