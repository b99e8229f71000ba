"""A judge one can trust, or none: `judge` asks, `reply` reads, `probes` tries it first.

`agreement` holds it against people who labelled a sample.
"""
