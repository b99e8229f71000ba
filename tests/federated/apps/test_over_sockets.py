from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import numpy as np
import pytest
from flwr.supercore.protobuf.constants import PROTOBUF_MEDIA_TYPE

from medveil.errors import InputError, SettingsError, StorageError
from medveil.federated.approval import approve, write_approval
from medveil.federated.apps.connection import Connection, Refused
from medveil.federated.apps.link import Certificate, served
from medveil.federated.coordinator import coordinate
from medveil.federated.credentials import (
    authority_pem,
    make_identity,
    make_node_key,
    read_identity,
    read_node_key,
)
from medveil.federated.joining import join
from medveil.federated.participant import Arrays
from medveil.federated.record import read_record

Made = Callable[..., Any]  # a consortium of the steps its sites take


def test_sites_and_coordinator_train_under_masks_and_tls(consortium: Made, first_weights: Arrays) -> None:
    here = consortium({"north": 0.1, "south": 0.2, "west": 0.3}, tls=True)
    here.start()
    record = here.coordinate()
    here.wait()
    assert here.ends == dict.fromkeys(here.plan.names, "finished")
    assert here.gained(record, first_weights) == pytest.approx(2 * 0.2, abs=1e-6)
    assert [one.took_part for one in record.history] == [("north", "south", "west")] * 2
    numbers = sum(one.size for one in first_weights)
    for one in record.history:
        assert all(4 * numbers < sent < 4 * numbers + 20_000 for sent in one.bytes_sent.values())
    assert all(site.told_the_end for site in record.sites.values())
    assert (here.out / "model.safetensors").exists() and (here.folder / "west" / "model.safetensors").exists()
    for name in here.plan.names:
        assert not (here.folder / name / "session.json").exists()
        left = [json.loads(line) for line in (here.folder / name / "sent.jsonl").read_text().splitlines()]
        assert sum(line["bytes"] for line in left) == record.sites[name].bytes_sent
        steps = ["keys", "shares", "masked", "agreed", "opened"]
        assert [line["what"] for line in left] == ["introduce", *steps, *steps, "over"]


@pytest.mark.slow
def test_patients_count_under_the_masks_only(
    consortium: Made, recipe_table: dict[str, Any], first_weights: Arrays
) -> None:
    recipe = recipe_table | {"weighting": "patients"}
    here = consortium({"north": 0.1, "south": 0.2, "west": 0.3}, recipe=recipe, rounds=1)
    for weight, training in zip((10, 10, 980), here.trainings.values(), strict=True):
        training.weight = weight
    here.start()
    record = here.coordinate()
    here.wait()
    expected = (10 * 0.1 + 10 * 0.2 + 980 * 0.3) / 1000
    assert here.gained(record, first_weights) == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
def test_without_masks_the_rule_of_the_plan_is_used(consortium: Made, first_weights: Arrays) -> None:
    here = consortium({"a": 0.1, "b": 0.2, "c": 5.0}, secure_sums=False, aggregation="median", rounds=1)
    here.start()
    record = here.coordinate()
    here.wait()
    assert here.gained(record, first_weights) == pytest.approx(0.2, abs=1e-6)


@pytest.mark.slow
def test_sites_add_up_in_groups_and_one_that_breaks_is_left_out(consortium: Made, first_weights: Arrays) -> None:
    here = consortium({f"s{number:02}": number / 100 for number in range(13)}, group=6, rounds=1, patience=40.0)
    sizes = {len(members) for members in here.plan.groups.values()}
    assert sizes == {4, 5}
    small = next(members for members in here.plan.groups.values() if len(members) == 4)
    away = sorted(small)[:2]  # of four, three are needed
    here.plan = replace(here.plan, patience=6.0)
    for name in here.plan.names:
        write_approval(here.folder / name, approve(here.plan, read_node_key(here.folder / name)))
    here.start(*(name for name in here.plan.names if name not in away))
    record = here.coordinate(after=lambda record: here.start(*away))
    here.wait()
    took_part = [name for name in here.plan.names if name not in small]
    assert record.history[0].took_part == tuple(took_part)
    assert set(record.history[0].set_aside) == set(small) - set(away)
    expected = np.mean([int(name[1:]) / 100 for name in took_part])
    assert here.gained(record, first_weights) == pytest.approx(expected, abs=1e-6)
    assert set(here.ends.values()) == {"finished"}


def test_another_plan_is_refused_and_everybody_is_told(consortium: Made) -> None:
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3}, patience=1.0)
    other = replace(here.plan, rounds=5)
    with pytest.raises(SettingsError, match="has approved plan"):
        here._site("c", other, None)
    write_approval(here.folder / "c", approve(other, read_node_key(here.folder / "c")))
    here.start("a", "b")
    here.start("c", plan=other)
    with pytest.raises(Exception, match="c has approved another plan"):
        here.coordinate()
    here.wait()
    assert here.ends == {"a": "stopped", "b": "stopped", "c": "plan"}
    assert not here.trainings["c"].asked
    assert read_record(here.out).sites["c"].why == "plan"


def test_a_site_that_is_not_in_the_plan_is_turned_away(consortium: Made) -> None:
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3})
    make_node_key(here.folder / "stranger")
    stranger = read_node_key(here.folder / "stranger")
    calling = Connection(here.plan.coordinator.address, stranger, None)
    with (
        served(here.plan.node_keys, "127.0.0.1", here.plan.coordinator.port, None),
        pytest.raises(Refused, match="does not know this site"),
    ):
        calling.answer(lambda message: message, threading.Event())


def test_a_coordinator_without_the_plans_certificate_gets_nothing(consortium: Made) -> None:
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3}, tls=True)
    make_identity(here.folder / "false", ["127.0.0.1"])
    false = read_identity(here.folder / "false", "127.0.0.1")
    certificate = Certificate(false.certificate, false.key)
    key, authority = read_node_key(here.folder / "a"), authority_pem(here.plan.coordinator.authority)
    with (
        served(here.plan.node_keys, "127.0.0.1", here.plan.coordinator.port, certificate),
        pytest.raises(Refused, match="cannot show the certificate of the plan"),
    ):
        Connection(here.plan.coordinator.address, key, authority).answer(lambda one: one, threading.Event())
    with pytest.raises(SettingsError, match="is not the one of the plan"):
        coordinate(here.plan, here.out, credentials=here.folder / "false")


@pytest.mark.parametrize("answer", [b"\xff" * 99, b"<html>"], ids=["noise", "a page"])
def test_another_program_at_the_coordinators_address_is_told(consortium: Made, answer: bytes) -> None:
    class Another(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            pass

    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3})
    with http.server.HTTPServer(("127.0.0.1", here.plan.coordinator.port), Another) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(Refused, match="something else than a medveil coordinator"):
            Connection(here.plan.coordinator.address, read_node_key(here.folder / "a"), None).answer(
                lambda one: one, threading.Event()
            )
        server.shutdown()


def test_nothing_but_the_fleet_is_served(consortium: Made) -> None:
    """A stock SuperLink takes programs on the same port from whoever reaches it."""
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3})
    kind = {"content-type": PROTOBUF_MEDIA_TYPE, "accept": PROTOBUF_MEDIA_TYPE}
    gone = ["/v1/control/start-run", "/v1/control/list-runs", "/v1/runtime/push-messages", "/docs", "/openapi.json"]
    with served(here.plan.node_keys, "127.0.0.1", here.plan.coordinator.port, None):
        base = f"http://{here.plan.coordinator.address}"
        for path in gone:
            assert httpx.get(base + path).status_code == 404
        for path in gone[:2]:
            assert httpx.post(base + path, content=b"", headers=kind).status_code == 404
        for path in ("get-fab", "register-node", "pull-messages", "push-messages", "activate-node"):
            assert httpx.post(f"{base}/v1/fleet/{path}", content=b"", headers=kind).status_code in (401, 404)


def test_a_port_that_is_taken_is_told(consortium: Made) -> None:
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3})
    port = here.plan.coordinator.port
    with (
        served(here.plan.node_keys, "127.0.0.1", port, None),
        pytest.raises(StorageError, match="cannot be opened"),
        served(here.plan.node_keys, "127.0.0.1", port, None),
    ):
        pass


def test_a_site_that_may_not_write_does_not_join(consortium: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3})
    monkeypatch.setattr("medveil.runtime.storage.os.access", lambda *_: False)
    with pytest.raises(StorageError, match="cannot be written there"):
        join(here.plan, here.folder / "a", lambda: here.trainings["a"], give_up=1)


def test_a_coordinator_that_does_not_answer_is_told(consortium: Made) -> None:
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3})
    key = read_node_key(here.folder / "a")
    noticed: list[Any] = []
    with pytest.raises(InputError, match="does not answer"):
        Connection(here.plan.coordinator.address, key, None).answer(
            lambda one: one, threading.Event(), noticed.append, give_up=0
        )
    assert len(noticed) == 1
