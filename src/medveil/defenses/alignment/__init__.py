"""Weakening the link between an image and its report in the projection heads of a vision-language model."""
