"""The bundled rewriter: a small encoder-decoder that turns a text with placeholders into one without.

Start with `rewriter.BundledRewriter`. `tokens` cuts a text into words and sentences; `network` reads the whole text and
then, sentence by sentence, keeps, leaves out or writes word by word. What it may leave out and write are closed lists,
`plain_words`, kept in its `model_file`; everything else, every number and every sign beside a number can only be kept.
`edits` makes a text of what it did, and `faithfulness` compares that with the source.
"""
