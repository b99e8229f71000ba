"""Searching a text for what is known of a person, however it is written.

Start with `known.KnownSearch`, which asks `names` (with initials) and `numbers`; a name that is also one of the
`ordinary_words` counts only where it stands among names.
"""
