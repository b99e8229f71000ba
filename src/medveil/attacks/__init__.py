"""What an adversary gains: one folder an attack, `attack.py` its entrance.

`identity` recognises people in X-rays, `linkage` links X-rays to reports, `refit` learns that from other patients;
`pixel_similarity` and `singling_out` are the least that anybody will try. `membership` attacks a model instead of data;
`inversion`, `poisoning` and `secure_sum` attack what sites send when they train one together. Every attack on data
returns a `Finding` with a control beside it; `medveil.parts` says what an attack must offer.
"""
