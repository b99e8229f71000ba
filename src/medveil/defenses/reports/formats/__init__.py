"""Where report text is kept: text files, columns of tables, JSON lines.

Each file holds one format; functions work on one document that somebody else opens and stores.
"""
