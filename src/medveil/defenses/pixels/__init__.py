"""Burned-in text: find it, keep clinical markers, paint over the rest, look again."""

HOLDS_PARTS = False  # looking for parts in here would load torch; `remove-text` stands beside it
