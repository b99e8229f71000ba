"""Free text."""
