"""Inversion: can whoever sees a site's update draw the films it was trained on?

`undoing` makes a gradient of an update, `reconstruction` looks for films that have this gradient, `closed_form`
computes the film of a transformer without any search, and `judging` tells how much of a patient is in what came out.
"""
