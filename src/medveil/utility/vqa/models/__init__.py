"""Models that answer: `loading` gets one by name, folder or address."""
