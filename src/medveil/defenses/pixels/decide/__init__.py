"""Which lines may stay: `decision.decide` says so for all lines of a view, by the list of clinical markers."""
