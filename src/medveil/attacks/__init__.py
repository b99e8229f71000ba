"""What an adversary gains: one folder an attack, `attack.py` its entrance.

`identity` recognises people in X-rays, `linkage` links X-rays to reports, `refit` learns that from other patients;
`pixel_similarity` and `singling_out` are the least that anybody will try. `membership` attacks a model and `secure_sum`
a sum of updates instead of data. Every attack returns a `Finding` with a control beside it; `medveil.parts` says what
an attack must offer.
"""
