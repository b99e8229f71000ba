"""A check of what came out that does not trust the run: everything is read, searched and compared afresh.

Start in `run.py` (`verify`). `group_check.py` compares the files of one patient with their originals, by kind:
`header_check.py`, `pixel_check.py`, `text_check.py`, `table_check.py`, and `answer_key.py` where the truth is known.
`full_search.py` searches every byte for anyone's identifiers, `integrity.py` and `manifest.py` say whether files
changed since. Each fault is a `Discrepancy`; `review.py` shows the worst to a person.
"""
