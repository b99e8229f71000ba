"""BioViL-T: the published image and text networks, written so that their checkpoints load as they are."""
