from __future__ import annotations

import json
from pathlib import Path

import pytest

from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release.verify.manifest import FILE, check_manifest, hashed, write_manifest

KEYS = Keys.for_demonstration(1)


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    (tmp_path / "data" / "a").mkdir(parents=True)
    (tmp_path / "data" / "a" / "b.txt").write_text("clean")
    write_manifest(tmp_path, hashed(tmp_path / "data"), {"wrong": 0}, KEYS)
    return tmp_path


def test_an_untouched_release_agrees_with_its_manifest(signed: Path) -> None:
    assert check_manifest(signed) == []


def test_the_same_release_and_key_give_the_same_bytes(signed: Path) -> None:
    before = (signed / FILE).read_bytes()
    write_manifest(signed, hashed(signed / "data"), {"wrong": 0}, KEYS)
    assert (signed / FILE).read_bytes() == before


def test_a_changed_a_missing_and_an_added_file_are_told(signed: Path) -> None:
    (signed / "data" / "a" / "b.txt").write_text("dirty")
    assert check_manifest(signed) == ["a released file was changed"]
    (signed / "data" / "a" / "b.txt").rename(signed / "data" / "a" / "c.txt")
    assert check_manifest(signed) == ["a released file is missing", "a file is not in the manifest"]


def test_links_and_empty_folders_are_told(signed: Path) -> None:
    (signed / "data" / "somebody").mkdir()
    (signed / "data" / "a" / "link").symlink_to(signed.parent)
    assert check_manifest(signed) == ["something lies in the folder that is not of the run"] * 2


def test_a_record_that_was_changed_is_told_and_one_that_was_not_passed_on_is_not(tmp_path: Path) -> None:
    (tmp_path / "quarantine.csv").write_text("id,reason\n")
    write_manifest(tmp_path, {}, {}, KEYS)
    assert check_manifest(tmp_path) == []
    (tmp_path / "quarantine.csv").write_text("id,reason\nsomebody,unreadable\n")
    assert check_manifest(tmp_path) == ["quarantine.csv was changed"]
    (tmp_path / "quarantine.csv").unlink()
    assert check_manifest(tmp_path) == []


def test_a_manifest_edited_by_hand_does_not_hold(signed: Path) -> None:
    content = json.loads((signed / FILE).read_text())
    content["outcome"]["wrong"] = 1
    (signed / FILE).write_text(json.dumps(content))
    assert check_manifest(signed) == ["the signature does not hold"]


def test_another_site_cannot_sign_in_its_name(signed: Path) -> None:
    announced = json.loads((signed / FILE).read_text())["public_key"]
    write_manifest(signed, hashed(signed / "data"), {"wrong": 0}, Keys.for_demonstration(2))
    assert check_manifest(signed) == []
    assert check_manifest(signed, public_key=announced) == ["signed with another key"]


def test_a_signed_check_that_found_leaks_is_told(signed: Path) -> None:
    write_manifest(signed, hashed(signed / "data"), {"leaks": 2}, KEYS)
    assert check_manifest(signed) == ["the check that was signed had found leaks"]


def test_no_manifest_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="medveil verify"):
        check_manifest(tmp_path)


def test_the_secret_is_not_in_the_manifest(signed: Path) -> None:
    assert KEYS.secret.hex() not in (signed / FILE).read_text()
