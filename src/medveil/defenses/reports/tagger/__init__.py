"""The tagger: a small network that finds identifiers by how a text is written.

Start with `tagger.Tagger`: texts in, a `TaggedText` each out. A text becomes `tokens`, a word its `word_features`
(once: `word_cache`), the `network` is run by `inference`, and `decoding` makes spans of what it says.
"""
