"""Which key a run uses. A lost or wrong key is noticed before anything is written."""

from __future__ import annotations

import logging
from pathlib import Path

from medveil.errors import InputError, SettingsError
from medveil.person.keys import Keys, default_key_file
from medveil.release.folder import RUN, read_run

log = logging.getLogger("medveil.deid")


def site_key(named: Path | None, out: Path | None, *, may_make: bool = False) -> Keys:
    """The key the user named, which must exist, or the site's own, made at its first use only."""
    path = named or default_key_file()
    earlier = read_run(out) if out is not None and (out / RUN).exists() else None
    if not path.exists():
        if named is not None:
            raise SettingsError(
                f"there is no key at {path}; check the path, or leave --key-file out to use the site's own"
            )
        if earlier is not None:
            raise SettingsError(f"the key that made {out} is not at {path}; bring it back, or choose a new folder")
        if not may_make:
            raise InputError(f"{out} holds no de-identified data; run medveil deid first")
        keys = Keys.load_or_create(path)
        log.warning("a new key was made at %s; keep a copy of it, away from the data", path)
        return keys
    keys = Keys.load_or_create(path)
    if earlier is not None and earlier.get("key_fingerprint") != keys.fingerprint:
        raise SettingsError(f"{out} was made with another key; give that key, or choose a new folder")
    return keys
