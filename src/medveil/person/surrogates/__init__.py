"""What is written in place of an identifier: keyed, so that the same value has the same surrogate everywhere.

Start with `surrogates.Surrogates`, of one person; names have a form of their own (`surrogate_names`) and come, as
towns and hospitals do, from a `stock` that stands for nobody.
"""
