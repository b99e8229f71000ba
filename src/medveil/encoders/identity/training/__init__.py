"""Training an identity network: `train` takes a cohort; what a step asks of the network is in `objectives`."""
