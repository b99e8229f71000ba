"""What an adversary gains."""
