"""Which key a run uses. A lost or wrong key is noticed before anything is written."""

from __future__ import annotations

from pathlib import Path

from medveil.defenses.keys import Keys, default_key_file
from medveil.errors import SettingsError
from medveil.release.folder import RUN, read_run


def site_key(named: Path | None, out: Path) -> Keys:
    """The key the user named, which must exist, or the site's own, made at its first use only."""
    path = named or default_key_file()
    used_before = (out / RUN).exists()
    if not path.exists():
        if named is not None:
            raise SettingsError(
                f"there is no key at {path}; check the path, or leave --key-file out to use the site's own"
            )
        if used_before:
            raise SettingsError(f"the key that made {out} is not at {path}; bring it back, or choose a new folder")
    keys = Keys.load_or_create(path)
    if used_before and read_run(out).get("key_fingerprint") != keys.fingerprint:
        raise SettingsError(f"{out} was made with another key; give that key, or choose a new folder")
    return keys
