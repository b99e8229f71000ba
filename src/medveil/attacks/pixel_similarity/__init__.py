"""Re-identification by raw pixel similarity: the least an attacker will try."""
