"""Searching a text for what is known of a person, however it is written."""
