"""Keyed pseudonyms and date shifts: the same for the same key, meaningless without it."""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from medveil.errors import SettingsError
from medveil.person.telling import Tellings
from medveil.runtime.storage import refuse_unwritable, told

LEAST_SHIFT, LONGEST_SHIFT = 7, 365  # days; a day or two would tell the week


@dataclass(frozen=True)
class Keys:
    """Everything that is derived from the site's secret."""

    secret: bytes = field(repr=False)
    moves_dates: bool = True  # or every date stays the one it is, where a profile retains full dates
    tellings: Tellings = field(default=Tellings(), repr=False)  # how much is told of ages and dates

    @classmethod
    def for_demonstration(cls, seed: int) -> Keys:
        """A key anyone can compute: for phantom data only."""
        return cls(sha256(f"medveil demonstration {seed}".encode()).digest())

    @classmethod
    def load_or_create(cls, path: Path) -> Keys:
        """The key kept in `path`, made at the first call and readable by its owner only."""
        if path.exists():  # perhaps in a folder that may only be read
            return cls._load(path)
        refuse_unwritable(path, "the site's key")
        try:
            with told():
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return cls._load(path)
        with os.fdopen(descriptor, "w") as file, told():
            file.write(secrets.token_hex(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        return cls._load(path)

    @classmethod
    def _load(cls, path: Path) -> Keys:
        try:
            secret = bytes.fromhex(path.read_text().strip())
        except (OSError, ValueError):
            secret = b""
        if len(secret) < 16:
            raise SettingsError(f"{path} is not a key file; give 32 or more hexadecimal digits, or another file")
        return cls(secret)

    @property
    def fingerprint(self) -> str:
        """Tells whether two runs used the same key, and nothing about the key."""
        return self._digest("fingerprint", "").hex()[:16]

    def pseudonym(self, kind: str, value: str) -> str:
        """Twenty hexadecimal digits that stand for this value of this kind."""
        return self._digest(kind, value).hex()[:20]

    def digest(self, kind: str, value: str) -> str:
        """Sixteen digits, for lists of those of whom less is told: no pseudonym that is released."""
        return self._digest(f"less of {kind}", value).hex()[:16]

    def date_shift(self, patient: str) -> int:
        """Days to move all dates of this patient back by: 7 to 365, the same for every date."""
        if not self.moves_dates:
            return 0
        drawn = int.from_bytes(self._digest("date", patient)[:8])
        return LEAST_SHIFT + drawn % (LONGEST_SHIFT - LEAST_SHIFT + 1)

    def _digest(self, kind: str, value: str) -> bytes:
        return hmac.digest(self.secret, f"medveil\x1f{kind}\x1f{value}".encode(), "sha256")


def default_key_file() -> Path:
    """Where the site's key lives unless the user names another place."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "medveil" / "key"
