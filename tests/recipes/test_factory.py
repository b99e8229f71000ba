"""Drawn data reaches the stock, in rows that stay together, and new items take the place of old ones."""

from __future__ import annotations

import numpy as np

from recipes.factory import Stock


def test_a_stock_keeps_rows_together_and_forgets_the_oldest() -> None:
    stock = Stock(4, ((2,), ()), "cpu")
    for number in range(3):
        stock.put(np.full((2, 2), number, np.uint8), np.full(2, 10 * number, np.uint8))
    pixels, truth = stock.draw(50)
    assert stock.count == 6
    assert {(int(row[0]), int(one)) for row, one in zip(pixels, truth, strict=True)} == {(1, 10), (2, 20)}
