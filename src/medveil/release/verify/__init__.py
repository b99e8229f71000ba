"""A check of what came out that does not believe the run: everything is read, searched and compared afresh."""
