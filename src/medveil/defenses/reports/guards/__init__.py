"""What becomes of the tagger's findings before they count: a network has no sense of what cannot be.

Start with `filtering.kept_by_guards`: eponyms, devices and `measurements` go, and what is left of a name or a number
grows to its whole (`completion`).
"""
