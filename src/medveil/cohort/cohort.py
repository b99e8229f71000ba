"""`Cohort`: what is protected. A table, one row an image, and the folder its files lie in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from medveil.cohort import schema
from medveil.errors import InputError
from medveil.runtime.storage import atomic_path

FILE = "cohort.parquet"
FORMAT = b"medveil.cohort/1"


@dataclass(frozen=True)
class Problem:
    """A file that was set aside while reading. `path` may identify a person: never print it."""

    path: str
    reason: str


@dataclass(frozen=True)
class Cohort:
    """A validated table of images, the folder they lie in, and what was set aside on the way here."""

    table: pd.DataFrame
    root: Path
    name: str = "cohort"
    problems: tuple[Problem, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, table: pd.DataFrame, root: Path, *, name: str = "cohort", problems: Sequence[Problem] = ()) -> Cohort:
        """Bring any table with the contract's columns (missing ones are filled) into a checked cohort."""
        table = schema.conform(table)
        schema.validate(table)
        return cls(table, Path(root), name, tuple(problems))

    @classmethod
    def open(cls, folder: Path) -> Cohort:
        """A cohort saved by `save`."""
        path = Path(folder) / FILE
        try:
            arrow = pq.read_table(path)
        except (OSError, pa.ArrowException):
            raise InputError(f"{path} is not a readable Parquet file; save the cohort again") from None
        metadata = arrow.schema.metadata or {}
        if metadata.get(b"format") != FORMAT:
            raise InputError(f"{path} was not written by this version of medveil; save the cohort again")
        table = arrow.to_pandas(split_blocks=True, self_destruct=True, ignore_metadata=True)
        return cls.of(table, path.parent, name=metadata.get(b"name", b"cohort").decode())

    def save(self, folder: Path) -> Path:
        """Write the table as Parquet into `folder`; paths in it stay relative to that folder."""
        arrow = pa.Table.from_pandas(self.table, preserve_index=False)
        arrow = arrow.replace_schema_metadata({"format": FORMAT, "name": self.name.encode()})
        with atomic_path(Path(folder) / FILE) as temporary:
            pq.write_table(arrow, temporary, compression="zstd", row_group_size=65536)
        return Path(folder) / FILE

    def __len__(self) -> int:
        return len(self.table)

    def image(self, row: int) -> NDArray[Any]:
        """The pixels of one row as displayed: two-dimensional, unsigned, bright is dense."""
        from medveil.cohort.images import load_image  # brings the decoders, which a table alone does not need

        return load_image(self.root, self.table["path"].iat[row], frame=int(self.table["frame"].iat[row]))

    def images(self) -> Iterator[NDArray[Any]]:
        return (self.image(row) for row in range(len(self)))

    def where(self, keep: NDArray[np.bool_] | pd.Series) -> Cohort:
        """The rows for which `keep` holds."""
        return replace(self, table=self.table[np.asarray(keep)].reset_index(drop=True))

    def frontal(self) -> Cohort:
        """AP and PA images only."""
        return self.where(self.table["view"].isin(("AP", "PA")))

    def _repr_html_(self) -> str:
        patients = self.table["patient_id"].nunique()
        return f"<b>{self.name}</b>: {len(self):,} images of {patients:,} patients"
