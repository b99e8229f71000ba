"""How the bundled identity models were trained: `recipe` trains and evaluates, `card` writes the cards.

`decision` makes a verifier of a trained retrieval network; `chest_check` fits the check before the attack, whether an
image is a chest radiograph at all.
"""
