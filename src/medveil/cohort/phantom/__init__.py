"""The phantom hospital: invented patients whose images, reports and identifiers are all known exactly."""
