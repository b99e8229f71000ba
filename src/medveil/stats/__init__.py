"""Ranks, resampling and intervals: pure functions on arrays."""
