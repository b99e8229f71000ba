"""The JSON keeps to its published schema, and the schema refuses what is not a report."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from medveil.report import schema
from medveil.report.content import ReportContent

Written = Callable[[ReportContent], Path]
Change = Callable[[dict[str, Any]], object]


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} in the JSON")


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def test_every_sample_is_valid(
    sample: ReportContent, written: Written, validator: jsonschema.Draft202012Validator
) -> None:
    text = written(sample).with_name("report.json").read_text(encoding="utf-8")
    document = json.loads(text, parse_constant=refuse_constant)
    validator.validate(document)
    assert document["verdict"] == sample.verdict
    assert document == sample.to_json()


def objects(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from objects(child)


def test_every_missing_or_added_field_is_refused(
    passing: ReportContent, validator: jsonschema.Draft202012Validator
) -> None:
    document = passing.to_json()
    estimate = {"value", "interval"}
    fixed = [node for node in objects(document) if {"schema"} <= node.keys() or estimate <= node.keys()]
    fixed += [
        document["subject"],
        document["provenance"],
        document["removals"][0],
        document["gaps"][0],
        document["check"],
        document["sheet"],
        document["sheet"]["recipient"],
        document["sheet"]["decisions"][0],
    ]
    fixed += [document["comparisons"][0], document["comparisons"][0]["after"]]
    fixed += document["comparisons"][0]["after"]["figures"]
    fixed += document["comparisons"][1]["after"]["pictures"]
    for node in fixed:
        for name in list(node):
            kept = node.pop(name)
            assert not validator.is_valid(document), name
            node[name] = kept
        node["surprise"] = 1
        assert not validator.is_valid(document)
        del node["surprise"]
    assert len(fixed) > 10


MUTATIONS: dict[str, Change] = {
    "other version": lambda d: d.update(schema="medveil.report/2"),
    "unknown verdict": lambda d: d.update(verdict="MAYBE"),
    "negative count": lambda d: d["subject"].update(images=-1),
    "count as text": lambda d: d["subject"].update(images="612"),
    "PASS with a reason": lambda d: d["reasons"].append("It leaks."),
    "PASS with a blocking gap": lambda d: d["gaps"][0].update(blocking=True),
    "PASS over a finding of the check": lambda d: d["check"]["found"].update({"known identifiers in files: NAME": 1}),
    "PASS over a FAIL": lambda d: d["comparisons"][0].update(verdict="FAIL"),
    "PASS without an attack": lambda d: d.update(comparisons=d["comparisons"][2:]),
    "FAIL without a reason": lambda d: d.update(verdict="FAIL"),
    "judged without a threshold": lambda d: d["comparisons"][0]["after"].update(threshold=None),
    "interval of one end": lambda d: d["comparisons"][0]["change"].update(interval=[0.1]),
    "interval of three ends": lambda d: d["comparisons"][0]["change"].update(interval=[0.1, 0.2, 0.3]),
    "level of one": lambda d: d["comparisons"][0]["change"].update(level=1),
    "unknown guarantee": lambda d: d["removals"][0]["guarantee"].update(kind="promised"),
    "picture from elsewhere": lambda d: d["comparisons"][1]["after"]["pictures"][0].update(source="https://x/y.png"),
    "picture that acts": lambda d: d["comparisons"][1]["after"]["pictures"][0].update(source="data:text/html,x"),
    "unknown recipient": lambda d: d["sheet"]["recipient"].update(kind="friends"),
    "empty answer": lambda d: d["sheet"].update(purpose=""),
    "unknown figure": lambda d: d["comparisons"][0]["after"]["figures"][0].update(kind="pie"),
}


@pytest.mark.parametrize("change", MUTATIONS.values(), ids=MUTATIONS.keys())
def test_a_mutated_report_is_refused(
    change: Change, passing: ReportContent, validator: jsonschema.Draft202012Validator
) -> None:
    document = copy.deepcopy(passing.to_json())
    assert validator.is_valid(document)
    change(document)
    assert not validator.is_valid(document)


def test_every_field_is_documented() -> None:
    for node in objects(schema()):
        for name, field in node.get("properties", {}).items():
            if "additionalProperties" in node:  # a definition, not a condition
                assert len(field["description"]) > 3, name


def test_values_that_json_does_not_know_are_refused(passing: ReportContent) -> None:
    passing.to_json()
    strange = {"settings": {"device": object()}}
    content = ReportContent(
        passing.subject, (), (), (), type(passing.provenance)(**{**vars(passing.provenance), **strange})
    )
    with pytest.raises(TypeError, match="object"):
        content.to_json()
