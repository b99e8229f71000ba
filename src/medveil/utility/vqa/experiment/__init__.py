"""The same questions on the same images, raw and cleaned in several ways, and what became of the answers.

`conditions` is what is compared, `asking` asks and keeps, `comparison` pairs the answers by question, `results` makes
tables and figures of them.
"""
