"""The body itself: ways of changing a film so that nobody is recognised by it and what it shows is kept.

Start at `method`: what a way must offer, and by what name it is loaded.
"""
