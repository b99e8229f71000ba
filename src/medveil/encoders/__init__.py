"""Models that turn images and reports into vectors."""
