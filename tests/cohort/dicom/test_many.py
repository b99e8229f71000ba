from __future__ import annotations

import os

import pytest

from medveil.cohort.dicom import read_many
from medveil.errors import Quarantined


def square(number: int) -> int:
    if number % 10 == 3:
        raise Quarantined("unlucky")
    if number == 77:
        os._exit(1)  # as a decoder that crashes would
    return number * number


def fail(number: int) -> int:
    raise ZeroDivisionError


def shown(results) -> list[object]:
    return [result.reason if isinstance(result, Quarantined) else result for result in results]


def test_results_come_in_order_and_refusals_in_their_place():
    numbers = [number for number in range(300) if number != 77]
    expected = ["unlucky" if number % 10 == 3 else number * number for number in numbers]
    assert shown(read_many(square, numbers, workers=2)) == expected
    assert shown(read_many(square, numbers, workers=1)) == expected
    assert shown(read_many(square, numbers[:5], workers=2)) == expected[:5]
    assert shown(read_many(square, [], workers=2)) == []


def test_only_the_file_that_crashes_its_process_is_lost():
    results = shown(read_many(square, list(range(120)), workers=2))
    assert results[77] == "crashed the decoder"
    assert results[76] == 76 * 76
    assert results[119] == 119 * 119
    assert len(results) == 120


def test_a_bug_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        list(read_many(fail, list(range(100)), workers=2))


def test_stopping_early():
    results = read_many(square, list(range(0, 1000, 2)), workers=2)
    assert next(results) == 0
    results.close()
