import pytest

from medveil.defenses.reports.tagger.plausible import plausible
from medveil.defenses.reports.tagger.splitting import split
from medveil.person.identifiers import Category


@pytest.mark.parametrize(
    ("text", "category", "expected"),
    [
        ("no", Category.URL, False),
        ("www.example.org", Category.URL, True),
        ("a@b", Category.EMAIL, True),
        ("x-ray", Category.PHONE, False),
        ("x5512", Category.PHONE, True),
        ("no", Category.INITIALS, False),
        ("NO", Category.INITIALS, True),
        ("jd", Category.INITIALS, True),
        ("an", Category.NAME, True),
        ("--", Category.NAME, False),
        ("Q.", Category.MRN, True),
    ],
)
def test_only_what_cannot_be_is_refused(text, category, expected):
    assert plausible(split(text).words, category) is expected
