"""Which file a table means: paths as another computer wrote them, found again by their tail in the folder at hand."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

import pandas as pd

MISSING = "missing file"
OUTSIDE = "path leads outside the folder"
SEVERAL = "path that several files answer to"
_ABSOLUTE = re.compile(r"^(?:[A-Za-z]:|/|file://)")


def plain_paths(paths: pd.Series) -> pd.Series:
    """With forward slashes, and no more of them than needed."""
    plain = paths.str.strip().str.replace("\\", "/", regex=False)
    return plain.str.replace(r"^(?:\./)+|(?<=/)\./|(?<=[^/])/+(?=/)", "", regex=True)


class FileFinder:
    """Finds the files that a table in `folder` (relative to `root`) names.

    First as it says, from the table's folder or from the root. Else by the tail of the path: one of the two must be
    a tail of the other, whatever their case; of an absolute path, whose beginning belonged to another computer, the
    longest tail decides. At last by the name without its ending. What several files answer to is nobody's.
    """

    def __init__(self, root: Path, files: Collection[str], folder: str = "") -> None:
        self._bases = tuple(
            dict.fromkeys(f"{base}/" for base in (root.resolve().as_posix(), root.absolute().as_posix()))
        )
        self._files = files if isinstance(files, set | frozenset) else frozenset(files)
        self._folder = "" if folder in ("", ".") else f"{folder}/"
        self._by_name: dict[str, list[str]] | None = None
        self._by_stem: dict[str, list[str]] = defaultdict(list)

    def find(self, paths: pd.Series) -> tuple[pd.Series, pd.Series]:
        """The file of each path, missing where there is none, and then the reason."""
        plain = plain_paths(paths)
        for base in self._bases:
            plain = plain.str.removeprefix(base)
        beside = (self._folder + plain) if self._folder else plain
        found = beside.where(beside.isin(self._files))
        if self._folder:
            found = found.fillna(plain.where(plain.isin(self._files)))
        lost = plain[found.isna() & plain.notna()]
        reasons = pd.Series(None, index=paths.index, dtype="str")
        if len(lost):
            guesses = {path: self._guess(path) for path in lost.unique()}
            found = found.fillna(lost.map({path: file for path, (file, _) in guesses.items()}).astype("str"))
            reasons = reasons.fillna(lost.map({path: reason for path, (_, reason) in guesses.items()}).astype("str"))
            self._refuse_rivals(plain, found, reasons, lost.index)
        return found, reasons

    def _refuse_rivals(self, plain: pd.Series, found: pd.Series, reasons: pd.Series, guessed: pd.Index) -> None:
        """A file that one path names exactly is not guessed for another; two different guesses for it are none."""
        exact = set(found.drop(guessed).dropna())
        rivals = plain[guessed].str.lower().groupby(found[guessed]).nunique()
        bad = found[guessed].isin(exact) | found[guessed].map(rivals).fillna(0).gt(1)
        refused = guessed[bad.to_numpy()]
        reasons[refused] = SEVERAL
        found[refused] = None

    def _guess(self, path: str) -> tuple[str | None, str | None]:
        self._index()
        absolute = _ABSOLUTE.match(path) is not None
        parts = [
            part
            for part in path.lower().split("/")
            if part not in ("", ".") and not re.fullmatch(r"[a-z]:|file:", part)
        ]
        if not parts or "\x00" in path:
            return None, MISSING
        outside = OUTSIDE if ".." in parts or (absolute and _is_here(path)) else MISSING
        if ".." in parts:
            return None, outside
        assert self._by_name is not None
        name = parts[-1]
        candidates = self._by_name.get(name) or self._by_stem.get(name) or self._by_stem.get(_stem(name)) or []
        file = _nearest(parts, candidates, absolute=absolute, preferred=self._folder.lower())
        if file is not None:
            return file, None
        return None, SEVERAL if len(candidates) > 1 and len(parts) == 1 else outside

    def _index(self) -> None:
        if self._by_name is None:
            self._by_name = defaultdict(list)
            for file in sorted(self._files):
                name = PurePosixPath(file).name.lower()
                self._by_name[name].append(file)
                self._by_stem[_stem(name)].append(file)


def _nearest(parts: list[str], candidates: Iterable[str], *, absolute: bool, preferred: str) -> str | None:
    """The one candidate whose path agrees with the end of `parts` furthest, if it agrees far enough."""
    scored = []
    for file in candidates:
        own = file.lower().split("/")
        inside = own[len(preferred.split("/")) - 1 :] if preferred and file.lower().startswith(preferred) else own
        # names may differ in their ending
        tail = 1
        while tail < min(len(own), len(parts)) and own[-1 - tail] == parts[-1 - tail]:
            tail += 1
        whole = tail in (len(inside), len(own), len(parts))
        scored.append((tail, bool(preferred) and file.lower().startswith(preferred), whole, file))
    if not scored:
        return None
    best = max((tail, near) for tail, near, _, _ in scored)
    chosen = [(whole, file) for tail, near, whole, file in scored if (tail, near) == best]
    if len(chosen) > 1:
        return None
    whole, file = chosen[0]
    return file if whole or (absolute and (best[0] > 1 or len(scored) == 1)) else None


def _is_here(path: str) -> bool:
    """Whether an absolute path is one of this computer's, and not of the one that wrote the table."""
    try:
        return Path(path.removeprefix("file://")).exists()
    except (OSError, ValueError):
        return False


def _stem(name: str) -> str:
    return name.rpartition(".")[0] or name
