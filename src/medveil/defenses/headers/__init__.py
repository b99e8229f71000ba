"""DICOM attributes by PS3.15 Annex E: the Basic Profile and every option of it.

Start with `HeaderCleaner` in `cleaner`: it walks a header and asks `outcome` what becomes of each attribute. The
`table` is the standard's, a `profile` chooses its `options` and exceptions, `actions` settles which action holds, and
`new_values` makes what is written. `known_in_header` collects what a header tells of its patient.
"""
