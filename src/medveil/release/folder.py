"""The output folder of a run: where it may lie, which run and which key it belongs to, and the tables in it."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import medveil
from medveil.errors import InputError, SettingsError
from medveil.person.keys import Keys, default_key_file
from medveil.runtime.locks import locked
from medveil.runtime.storage import make_folder, refuse_unwritable, sweep, write_bytes, write_json

RUN = "run.json"
ADVICE, TRIALS = "advice.json", "trials"  # of `release --advise`, which may come before the release itself
_LOG = logging.getLogger("medveil.deid")


def check_places(source: Path, out: Path, crosswalk: Path | None) -> None:
    """Refuse an output that would mix with the input, or with something that is no run's."""
    if not source.exists():
        raise InputError(f"there is nothing at {source}; check the path")
    inside, outside = out.resolve(), source.resolve()
    if inside == outside or inside.is_relative_to(outside) or outside.is_relative_to(inside):
        raise InputError("the input and the output are inside one another; choose an output folder elsewhere")
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; name a folder for the output")
    if out.is_dir() and not (out / RUN).exists() and any(each.name not in (ADVICE, TRIALS) for each in out.iterdir()):
        raise InputError(f"{out} is not empty and holds no earlier release; choose a new folder")
    if crosswalk and crosswalk.resolve().is_relative_to(inside):
        raise InputError("the crosswalk leads back to the patients and must not be in the output folder")
    refuse_unwritable(out / RUN, "the output")
    if crosswalk:
        refuse_unwritable(crosswalk, "the crosswalk")


def check_run(out: Path, writer: str, settings: dict[str, Any], keys: Keys) -> str | None:
    """The date of the earlier run in this folder, which must have been the same; None where there was none."""
    if not (out / RUN).exists():
        return None
    earlier = read_run(out)
    created = str(earlier.pop("created", ""))
    if earlier.get("key_fingerprint") != keys.fingerprint:
        raise SettingsError(f"{out} was made with another key; give that key, or choose a new folder")
    noted = earlier.get("settings")
    if earlier.get("medveil") != medveil.__version__ or not isinstance(noted, dict) or noted.keys() != settings.keys():
        raise InputError(f"{out} was made by another version of medveil; run this one into a new folder")
    if earlier != _run(writer, settings, keys):
        raise InputError(f"{out} was made with other settings; repeat those, or choose a new folder")
    return created


def refuse_other_key(out: Path, keys: Keys) -> None:
    """Only the key that made an output can say what belongs in it."""
    if read_run(out).get("key_fingerprint") != keys.fingerprint:
        raise InputError(f"{out} was made with another key; give that key with --key-file")


def begin(out: Path, writer: str, settings: dict[str, Any], keys: Keys) -> str:
    """Note what this run is, and clear away what a killed one left half-written. Returns its date."""
    created = check_run(out, writer, settings, keys)
    if created is None:
        created = now()
        write_json(out / RUN, {**_run(writer, settings, keys), "created": created})
    sweep(out)
    return created


def _run(writer: str, settings: dict[str, Any], keys: Keys) -> dict[str, Any]:
    return {
        "medveil": medveil.__version__,
        "writer": writer,
        "settings": settings,
        "key_fingerprint": keys.fingerprint,
    }


@contextmanager
def held(out: Path) -> Iterator[None]:
    """Keep the output folder to one run at a time: two would take each other's half-written files away.

    The lock is on the folder itself.
    """
    make_folder(out)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(out, wait=False))
        except BlockingIOError:
            raise InputError(f"another run is at work in {out}; wait for it, or choose a new folder") from None
        yield


def read_run(out: Path) -> dict[str, Any]:
    try:
        return dict(json.loads((out / RUN).read_text()))
    except (OSError, ValueError):
        raise InputError(f"{out / RUN} cannot be read; choose a new folder") from None


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
            raise InputError(f"{out} holds no de-identified data; run medveil deid or medveil release first")
        keys = Keys.load_or_create(path)
        _LOG.warning("a new key was made at %s; keep a copy of it, away from the data", path)
        return keys
    keys = Keys.load_or_create(path)
    if earlier is not None and earlier.get("key_fingerprint") != keys.fingerprint:
        raise SettingsError(f"{out} was made with another key; give that key, or choose a new folder")
    return keys


def now() -> str:
    """The time, or the one SOURCE_DATE_EPOCH sets for reproducible output."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = dt.datetime.fromtimestamp(int(epoch), dt.UTC) if epoch else dt.datetime.now(dt.UTC)
    return moment.replace(microsecond=0).isoformat()


def write_csv(path: Path, header: tuple[str, ...], rows: list[tuple[Any, ...]], *, private: bool = False) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_bytes(path, text.getvalue().encode(), private=private)
