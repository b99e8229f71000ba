"""What stands in the place of an identifier: keyed, and of the same form."""
