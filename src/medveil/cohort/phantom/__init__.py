"""The phantom hospital: invented patients whose images, reports and identifiers are all known exactly.

Start with `build_hospital` in `hospital`, and `load_gold` in `gold` for the answer key. A `plan` says who comes when
and with what; `patient_files` draws the `radiograph`, burns text in (`burn_in`), writes the `reports` and the
`dicom_file`. `sites`, `chart` and `invented_names` are the hospital on paper; `damage` breaks its files, for tests.
"""
