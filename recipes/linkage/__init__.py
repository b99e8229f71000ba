"""How the bundled image-report encoder was trained: `recipe` draws, trains and evaluates, `card` writes the card."""
