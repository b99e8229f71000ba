"""Pictures of the films that were harmed most, before and after, for those who may see the originals."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release.verify.damage_check import film_pairs
from medveil.release.verify.run_record import Originals, RunRecord
from medveil.runtime.storage import refuse_unwritable, write_bytes
from medveil.utility.pixel_damage.damage import Damage
from medveil.utility.pixel_damage.film import changed_pixels, compare
from medveil.utility.pixel_damage.pictures import side_by_side


def refuse_shared(folder: Path, out: Path) -> None:
    """The pictures show patients, so they must not lie in what is passed on."""
    if folder.resolve().is_relative_to(out.resolve()):
        raise InputError("the worst films show patients and must not be drawn in the output folder; name another")
    refuse_unwritable(folder / "01.png", "the worst films")


def draw_worst(
    folder: Path, damage: Damage, originals: Originals, data: Path, record: RunRecord, keys: Keys
) -> list[Path]:
    """One PNG a film, numbered from the worst on and readable by their owner alone: before, after, and before with
    what was changed in red. Of several frames the worst."""
    items = {record.writer.path(one, keys): one for group in originals.groups for one in group.files}
    drawn = []
    for number, worst in enumerate(damage.worst, start=1):
        if not worst.film.before:
            continue  # it could not be compared, so it cannot be shown
        pairs = film_pairs(items[worst.name], worst.name, originals.root, data)
        before, after = max(pairs, key=lambda pair: compare(*pair).badness)
        picture = side_by_side(before, after, changed_pixels(before, after))
        path = folder / f"{number:02d}-{PurePosixPath(worst.name).stem}.png"
        write_bytes(path, picture, private=True)
        drawn.append(path)
    return drawn
