"""Singling out by what the table says of a person: how many share it is counted in `equivalence_classes`."""
