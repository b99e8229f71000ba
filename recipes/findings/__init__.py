"""How the bundled findings network was trained: `recipe` prepares, trains and evaluates, `card` writes the card."""
