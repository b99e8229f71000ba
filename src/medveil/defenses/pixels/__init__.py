"""Burned-in text: find it, cover it, look again."""
