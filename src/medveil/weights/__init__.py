"""Small bundled networks, one folder each with its card. Start at `bundled`, which knows where each one lies."""
