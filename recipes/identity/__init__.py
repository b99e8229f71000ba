"""How the bundled identity models were trained: `recipe` trains and evaluates, `card` writes the cards.

`decision` makes a verifier of a trained retrieval network.
"""
