"""Singling out by what the table says of a person."""
