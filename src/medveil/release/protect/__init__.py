"""Protecting what a vision-language model says: defenses of its heads, the attacks on them, and what they cost."""
