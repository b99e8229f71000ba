"""The table of studies: pseudonyms, shifted dates, and quasi-identifiers."""
