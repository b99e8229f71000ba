from __future__ import annotations

from medveil.federated.vision_language.hashed_words import NOTHING, WHOLE, bucket, hashed


def test_a_report_that_is_too_long_is_read_from_its_end() -> None:
    """A letterhead and a name stand at its beginning, what is seen at its end."""
    whole = hashed(["Wexholm General Hospital. Young, Pearl. Small effusion"], words=3, buckets=64)
    assert whole.tolist() == [[WHOLE, bucket("small", 64), bucket("effusion", 64)]]


def test_a_short_report_is_padded_and_an_empty_one_is_nothing_else() -> None:
    found = hashed(["Effusion", "", "Effusion"], words=4, buckets=64)
    assert found[0].tolist() == [WHOLE, bucket("effusion", 64), NOTHING, NOTHING]
    assert not found[1].any() and not hashed(["Effusion"], words=1, buckets=64).any()
