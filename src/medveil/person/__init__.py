"""Who is protected: people, what is known of them, and what is written in its place.

Start with `person.Person`: a patient, the site's `keys`, and everything `Known` of them. `search` finds what is known
in a text, however it is written; `surrogates` gives what to write instead. Both speak of a text in `Span`s of a
`Category` of identifier, compare words as `normalised` has them, and read dates by `written_dates`.
"""
