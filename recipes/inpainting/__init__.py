"""How the bundled generator was trained: `recipe` prepares, trains and evaluates, `card` writes the card."""
