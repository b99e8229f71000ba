"""Attacks on what a federation releases and sends: the attacks know no recipe, and the recipe no attack.

`membership` asks the released model whom it was trained on, with shadow models of the same recipe; `inversion` draws
films out of what a site sends, under each protection; `poisoning` trains with sites that mean ill.
"""
