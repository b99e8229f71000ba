"""The identity attack: do two radiographs show the same person?

`attack` is the entrance, `run` the whole way: images become vectors (`embedded_images`), `copies` are left out,
and what remains is the `gallery`. Then patients are recognised (`linkable`, `identification`, `evaluation`),
similarities become probabilities (`calibration`, `calibration_check`), and `links` and `findings` report it.
`adversaries` are those who learn, for films that a defense has changed.
"""
