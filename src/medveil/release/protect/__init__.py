"""Protecting the projection heads of a vision-language model: trained privately, attacked again, measured, reported.

Start in `run.py`, which the command calls. `preparation.py` encodes the data into the parts of `paired_features.py`;
`frontier.py` trains and measures (`measurement.py`) one operating point a candidate, audited by `canaries.py` and
`worst_case_audit.py`; `findings.py`, `figures.py`, `tables.py` and `model_report.py` put it into words.
"""
