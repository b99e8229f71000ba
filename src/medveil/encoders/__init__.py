"""Models that turn images and reports into vectors.

Start at `encoder`: what an encoder is, and `load_encoder` to get one by name. `extraction` takes a whole cohort through
one, `vectors` keeps what comes out on disk. `published` holds what models of the hub share; `identity` is the network
that recognises patients, `findings` the one that tells what a film shows.
"""
