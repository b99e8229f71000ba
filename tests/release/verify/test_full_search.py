from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from medveil.cohort.input import read_source
from medveil.cohort.phantom.hospital import build_hospital
from medveil.defenses.headers.profile import Profile
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.release.clean.groups import grouped
from medveil.release.verify import full_search as everywhere
from medveil.release.verify.allowed_values import RetainedByProfile
from medveil.release.verify.full_search import in_blocks, search_everywhere

KEYS = Keys(b"\x07" * 32)


def silent(stage: str, done: int, total: int) -> None:
    pass


def test_blocks_stay_small_and_lose_nothing() -> None:
    found = [{f"{person}-{number}".encode(): Category.MRN for number in range(3)} for person in range(10)]
    blocks = list(in_blocks(iter(found), 7))
    assert max(map(len, blocks)) <= 7 and len(blocks) == 5
    assert {needle for block in blocks for needle in block} == {needle for one in found for needle in one}
    assert list(in_blocks([], 7)) == [{}]


def made(data: Path, number: int) -> Path:
    """Where a run would put a file."""
    return data / "tables" / f"{number:020x}.csv"


@pytest.mark.parametrize("block", [1, everywhere.BLOCK])
@pytest.mark.parametrize("workers", [1, 2])
def test_anyones_number_is_found_in_any_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int, block: int
) -> None:
    monkeypatch.setattr(everywhere, "BLOCK", block)
    build_hospital(tmp_path / "in", patients=3, sites=3, seed=3, size=64, workers=1)
    files = read_source(tmp_path / "in", workers=1)
    numbers = sorted({str(one.accession) for one in files.files if one.accession})
    data = tmp_path / "data"
    made(data, 0).parent.mkdir(parents=True)
    (data / "clean.txt").write_text("nothing")
    for number in numbers:
        made(data, numbers.index(number)).write_text(f"see {number}.")
    (data / f"{numbers[0]}.txt").write_text("named after an order")
    groups = list(grouped(files.files, KEYS))
    hashes, discrepancies = search_everywhere(
        data, RetainedByProfile(files.root, Profile()), groups, KEYS, workers=workers, progress=silent
    )
    assert hashes["clean.txt"] == sha256(b"nothing").hexdigest() and len(hashes) == len(numbers) + 2
    told = {(wrong.file, wrong.check) for wrong in discrepancies}
    named = hashes[f"{numbers[0]}.txt"][:20]
    assert told == {(made(data, at).relative_to(data).as_posix(), "bytes") for at in range(len(numbers))} | {
        (named, "names")
    }
