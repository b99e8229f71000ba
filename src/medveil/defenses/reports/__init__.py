"""Free text: what identifies somebody is found, and something else written in its place.

Start with `cleaner.ReportCleaner`. `finding` brings the finders together: `rules` for each family of identifier and the
`tagger` make a `proposal` each, one scorer (`scoring`) decides, `whole_spans` gives each its full length, and `merging`
makes one list of theirs and of the search for what is known of the person. A `draft` has surrogates in their place and
is searched again until nothing known is found in it; `rewriter` writes it anew without gaps, `rewriting` does so with a
user's own model. `formats` are the files that texts come in, `defense` is the part that a release calls.
"""
