"""How the networks of the identity attack, and the check before it, were trained."""
