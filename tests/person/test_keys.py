from __future__ import annotations

import hashlib
import hmac
import os
import stat
from pathlib import Path

import pytest

from medveil.errors import SettingsError, StorageError
from medveil.person.keys import Keys, default_key_file


def test_a_key_file_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "key"
    first = Keys.load_or_create(path)
    assert Keys.load_or_create(path) == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(first.secret) == 32
    assert Keys.load_or_create(tmp_path / "other") != first


@pytest.mark.parametrize("content", ["", "not hex", "abcd"])
def test_a_bad_key_file_is_refused_not_replaced(tmp_path: Path, content: str) -> None:
    path = tmp_path / "key"
    path.write_text(content)
    with pytest.raises(SettingsError, match="not a key file"):
        Keys.load_or_create(path)
    assert path.read_text() == content


def test_pseudonyms_are_hmac_sha256_of_kind_and_value() -> None:
    keys = Keys(b"0123456789abcdef")
    message = b"medveil\x1fpatient\x1fDoe"
    assert keys.pseudonym("patient", "Doe") == hmac.new(keys.secret, message, hashlib.sha256).hexdigest()[:20]
    assert keys.pseudonym("study", "Doe") != keys.pseudonym("patient", "Doe")
    assert Keys(b"another key 1234").pseudonym("patient", "Doe") != keys.pseudonym("patient", "Doe")


def test_shifts_differ_between_patients_and_lie_between_a_week_and_a_year() -> None:
    keys = Keys.for_demonstration(1)
    shifts = {keys.date_shift(f"p{i}") for i in range(3000)}
    assert min(shifts) == 7
    assert max(shifts) == 365
    assert keys.date_shift("p1") == keys.date_shift("p1")


def test_the_secret_is_not_shown() -> None:
    keys = Keys(b"very secret bytes")
    assert "secret bytes" not in repr(keys)
    assert keys.secret.hex() not in keys.fingerprint


def test_the_default_place_follows_the_users_settings_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", os.fspath(tmp_path))
    assert default_key_file() == tmp_path / "medveil" / "key"


def test_a_settings_folder_that_cannot_be_written_is_told_as_such() -> None:
    with pytest.raises(StorageError, match=r"\Athe site's key cannot be written to /proc/medveil/key;"):
        Keys.load_or_create(Path("/proc/medveil/key"))  # where nobody may write
