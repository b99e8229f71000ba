"""A small reader of burned-in text: what a strip says, and how sure that is."""
