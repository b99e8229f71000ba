"""The tagger: a small network that reads a text word by word and says which words identify somebody."""
