"""Invented clinical texts with every identifier's place known: what the tagger learns from.

Start with `generator.document`: a number in, a text out. `documents` knows the kinds of text and writes them from the
templates in `lists`; `visit` has the patient, staff, place and time that fill them; `noise` spoils the result as
typists and scanners do.
"""
