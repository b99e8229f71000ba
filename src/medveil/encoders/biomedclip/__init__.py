"""BiomedCLIP, and other models saved in the layout of open_clip: an image network and a text network, often a BERT."""
