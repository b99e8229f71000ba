"""Burned-in text: find it, keep clinical markers, paint over the rest, look again."""
