"""A check of what came out that does not trust the run: everything is read, searched and compared afresh.

Start in `run.py` (`verify`); `release_check.py` is the same check inside a release. `run_record.py` says what the run
noted and from which originals. `group_check.py` compares what there is of one patient with its originals, by kind:
`header_check.py`, `pixel_check.py`, `damage_check.py`, `text_check.py`, `row_check.py`, `table_check.py`, and
`answer_key.py` where the truth is known. `full_search.py` searches every byte for anyone's identifiers; `integrity.py`
and `manifest.py` say whether anything changed since. Each fault is a `Discrepancy`; `quarantine.py` shows the names of
what was withheld to whoever holds the key.
"""
