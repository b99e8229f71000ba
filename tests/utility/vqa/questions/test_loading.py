"""Data sets of questions in small trees of exactly the layouts in which they are published."""

from __future__ import annotations

import io
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from medveil.errors import InputError, Quarantined
from medveil.utility.vqa.questions.entries import NOT_FETCHED, REDEALT
from medveil.utility.vqa.questions.loading import read_questions


def save_picture(path: Path, shade: int, *, colour: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.full((8, 6, 3), shade, np.uint8)
    if colour:
        pixels[..., 1] = 255 - shade
    Image.fromarray(pixels).save(path)


def vqa_rad_entry(qid: int, image: str, question: str, answer: Any, phrase: str, **more: str) -> dict[str, Any]:
    """With all fields of the published file."""
    return {
        "qid": qid,
        "phrase_type": phrase,
        "qid_linked_id": "03f451ca-de62-4617-9679-e836026a7642",
        "image_case_url": "https://medpix.nlm.nih.gov/case?id=48e1dd0e",
        "image_name": image,
        "image_organ": "HEAD",
        "evaluation": "not evaluated",
        "question": question,
        "question_rephrase": "NULL",
        "question_relation": "NULL",
        "question_frame": "NULL",
        "answer": answer,
        "answer_type": "CLOSED ",
        "question_type": "PRES",
    } | more


@pytest.fixture
def vqa_rad(tmp_path: Path) -> Path:
    entries = [
        vqa_rad_entry(0, "synpic1.jpg", "Are regions of the brain infarcted?", "Yes", "freeform"),
        vqa_rad_entry(1, "synpic1.jpg", "How many lesions?", 4, "test_freeform", question_type="COUNT"),
        vqa_rad_entry(1, "synpic2.jpg", "Which side?", "left", "para", question_type="POS, PRES"),
        vqa_rad_entry(3, "synpic2.jpg", "Is it\tnormal?", "no", "test_para", question_type="ABN"),
        vqa_rad_entry(4, "synpic9.jpg", "Is it lost?", "no", "freeform"),
    ]
    (tmp_path / "VQA_RAD Dataset Public.json").write_text(json.dumps(entries))
    for number in (1, 2):
        save_picture(tmp_path / "VQA_RAD Image Folder" / f"synpic{number}.jpg", 40 * number)
    return tmp_path


def test_vqa_rad_as_published_is_dealt_out_anew_by_image(vqa_rad: Path) -> None:
    table = read_questions(vqa_rad)

    assert [question.answer for question in table.questions] == ["Yes", "4", "left", "no"]
    assert [question.kind for question in table.questions] == ["presence", "count", "place", "abnormality"]
    assert [question.closed for question in table.questions] == [True, False, False, True]
    assert table.questions[3].text == "Is it normal?"
    assert set(table.splits) == {"synpic1.jpg", "synpic2.jpg"}
    assert table.remarks == (REDEALT, NOT_FETCHED.format(1, 5))  # synpic9 is not in the folder
    assert table.image("synpic2.jpg").shape == (8, 6) and abs(int(table.image("synpic2.jpg")[0, 0]) - 80) < 3


def test_a_copy_dealt_out_by_image_keeps_its_splits(tmp_path: Path) -> None:
    entries = [
        vqa_rad_entry(0, "a.png", "Is it?", "yes", "freeform", split="train"),
        vqa_rad_entry(1, "b.png", "Is it?", "no", "freeform", split="val"),
    ]
    (tmp_path / "questions.json").write_text(json.dumps(entries))
    for name in ("a.png", "b.png"):
        save_picture(tmp_path / "images" / name, 9)
    table = read_questions(tmp_path)
    assert table.splits == {"a.png": "train", "b.png": "val"} and not table.remarks


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not readable JSON"),
        ("{}", "not a list of questions"),
        ('[{"qid": 1}]', "question 1 in .* has no image_name"),
        ("[3]", "question 1 in .* has no qid"),
        (json.dumps([vqa_rad_entry(0, "gone.jpg", "Is it?", "no", "freeform")]), "none of the images"),
    ],
)
def test_a_file_of_questions_that_is_none(vqa_rad: Path, content: str, said: str) -> None:
    (vqa_rad / "VQA_RAD Dataset Public.json").write_text(content)
    with pytest.raises(InputError, match=said):
        read_questions(vqa_rad)


def test_an_image_outside_the_folder_is_refused(vqa_rad: Path) -> None:
    save_picture(vqa_rad / "secret.jpg", 3)
    entries = [vqa_rad_entry(0, "../secret.jpg", "Is it?", "no", "freeform")]
    (vqa_rad / "VQA_RAD Dataset Public.json").write_text(json.dumps(entries))
    with pytest.raises(InputError, match="outside its folder"):
        read_questions(vqa_rad)


def slake_entry(qid: int, image: str, question: str, answer: str, language: str) -> dict[str, Any]:
    return {
        "img_id": 1,
        "img_name": image,
        "question": question,
        "answer": answer,
        "q_lang": language,
        "location": "Abdomen",
        "modality": "MRI",
        "answer_type": "OPEN",
        "base_type": "vqa",
        "content_type": "Modality",
        "triple": ["vhead", "_", "_"],
        "qid": qid,
    }


@pytest.fixture
def slake(tmp_path: Path) -> Path:
    for name, image in (("train", "xmlab1"), ("validate", "xmlab2"), ("test", "xmlab3")):
        entries = [
            slake_entry(0, f"{image}/source.jpg", "What modality is used?", "MRI", "en"),
            slake_entry(1, f"{image}/source.jpg", "这是MRI吗?", "是", "zh"),
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
        save_picture(tmp_path / "imgs" / image / "source.jpg", 90)
    return tmp_path


def test_slake_keeps_its_splits_and_is_read_by_language(slake: Path) -> None:
    table = read_questions(slake)
    assert len(table) == 3 and {question.kind for question in table.questions} == {"modality"}
    assert table.splits == {"xmlab1/source.jpg": "train", "xmlab2/source.jpg": "val", "xmlab3/source.jpg": "test"}
    assert table.image("xmlab2/source.jpg").shape == (8, 6) and not table.remarks

    chinese = read_questions(slake, language="zh")
    assert all(question.closed and question.answer == "yes" for question in chinese.questions)
    with pytest.raises(InputError, match="no question in the language fr"):
        read_questions(slake, language="fr")


def test_slake_of_the_hub_names_a_file_otherwise(slake: Path) -> None:
    (slake / "validate.json").rename(slake / "validation.json")
    assert read_questions(slake).splits["xmlab2/source.jpg"] == "val"


def test_a_part_of_a_data_set_stays_the_part_it_is(slake: Path) -> None:
    for name in ("train.json", "validate.json"):
        (slake / name).unlink()
    table = read_questions(slake)
    assert table.splits == {"xmlab3/source.jpg": "test"} and not table.remarks


def bytes_of(shade: int, *, colour: bool) -> bytes:
    pixels = np.full((8, 6, 3), shade, np.uint8)
    if colour:
        pixels[..., 1] = 255 - shade
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def write_shard(path: Path, rows: list[tuple[bytes, str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    image = pa.array([{"bytes": content, "path": None} for content, _, _ in rows],
                     pa.struct([("bytes", pa.binary()), ("path", pa.string())]))  # fmt: skip
    columns = {"image": image, "question": [row[1] for row in rows], "answer": [row[2] for row in rows]}
    pq.write_table(pa.table(columns), path, row_group_size=2)


@pytest.fixture
def path_vqa(tmp_path: Path) -> Path:
    for number, name in enumerate(("train", "validation", "test")):
        first, second = bytes_of(10 + number, colour=True), bytes_of(60 + number, colour=False)
        rows = [(first, "where are liver stem cells located?", "canals of hering"), (first, "is it red?", "yes"),
                (second, "is bone present?", "no")]  # fmt: skip
        write_shard(tmp_path / "data" / f"{name}-00000-of-00001-0a1b2c3d4e5f.parquet", rows)
    return tmp_path


def test_the_hubs_parquet_files_tell_images_apart_by_their_bytes(path_vqa: Path) -> None:
    table = read_questions(path_vqa)
    assert len(table) == 9 and len(table.image_ids) == 6 and not table.remarks
    assert sorted(set(table.splits.values())) == ["test", "train", "val"]
    colour, gray = (table.image(image) for image in table.image_ids[:2])
    assert colour.shape == (8, 6, 3) and gray.shape == (8, 6)
    assert len(table.part("val").image_ids) == 2


def test_splits_of_the_hub_that_share_an_image_are_dealt_out_anew(path_vqa: Path) -> None:
    shared = bytes_of(10, colour=True)
    write_shard(path_vqa / "data" / "test-00000-of-00001.parquet", [(shared, "is it red?", "yes")])
    table = read_questions(path_vqa)
    assert table.remarks == (REDEALT,)
    assert len(table.splits) == len(table.image_ids)


@pytest.fixture
def path_vqa_of_its_authors(tmp_path: Path) -> Path:
    for number, split in enumerate(("train", "val", "test")):
        entries = [
            {"image": f"{split}_0000", "question": "where are liver stem cells located?", "answer": "canals of hering"},
            {"image": f"{split}_0000", "question": "is it red?", "answer": "yes"},
            {"image": f"{split}_0001", "question": "is it lost?", "answer": "no"},
        ]
        (tmp_path / "qas" / split).mkdir(parents=True)
        (tmp_path / "qas" / split / f"{split}_qa.pkl").write_bytes(pickle.dumps(entries))
        save_picture(tmp_path / "images" / split / f"{split}_0000.jpg", 60 * number, colour=True)
    (tmp_path / "qas" / "ans2label.pkl").write_bytes(pickle.dumps({"yes": 0}))
    return tmp_path


def test_path_vqa_as_its_authors_publish_it(path_vqa_of_its_authors: Path) -> None:
    table = read_questions(path_vqa_of_its_authors)
    assert len(table) == 6 and len(table.image_ids) == 3
    assert table.remarks == (NOT_FETCHED.format(3, 9),)
    assert [question.closed for question in table.questions] == [False, True] * 3
    assert [table.splits[image] for image in table.image_ids] == ["train", "val", "test"]
    assert table.image(table.image_ids[2]).shape == (8, 6, 3)


def test_one_picture_under_two_names_is_one_image(path_vqa_of_its_authors: Path) -> None:
    images = path_vqa_of_its_authors / "images"
    (images / "test" / "test_0000.jpg").write_bytes((images / "train" / "train_0000.jpg").read_bytes())
    table = read_questions(path_vqa_of_its_authors)
    assert len(table.image_ids) == 2 and REDEALT in table.remarks


@pytest.mark.parametrize("content", [b"", b"nothing of the kind", pickle.dumps({"image": "train_0000"})])
def test_a_damaged_pickle(path_vqa_of_its_authors: Path, content: bytes) -> None:
    (path_vqa_of_its_authors / "qas" / "val" / "val_qa.pkl").write_bytes(content)
    with pytest.raises(InputError, match="is not a list of questions"):
        read_questions(path_vqa_of_its_authors)


def test_a_picture_outside_the_folder_is_refused(path_vqa_of_its_authors: Path) -> None:
    entries = [{"image": "../../secret", "question": "is it?", "answer": "no"}]
    (path_vqa_of_its_authors / "qas" / "val" / "val_qa.pkl").write_bytes(pickle.dumps(entries))
    with pytest.raises(InputError, match="outside its folder"):
        read_questions(path_vqa_of_its_authors)


def test_a_pickle_runs_nothing(path_vqa_of_its_authors: Path) -> None:
    ran = path_vqa_of_its_authors / "ran"

    class Bomb:
        def __reduce__(self) -> tuple[Any, Any]:
            return Path.touch, (ran,)

    (path_vqa_of_its_authors / "qas" / "train" / "train_qa.pkl").write_bytes(pickle.dumps([Bomb()]))
    with pytest.raises(InputError, match="names code to be run"):
        read_questions(path_vqa_of_its_authors)
    assert not ran.exists()


@pytest.mark.parametrize("content", [b"", b"PAR1 nothing of the kind PAR1"])
def test_a_damaged_parquet_file(path_vqa: Path, content: bytes) -> None:
    (path_vqa / "data" / "train-00000-of-00001.parquet").write_bytes(content)
    with pytest.raises(InputError, match="not a readable parquet file"):
        read_questions(path_vqa)


def test_an_image_that_cannot_be_decoded_is_set_aside(tmp_path: Path) -> None:
    write_shard(tmp_path / "train-00000-of-00001.parquet", [(b"no picture", "is it?", "no")])
    table = read_questions(tmp_path)
    with pytest.raises(Quarantined, match="unreadable pixel data"):
        table.image(table.image_ids[0])


def test_a_folder_of_anything_else(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no questions"):
        read_questions(tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        read_questions(tmp_path / "gone")


@pytest.mark.real_data
def test_the_copy_at_hand(real_data: Path) -> None:
    table = read_questions(real_data / "vqa_rad")
    assert len(table) == 2652 and len(table.part("val").image_ids) == 38
    assert not set(table.part("val").image_ids) & set(table.part("train").image_ids)
