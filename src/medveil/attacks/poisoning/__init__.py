"""Poisoning: what a site that takes part can do to the model of all.

`data` changes what the site trains on: labels turned round, or a mark that is to mean a finding. `updates` changes what
it sends: too much of it, and in the wrong direction.
"""
