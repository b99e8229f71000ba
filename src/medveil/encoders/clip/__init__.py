"""CLIP, PubMedCLIP and any other model of CLIP or SigLIP type, through transformers."""
