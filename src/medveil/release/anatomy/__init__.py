"""Hiding the anatomy of a cohort: how strongly (`choosing`), and what every way costs and gains (`sweep`).

`frontier` measures one setting of one way on arrays of films, which also runs where there is little but a graphics
card; `frontier_page` tells the results.
"""
