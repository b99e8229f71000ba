"""How the bundled rewriter was trained: texts with blanks beside the same texts without, both written here."""
