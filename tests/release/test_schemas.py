"""What `deid` and `verify` write keeps to its published schema, and the schema refuses anything else."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from medveil.cohort.phantom.hospital import build_hospital
from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses, deidentify
from medveil.release.verify.run import verify
from medveil.report import schema
from medveil.report.page import Document

KEYS = Keys.for_demonstration(9)
NAMES: tuple[Document, ...] = ("deid", "verify", "manifest")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two patients, a table with one good row and one bad one, and a file that cannot be read."""
    source, out = tmp_path_factory.mktemp("schemas") / "in", tmp_path_factory.mktemp("schemas") / "out"
    build_hospital(source, patients=2, size=128, seed=3, workers=1)
    (source / "table.csv").write_text("subject_id,report\n77001,No effusion. Seen by Dr. Jane Miller.\n77002,\n")
    (source / "broken.dcm").write_bytes(b"\0" * 128 + b"DICM" + b"\xff" * 40)
    deidentify(source, out, keys=KEYS, defenses=deid_defenses(), workers=1)
    stray = out / "data" / "stray.txt"
    stray.write_text("a file without an original, so that there is something to find")
    verify(out, source, keys=KEYS, workers=1)
    return out


def validator(name: Document) -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(schema(name))
    return jsonschema.Draft202012Validator(schema(name))


def closed(node: Any, rules: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The objects of a document whose fields are fixed, with their rules."""
    if isinstance(node, dict) and rules.get("additionalProperties") is False:
        yield node, rules
        for name, child in node.items():
            yield from closed(child, rules["properties"][name])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_valid_and_nothing_else_is(out: Path, name: Document) -> None:
    document = json.loads((out / f"{name}.json").read_text())
    rules = validator(name)
    rules.validate(document)
    assert document["format"] == f"medveil.{name}/{2 if name == 'deid' else 1}"
    seen = 0
    for path, _ in enumerate(list(closed(document, schema(name)))):
        changed = copy.deepcopy(document)
        node, known = list(closed(changed, schema(name)))[path]
        node["surprise"] = 1
        assert not rules.is_valid(changed)
        del node["surprise"]
        for field in known["required"]:
            kept = node.pop(field)
            assert not rules.is_valid(changed), field
            node[field] = kept
            seen += 1
    assert seen >= len(schema(name)["required"])


def test_the_sample_says_something_of_everything(out: Path) -> None:
    """Empty counts would fit any schema."""
    deid, verified = (json.loads((out / f"{name}.json").read_text()) for name in ("deid", "verify"))
    assert deid["files"]["withheld"] and deid["rows"]["released"] and deid["quarantined"]
    assert {"header", "report"} <= set(deid["identifiers"])
    assert verified["leaks"] and verified["by_check"]["files"] == 1
    assert json.loads((out / "manifest.json").read_text())["outcome"] == verified


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_described(name: Document) -> None:
    for field, rules in schema(name)["properties"].items():
        assert rules.get("description") or rules.get("properties"), field
