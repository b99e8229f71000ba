"""Every released file, searched for what is known of anyone at all: the headers are read by all cores, the search
strings come in blocks, so that memory stays bounded however many people there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.release.clean.groups import Group
from medveil.release.settings import Progress
from medveil.release.verify.allowed_values import RetainedByProfile
from medveil.release.verify.byte_search import KnownBytes, distinctive_needles
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.integrity import is_made_by_a_run
from medveil.runtime.processes import Loss
from medveil.runtime.threads import available_cores
from medveil.runtime.workers import ordered_map

BLOCK = 250_000  # search strings at a time, about 200 MB; one more block is one more pass over the files

Needles = dict[bytes, Category]


@dataclass(frozen=True)
class Gathering:
    """What is distinctive of the person a group of files is about."""

    keys: Keys
    retained: RetainedByProfile

    def __call__(self, group: Group) -> Needles:
        if not group.patient:
            return {}
        return distinctive_needles(self.retained.person(group, self.keys).known)

    def crashed(self, group: Group, loss: Loss) -> Needles:
        """A header that kills its process tells nothing; its file is told by the check of its group."""
        return {}


def search_everywhere(
    data: Path,
    retained: RetainedByProfile,
    groups: Iterable[Group],
    keys: Keys,
    *,
    workers: int | None,
    progress: Progress,
) -> tuple[dict[str, str], set[Discrepancy]]:
    """The hash of every released file, and where something known of anyone stands in its bytes or its name."""
    gathering = Gathering(keys, retained)
    found = ordered_map(gathering, groups, workers=workers, chunk=8, crashed=gathering.crashed)
    paths = [path for path in sorted(data.rglob("*")) if path.is_file()]
    hashes: dict[str, str] = {}
    discrepancies: set[Discrepancy] = set()
    for needles in in_blocks(found, BLOCK):
        search = _Search(data, KnownBytes(needles))
        # threads: the search and the reading let others run, and the strings are held once
        with ThreadPoolExecutor(workers or available_cores()) as pool:
            for done, (name, digest, more) in enumerate(pool.map(search, paths), start=1):
                hashes[name] = digest
                discrepancies |= more
                progress("searching", done, len(paths))
    return hashes, discrepancies


def in_blocks(found: Iterable[Needles], most: int) -> Iterator[Needles]:
    """At least one block, though there be nothing to search for: every file is to be hashed."""
    block: Needles = {}
    for needles in found:
        if block and len(block) + len(needles) > most:
            yield block
            block = {}
        block |= needles
    yield block


@dataclass(frozen=True)
class _Search:
    data: Path
    needles: KnownBytes

    def __call__(self, path: Path) -> tuple[str, str, set[Discrepancy]]:
        name, content = path.relative_to(self.data).as_posix(), path.read_bytes()
        digest = sha256(content).hexdigest()
        told = name if is_made_by_a_run(name) else digest[:20]
        discrepancies = {
            Discrepancy(told, "bytes", "", category, "absent", "a known identifier")
            for category in self.needles.found_in(content)
        }
        if self.needles.found_in(name.encode()):
            discrepancies.add(Discrepancy(digest[:20], "names", "", "", "a pseudonym", "a known identifier"))
        return name, digest, discrepancies
