"""Can a server see the summands of a secure sum? Flower's stock protocol is tried, and ours by the same means."""
