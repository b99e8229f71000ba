"""The tagger: a small network that reads a text word by word and says which words identify somebody."""

HOLDS_PARTS = False  # it serves `clean-reports`; looking for parts in here would load torch
