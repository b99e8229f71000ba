"""Free text: what identifies somebody is found, and something else written in its place.

Start with `cleaner.ReportCleaner`. Three find: `rules` for each family of identifier, the `tagger` (whose findings pass
`guards`), and the search for what is known of the person; `merging` makes one list of theirs. A `draft` has surrogates
in their place and is read again until nothing is found in it; `rewriting` is for models that write it anew. `formats`
are the files that texts come in, `defense` is the part that a release calls.
"""
