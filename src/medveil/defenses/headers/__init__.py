"""Headers: DICOM attributes by PS3.15 Annex E, the Basic Profile and every option of it."""
