"""How a result was made: the command that was given, and the version of everything that had a hand in it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

_EXTRAS = frozenset({"vlm", "cluster", "federated", "serve"})
_NO_MATTER = frozenset({"json", "quiet", "log_level", "config"})  # these change what is shown, not what is found


def command_given(otherwise: str, secret: Sequence[str] = ()) -> str:
    """The command as it was given, with every flag and without any path, which may tell of people, nor the values of
    `secret` parameters; where there was none, since Python called, the one that does the same."""
    context = click.get_current_context(silent=True)
    if context is None or isinstance(context.command, click.Group):
        return otherwise
    words = ["medveil", *context.command_path.split()[1:]]
    for given in context.command.params:
        source = context.get_parameter_source(given.name or "")
        if given.name not in _NO_MATTER and source not in (None, ParameterSource.DEFAULT):
            words += _words(given, context.params.get(given.name or ""), given.name in secret)
    return shlex.join(words)


def _words(given: click.Parameter, value: Any, secret: bool) -> Iterator[str]:
    """A path or a secret is told by what it is for; a number or a word, as it was given."""
    flag = max(given.opts, key=len)
    name = (given.metavar or flag.lstrip("-").upper().replace("-", "_")).strip("[]")
    if isinstance(value, bool):
        yield flag if value else max(given.secondary_opts, key=len, default=flag)
        return
    for each in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(given, click.Option):
            yield flag
        if secret or isinstance(given.type, click.Path) or _is_there(str(each)):
            yield name
        else:  # a path may stand behind a name, as in NAME=FILE, and several of them in a row
            parts = (part.rpartition("=") for part in str(each).split(","))
            behind = name.rpartition("=")[2]
            yield ",".join(
                f"{before}={behind}" if equals and _is_there(after) else f"{before}{equals}{after}"
                for before, equals, after in parts
            )


def _is_there(path: str) -> bool:
    try:
        return bool(path) and Path(path).exists()
    except OSError:  # too long for a name
        return False


def package_versions() -> dict[str, str]:
    """Of everything medveil works with, as installed."""
    found = {}
    for needed in requires("medveil") or ():
        name, of = re.match(r"[\w.-]+", needed), re.search(r'extra == "(\w+)"', needed)
        if name is not None and (of is None or of[1] in _EXTRAS):
            with suppress(PackageNotFoundError):  # of an extra, or another build under another name
                found[name[0]] = version(name[0])
    return dict(sorted(found.items()))
