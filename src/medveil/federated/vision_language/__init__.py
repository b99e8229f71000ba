"""The model that hospitals train together: `building` makes the `network` of a recipe, `films` is what a site
brings.

`hashed_words` turns reports into numbers, `augmentation` varies films, `losses` says what is learned, `steps` takes one
step of it, with or without privacy; `adapters` leaves most of the network as it was.
"""
