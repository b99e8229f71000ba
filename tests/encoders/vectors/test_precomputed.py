from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file

from medveil.cohort.input import InputOptions
from medveil.encoders.vectors import precomputed
from medveil.encoders.vectors.precomputed import read_embeddings, read_ids
from medveil.errors import InputError

N, DIM = 6, 4
NAMES = [f"im{row}" for row in range(N)]


@pytest.fixture
def vectors() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    images, reports = rng.normal(size=(2, N, DIM)).astype(np.float32)
    return tuple(v / np.linalg.norm(v, axis=1, keepdims=True) for v in (images, reports))  # type: ignore[return-value]


def write(path: Path, values: Any, ids: Any = None, key: str = "image_id") -> Path:
    match path.suffix:
        case ".npy":
            np.save(path, values)
        case ".npz":
            np.savez(path, vectors=values, **({} if ids is None else {key: np.array(ids)}))
        case ".safetensors":
            save_file({"vectors": values} | ({} if ids is None else {key: np.array(ids)}), path)
        case _:
            table = pd.DataFrame(values, columns=[f"d{place}" for place in range(values.shape[1])])
            if ids is not None:
                table.insert(0, key, ids)
            table.to_parquet(path) if path.suffix == ".parquet" else table.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors", "parquet", "csv"])
def test_every_format_gives_the_same_vectors(tmp_path: Path, vectors: tuple[Any, Any], kind: str) -> None:
    images, reports, table = read_embeddings(
        write(tmp_path / f"images.{kind}", vectors[0]), write(tmp_path / f"reports.{kind}", vectors[1])
    )
    assert images.dtype == reports.dtype == np.float32
    assert np.allclose(images, vectors[0], atol=1e-7)
    assert np.allclose(reports, vectors[1], atol=1e-7)
    assert table["image_id"].tolist() == ["1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize("kind", ["npz", "parquet", "csv"])
def test_ids_bring_images_reports_and_table_together(tmp_path: Path, vectors: tuple[Any, Any], kind: str) -> None:
    shuffled = [3, 1, 5, 0, 2, 4]
    a = write(tmp_path / f"images.{kind}", vectors[0][shuffled], [NAMES[row] for row in shuffled])
    b = write(tmp_path / f"reports.{kind}", vectors[1], NAMES, key="ids" if kind == "npz" else "report_id")
    c = tmp_path / "ids.csv"
    pd.DataFrame({"image_id": NAMES[::-1], "age": range(N), "Edema": [1, 0, -1, None, 1, 0]}).to_csv(c, index=False)
    images, reports, table = read_embeddings(a, b, c)
    assert table["image_id"].tolist() == [NAMES[row] for row in shuffled]
    assert table["age"].tolist() == [N - 1 - row for row in shuffled]
    assert np.allclose(images, vectors[0][shuffled], atol=1e-7)
    assert np.allclose(reports, vectors[1][shuffled], atol=1e-7)
    assert list(table.columns) == ["image_id", "age", "Edema"]  # what is not given is not made up


def test_images_of_one_study_share_its_report(tmp_path: Path, vectors: tuple[Any, Any]) -> None:
    a = write(tmp_path / "images.npy", vectors[0])
    b = write(tmp_path / "reports.parquet", vectors[1][:3], ["007", "8", "9"], key="study_id")
    c = tmp_path / "ids.csv"
    pd.DataFrame({"image_id": NAMES, "study_id": ["8", "007", "007", "9", "8", "9"]}).to_csv(c, index=False)
    _, reports, table = read_embeddings(a, b, c)
    assert np.allclose(reports, vectors[1][[1, 0, 0, 2, 1, 2]], atol=1e-7)
    assert table["study_id"].tolist() == ["8", "007", "007", "9", "8", "9"]


def test_numbers_meet_digits(tmp_path: Path, vectors: tuple[Any, Any]) -> None:
    a = write(tmp_path / "images.safetensors", vectors[0], [15, 14, 13, 12, 11, 10])
    b = write(tmp_path / "reports.csv", vectors[1], ["10", "11", "12", "13", "14", "15"])
    _, reports, table = read_embeddings(a, b)
    assert np.allclose(reports, vectors[1][::-1], atol=1e-7)
    assert table["image_id"].tolist() == ["15", "14", "13", "12", "11", "10"]


def test_a_column_of_lists_is_vectors_too(tmp_path: Path, vectors: tuple[Any, Any]) -> None:
    path = tmp_path / "images.parquet"
    pd.DataFrame({"image_id": NAMES, "embedding": list(vectors[0])}).to_parquet(path)
    images, _, _ = read_embeddings(path, write(tmp_path / "reports.npz", vectors[1], NAMES))
    assert np.allclose(images, vectors[0], atol=1e-7)


def test_dimensions_go_by_their_numbers(tmp_path: Path, vectors: tuple[Any, Any]) -> None:
    path = tmp_path / "images.csv"
    table = pd.DataFrame(np.tile(vectors[0], 3), columns=[f"dim_{place}" for place in range(1, 13)])
    table[[f"dim_{place}" for place in (12, 3, 1, 2, 4, 5, 6, 7, 8, 9, 11, 10)]].to_csv(path, index=False)
    images, _, _ = read_embeddings(path, write(tmp_path / "reports.npy", np.tile(vectors[1], 3)))
    assert np.allclose(images, np.tile(vectors[0], 3) / np.sqrt(3), atol=1e-6)


@pytest.mark.parametrize("column", ["patient_id", "Unnamed: 0", "age", "d9", "x4"])
def test_another_column_does_not_pass_for_a_dimension(tmp_path: Path, vectors: tuple[Any, Any], column: str) -> None:
    for name, values in zip(("a.csv", "b.csv"), vectors, strict=True):
        table = pd.DataFrame(values, columns=[f"d{place}" for place in range(DIM)])
        table.assign(image_id=NAMES, **{column: range(N)}).to_csv(tmp_path / name, index=False)
    with pytest.raises(InputError, match="has columns besides one of ids"):
        read_embeddings(tmp_path / "a.csv", tmp_path / "b.csv")


def test_a_map_of_unit_length_is_not_loaded(
    tmp_path: Path, vectors: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precomputed, "BLOCK", 2 * DIM)
    unit = vectors[0] / np.linalg.norm(vectors[0].astype(np.float64), axis=1, keepdims=True).astype(np.float32)
    a, b = write(tmp_path / "a.npy", unit), write(tmp_path / "b.npy", 7 * vectors[1].astype(np.float64))
    images, reports, _ = read_embeddings(a, b)
    assert isinstance(images, np.memmap)
    assert reports.dtype == np.float32
    assert np.allclose(reports, vectors[1], atol=1e-6)
    _, reports, _ = read_embeddings(a, write(tmp_path / "b.npy", vectors[1] * np.float32(1.001)))
    assert np.allclose(np.linalg.norm(reports, axis=1), 1, atol=1e-6)


def swapped(values: Any, row: int, value: float) -> Any:
    changed = values.copy()
    changed[row] = value
    return changed


@pytest.mark.parametrize(
    ("images", "reports", "told"),
    [
        (lambda v: swapped(v, 2, np.nan), None, "1 image embeddings hold values that are not numbers"),
        (None, lambda v: swapped(v, 2, np.inf), "1 report embeddings hold values that are not numbers"),
        (None, lambda v: swapped(v, 2, 0), "1 report embeddings are all zero"),
        (lambda v: v[:, :3], None, "image embeddings have 3 dimensions and report embeddings 4"),
        (None, lambda v: v[:-1], "5 report embeddings for 6 pairs"),
        (lambda v: v.ravel(), None, "does not hold n rows of vectors"),
        (lambda v: v[:0], None, "does not hold n rows of vectors"),
        (lambda v: v.astype(complex), None, "does not hold n rows of vectors"),
    ],
)
def test_bad_vectors_are_told_in_a_sentence(
    tmp_path: Path, vectors: tuple[Any, Any], images: Any, reports: Any, told: str
) -> None:
    a = write(tmp_path / "a.npy", images(vectors[0]) if images else vectors[0])
    b = write(tmp_path / "b.npy", reports(vectors[1]) if reports else vectors[1])
    with pytest.raises(InputError, match=told):
        read_embeddings(a, b)


@pytest.mark.parametrize(
    ("image_ids", "report_ids", "table_ids", "told"),
    [
        (["im0", *NAMES[:-1]], NAMES, NAMES, "1 ids of the image embeddings appear more than once"),
        (NAMES, ["im0", *NAMES[:-1]], NAMES, "1 ids of the report embeddings appear more than once"),
        (NAMES, NAMES, ["im0", *NAMES[:-1]], "1 rows repeat an image_id"),
        ([*NAMES[:-1], "zz9"], NAMES, NAMES, "1 ids of the image embeddings are not in the table"),
        (NAMES, [*NAMES[:-1], "zz9"], NAMES, "1 ids of the table are not in the report embeddings"),
        (NAMES, NAMES, [*NAMES, "im7"], "1 ids of the table are not in the image embeddings"),
        (NAMES, None, NAMES[::-1], "only the image embeddings carry ids"),
        (None, NAMES, NAMES[:-1], "6 image embeddings for 5 pairs"),
    ],
)
def test_ids_that_do_not_belong_together_are_told_without_a_value(
    tmp_path: Path, vectors: tuple[Any, Any], image_ids: Any, report_ids: Any, table_ids: Any, told: str
) -> None:
    a = write(tmp_path / "a.npz", vectors[0], image_ids)
    b = write(tmp_path / "b.npz", vectors[1], report_ids)
    c = tmp_path / "ids.csv"
    pd.DataFrame({"image_id": table_ids}).to_csv(c, index=False)
    with pytest.raises(InputError, match=told) as refused:
        read_embeddings(a, b, c)
    assert "zz9" not in str(refused.value) and "im0" not in str(refused.value)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"study_id": NAMES}, "has no column image_id"),
        ({"image_id": [None, *NAMES[1:]]}, "1 rows have no image_id"),
        ({"image_id": NAMES, "Edema": [1, 0, 2, 2, 0, 1]}, "2 values of Edema are not 1, 0, -1 or empty"),
        ({"image_id": NAMES, "sex": ["F", "M", "left", "F", "F", "F"]}, "1 values of sex cannot be read"),
        (
            {"image_id": NAMES, "age": ["40", "old", "1", "2", "3", "4"]},
            "1 values of age cannot be read",
        ),
    ],
)
def test_a_bad_table_is_told_in_a_sentence(
    tmp_path: Path, vectors: tuple[Any, Any], table: dict[str, Any], told: str
) -> None:
    a, b = write(tmp_path / "a.npy", vectors[0]), write(tmp_path / "b.npy", vectors[1])
    c = tmp_path / "ids.csv"
    pd.DataFrame(table).to_csv(c, index=False)
    with pytest.raises(InputError, match=told):
        read_embeddings(a, b, c)


class Trap:
    sprung = False

    def __reduce__(self) -> Any:
        return (setattr, (Trap, "sprung", True))


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.parquet", "a.csv", "a.safetensors", "a.pkl", "missing.npy"])
def test_what_is_not_vectors_is_refused_and_never_unpickled(
    tmp_path: Path, vectors: tuple[Any, Any], name: str
) -> None:
    path = tmp_path / name
    if name == "a.npy":
        np.save(path, np.array([Trap()], dtype=object), allow_pickle=True)
    elif name != "missing.npy":
        path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(
        InputError, match=r"cannot be read as embeddings|is not a file of embeddings|does not hold n rows"
    ):
        read_embeddings(path, write(tmp_path / "b.npy", vectors[1]))
    assert not Trap.sprung


def test_an_archive_with_more_than_vectors_and_ids_is_refused(tmp_path: Path, vectors: tuple[Any, Any]) -> None:
    np.savez(tmp_path / "a.npz", one=vectors[0], two=vectors[0])
    with pytest.raises(InputError, match="cannot be read as embeddings"):
        read_embeddings(tmp_path / "a.npz", write(tmp_path / "b.npy", vectors[1]))
    np.savez(tmp_path / "a.npz", vectors=vectors[0], image_id=np.array(NAMES[:-1]))
    with pytest.raises(InputError, match="another number of ids"):
        read_embeddings(tmp_path / "a.npz", write(tmp_path / "b.npy", vectors[1]))


@pytest.mark.parametrize("name", ["pleural_effusion", "Pleural Effusion", "PLEURAL EFFUSION", "PleuralEffusion"])
def test_labels_are_read_in_any_spelling(tmp_path: Path, name: str) -> None:
    (tmp_path / "ids.csv").write_text(f"Image ID;{name}\na;1\nb;0\nc;uncertain\n")
    assert list(read_ids(tmp_path / "ids.csv")["Pleural Effusion"]) == [1, 0, -1]


def test_columns_of_ids_may_be_mapped(tmp_path: Path) -> None:
    (tmp_path / "ids.csv").write_text("Bild;Patient\na;7\n")
    table = read_ids(tmp_path / "ids.csv", InputOptions.of(["image_id=Bild"]))
    assert dict(table.iloc[0]) == {"image_id": "a", "patient_id": "7"}
