"""How the bundled answer model was made: `recipe` prepares, chooses, trains and evaluates, `card` writes the card."""
