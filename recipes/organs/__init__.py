"""How the bundled organ network was trained: `recipe` draws, trains and evaluates, `card` writes the card."""
