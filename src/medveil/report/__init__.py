"""Verdict, tables, figures: one self-contained HTML file and its JSON.

Start in `content.py`, which says what a report holds; `page.py` lays it out by `template/`, `wording.py` turns numbers
into text, `figures.py` draws with `row_plot.py` and `line_plot.py`. `review_page.py` is the page of `medveil review`.
"""

from medveil.report.page import schema, write_report

__all__ = ["schema", "write_report"]
