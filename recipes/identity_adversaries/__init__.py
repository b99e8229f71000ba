"""The recogniser of another architecture, which the adversaries of the identity attack bring along."""
