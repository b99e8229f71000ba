"""Re-identification by raw pixel similarity: the least an attacker will try. `nearest_image` does the work."""
