from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from medveil.errors import InputError, SettingsError
from medveil.federated.approval import approve, read_approval, write_approval
from medveil.federated.credentials import make_identity
from medveil.federated.node_keys import CURVE, public_line
from medveil.federated.plan import Plan, plan_of, read_plan, read_table

KEYS = {name: ec.generate_private_key(CURVE) for name in ("north", "south", "west")}
TABLE: dict[str, Any] = {
    "title": "Effusions",
    "data": "frontal films of adults",
    "rounds": 5,
    "recipe": {"side": 32, "channels": 8, "text": "none", "findings": ["Edema"]},
    "coordinator": {"name": "North", "address": "127.0.0.1:8000"},
    "sites": {name: public_line(key) for name, key in KEYS.items()},
}


def test_every_entry_of_a_plan_is_in_its_digest() -> None:
    plan = plan_of(TABLE)
    changes: list[dict[str, Any]] = [
        {"title": "Effusion"},
        {"data": "films"},
        {"rounds": 6},
        {"secure_sums": False, "recipe": TABLE["recipe"] | {"weighting": "equal"}},
        {"limit": 2},
        {"heaviest": 5},
        {"group": 16},
        {"patience": 5},
        {"bad_sites": 2},
        {"recipe": TABLE["recipe"] | {"local_steps": 11}},
        {"coordinator": TABLE["coordinator"] | {"address": "127.0.0.1:8001"}},
        {"coordinator": TABLE["coordinator"] | {"name": "South"}},
        {"sites": TABLE["sites"] | {"west": public_line(ec.generate_private_key(CURVE))}},
    ]
    digests = {plan.digest, *(plan_of(TABLE | change).digest for change in changes)}
    assert len(digests) == len(changes) + 1
    assert plan_of(dict(reversed(TABLE.items()))).digest == plan.digest


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rounds": 0}, "at least one round"),
        ({"rounds": True}, "a whole number"),
        ({"secret": 1}, "no entry called secret"),
        ({"limit": float("inf")}, "finite"),
        ({"group": 5}, "groups of 6 to 1,000 sites"),
        ({"group": 1001}, "groups of 6 to 1,000 sites"),
        ({"patience": "long"}, "a number"),
        ({"title": " "}, "has a title"),
        ({"aggregation": "krum"}, "secure sums hide exactly these"),
        ({"aggregation": "krum", "secure_sums": False}, "may only be told under masks"),
        ({"coordinator": {"name": "x", "address": "fed.example.org:8000"}}, "stays on one machine"),
        ({"coordinator": {"name": "x", "address": "127.0.0.1"}}, "a host and a port"),
        ({"coordinator": {"name": "x", "address": "127.0.0.1:8000", "authority": "AAAA"}}, "one line of letters"),
        ({"sites": {"a": "xyz", "b": "xyy", "c": "zzz"}}, "one line of letters"),
        ({"sites": dict(list(TABLE["sites"].items())[:2])}, "at least 3 sites"),
        ({"sites": {**TABLE["sites"], "again": TABLE["sites"]["west"]}}, "same node key"),
        ({"sites": {**TABLE["sites"], "../up": TABLE["sites"]["west"]}}, "name is up to"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(change: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        plan_of(TABLE | change)


def test_a_plan_with_a_certificate_may_be_anywhere(tmp_path: Path) -> None:
    authority = make_identity(tmp_path, ["fed.example.org"])
    plan = plan_of(TABLE | {"coordinator": {"name": "x", "address": "fed.example.org:8000", "authority": authority}})
    assert plan.coordinator.host == "fed.example.org" and plan.coordinator.port == 8000


def test_a_plan_tells_a_site_all_it_must_know() -> None:
    told = "\n".join(plan_of(TABLE).in_words())
    for word in ("Effusions", "frontal films of adults", "at most 5", "masks", "127.0.0.1:8000", "north, south, west"):
        assert word in told
    recipe = TABLE["recipe"] | {"privacy": {"epsilon": 3.5}}
    private = plan_of(TABLE | {"recipe": recipe})
    assert "3.5" in "\n".join(private.in_words()) and not private.by_patients


def test_a_site_reads_whether_its_number_of_patients_leaves_it() -> None:
    by_patients = plan_of(TABLE | {"recipe": TABLE["recipe"] | {"weighting": "patients"}})
    alike = plan_of(TABLE | {"recipe": TABLE["recipe"] | {"weighting": "equal"}})
    leaves, never = "how many patients this site has", "ids, counts"
    assert leaves in "\n".join(by_patients.in_words()) and never not in "\n".join(by_patients.in_words())
    assert leaves not in "\n".join(alike.in_words()) and never in "\n".join(alike.in_words())


def test_a_plan_is_read_from_its_file(tmp_path: Path) -> None:
    lines = [f'{name} = "{key}"' for name, key in TABLE["sites"].items()]
    path = tmp_path / "plan.toml"
    path.write_text(
        'title = "Effusions"\ndata = "frontal films of adults"\nrounds = 5\n[coordinator]\nname = "North"\n'
        'address = "127.0.0.1:8000"\n[recipe]\nside = 32\nchannels = 8\ntext = "none"\nfindings = ["Edema"]\n[sites]\n'
        + "\n".join(lines)
    )
    assert read_plan(path).digest == plan_of(TABLE).digest
    path.write_text("title = ?")
    with pytest.raises(InputError, match=r"not valid TOML: .* \(at line 1"):
        read_plan(path)
    with pytest.raises(InputError, match="no plan"):
        read_plan(tmp_path / "none.toml")


def test_the_plan_of_the_pages_is_one_and_names_every_entry() -> None:
    example = Path(__file__).parents[2] / "docs" / "examples" / "plan.toml"
    assert read_plan(example).names == ("north", "south", "west")
    assert set(read_table(example)) == {one.name for one in fields(Plan)}


def test_an_approval_holds_for_one_plan_and_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(TABLE)
    approval = approve(plan, KEYS["south"])
    assert approval.site == "south" and approval.holds(plan)
    assert not approval.holds(plan_of(TABLE | {"rounds": 6}))
    assert not replace(approval, site="north").holds(plan)
    assert not replace(approval, when="2020-01-01T00:00:00+00:00").holds(plan)
    assert not replace(approval, signature="00").holds(plan)
    monkeypatch.setattr("medveil.federated.approval.read_node_key", lambda folder: KEYS["south"])
    write_approval(tmp_path, approval)
    assert read_approval(tmp_path, plan) == approval
    with pytest.raises(SettingsError, match="not this one"):
        read_approval(tmp_path, plan_of(TABLE | {"rounds": 6}))
    write_approval(tmp_path, approve(plan, KEYS["north"]))  # another site's, which the coordinator has seen
    with pytest.raises(SettingsError, match="not signed by this site"):
        read_approval(tmp_path, plan)
    write_approval(tmp_path, replace(approval, site="north"))
    with pytest.raises(SettingsError, match="not signed by this site"):
        read_approval(tmp_path, plan)
    (tmp_path / "approval.json").write_text("{")
    with pytest.raises(InputError, match="not a readable approval"):
        read_approval(tmp_path, plan)


def test_a_key_that_is_not_in_the_plan_approves_nothing() -> None:
    with pytest.raises(SettingsError, match="not in the plan"):
        approve(plan_of(TABLE), ec.generate_private_key(CURVE))


def test_many_sites_add_up_in_groups_and_are_told_of_how_many() -> None:
    sites = {f"site {number:02}": public_line(ec.generate_private_key(CURVE)) for number in range(20)}
    plan = plan_of(TABLE | {"sites": sites, "group": 8})
    groups = {tuple(members) for members in plan.groups.values()}
    assert sorted(map(len, groups)) == [6, 7, 7] and sum(groups, ()) and set(plan.groups) == set(sites)
    assert all(name in members for name, members in plan.groups.items())
    assert plan.summands == 5 and "the sum of at least 5 sites" in "\n".join(plan.in_words())
    assert plan_of(TABLE | {"sites": sites}).summands == 14


def test_a_rule_against_poison_has_no_round_with_fewer_sites_than_it_needs() -> None:
    sites = {f"site {number}": public_line(ec.generate_private_key(CURVE)) for number in range(6)}
    plan = plan_of(
        TABLE
        | {"sites": sites, "secure_sums": False, "aggregation": "krum"}
        | {"recipe": TABLE["recipe"] | {"weighting": "equal"}}
    )
    assert plan.fewest == 5
    assert replace(plan, aggregation="mean").fewest == 2
