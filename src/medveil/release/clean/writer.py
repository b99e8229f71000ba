"""What a writer of the engine does: where everything goes, and as which bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import Group
from medveil.release.clean.records import Written
from medveil.release.clean.reviewed import FilmChoices


class Writer(Protocol):
    """Stateless, and sent to every worker."""

    @property
    def name(self) -> str: ...

    def identifier(self, one: Any, keys: Keys) -> str:
        """What a file or image goes by in the journal and the quarantine."""
        ...

    def path(self, one: Any, keys: Keys) -> str:
        """Its place below `data`."""
        ...

    def written(
        self, one: Any, group: Group, person: Person, root: Path, engine: Engine, choices: FilmChoices
    ) -> Written:
        """Read from the source, cleaned by the engine as a person chose; raises `Quarantined`."""
        ...

    def finish(self, out: Path, name: str) -> set[str]:
        """Write what belongs to the data as a whole, of what the journal says was released; its places below `data`."""
        ...
