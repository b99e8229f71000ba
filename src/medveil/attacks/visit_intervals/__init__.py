"""The times between a patient's visits as a fingerprint: who knows the true dates looks for them in the release."""
