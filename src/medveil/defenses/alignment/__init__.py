"""Weakening the link between an image and its report in the projection heads of a vision-language model."""

HOLDS_PARTS = False  # it changes a model, not records; looking for parts in here would load torch
