"""Training, whatever the network: learning rates."""
