"""How the weights are fitted by which reports' proposals are kept or left."""
