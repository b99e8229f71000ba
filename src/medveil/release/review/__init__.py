"""A person looks at what was released or withheld, and what that person decides is carried out.

Start in `worst_first.py` (`write_review`): which cases are shown, in which order; `film_pictures.py` draws them, and
`medveil.report.review_page` makes the page. The page gives a file of decisions (`decisions_file.py`), which
`carrying_out.py` has the engine heed (`carry_out`).
"""
