"""A measure: can the 14 findings still be learned from the images?"""
