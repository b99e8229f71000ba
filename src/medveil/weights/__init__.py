"""Small bundled models, each with a card."""
