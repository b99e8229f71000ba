"""The signed manifest: the hash of every released file and what the check found, under the site's signature.

The signing key (Ed25519) is derived from the site's secret; anyone can check the signature with the public key in the
manifest, and compare that key with the one the site announces.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release.verify.integrity import RECORDS, strays
from medveil.runtime.storage import sha256_of, write_json

FORMAT = "medveil.manifest/1"
FILE = "manifest.json"


def write_manifest(out: Path, files: dict[str, str], outcome: dict[str, Any], keys: Keys) -> Path:
    """`files` maps each released file to its SHA-256."""
    private = _signing_key(keys)
    content = {
        "format": FORMAT,
        "files": dict(sorted(files.items())),
        "records": _records(out),
        "outcome": outcome,
        "public_key": public_key_of(keys),
    }
    signature = private.sign(_canonical(content))
    write_json(out / FILE, {**content, "signature": base64.b64encode(signature).decode()})
    return out / FILE


def public_key_of(keys: Keys) -> str:
    """What the site announces, and a manifest of its own must be signed with."""
    public = _signing_key(keys).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return base64.b64encode(public).decode()


def check_manifest(out: Path, *, public_key: str | None = None) -> list[str]:
    """What is wrong with the manifest or differs from it; nothing, if all is as it was signed."""
    try:
        content = json.loads((out / FILE).read_bytes())
        signature = base64.b64decode(content.pop("signature"))
        stated = str(content["public_key"])
        files, records, content["outcome"] = (dict(content[name]) for name in ("files", "records", "outcome"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{out} has no readable manifest; run medveil verify with --source first") from None
    problems = []
    if public_key is not None and stated != public_key:
        problems.append("signed with another key")
    try:
        Ed25519PublicKey.from_public_bytes(base64.b64decode(stated)).verify(signature, _canonical(content))
    except (InvalidSignature, ValueError):
        problems.append("the signature does not hold")
    if content["outcome"].get("leaks"):
        problems.append("the check that was signed had found leaks")
    problems += ["something lies in the folder that is not of the run"] * len(strays(out))
    # what was not passed on with the data is no matter
    problems += [f"{name} was changed" for name, digest in _records(out).items() if digest != records.get(name)]
    here = hashed(out / "data")
    problems += ["a released file is missing"] * len(files.keys() - here.keys())
    problems += ["a file is not in the manifest"] * len(here.keys() - files.keys())
    problems += ["a released file was changed"] * sum(here[name] != files[name] for name in here.keys() & files.keys())
    return problems


def hashed(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file below, by its path."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in files}


def _records(out: Path) -> dict[str, str]:
    """The SHA-256 of what deid, verify and review noted beside the data."""
    return {name: sha256_of(out / name) for name in RECORDS if (out / name).is_file()}


def _signing_key(keys: Keys) -> Ed25519PrivateKey:
    seed = HKDF(hashes.SHA256(), 32, salt=None, info=b"medveil manifest").derive(keys.secret)
    return Ed25519PrivateKey.from_private_bytes(seed)


def _canonical(content: dict[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
