"""Invented clinical texts with every identifier's place known: what the tagger learns from."""
