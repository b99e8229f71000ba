"""How the bundled lung network was trained: `recipe` draws, trains and evaluates, `card` writes the card."""
