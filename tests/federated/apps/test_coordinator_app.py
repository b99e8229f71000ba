"""What a site that means harm may answer: the coordinator sets it aside, and goes on with the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from flwr.app import Message
from flwr.common.constant import SUPERLINK_NODE_ID
from flwr.proto.node_pb2 import NodeInfo
from flwr.supercore.task_identity import TaskIdentity

from medveil.federated.approval import read_approval
from medveil.federated.apps.coordinator_app import coordinator_app
from medveil.federated.apps.records import packed, unpacked
from medveil.federated.apps.site_app import no_context, site_app
from medveil.federated.coordinator import record_of, weights_to_begin
from medveil.federated.credentials import read_node_key
from medveil.federated.participant import Arrays, Participant
from medveil.federated.record import read_record

Made = Callable[..., Any]  # a consortium of the steps its sites take
Told = dict[str, Any]


class Answered:
    """A grid whose sites answer at once, in this process."""

    def __init__(self, sites: dict[str, Callable[[Message], Message]]) -> None:
        self._names, self._answer, self._replies = list(sites), list(sites.values()), dict[str, Message]()
        TaskIdentity.run_id, TaskIdentity.task_id, TaskIdentity.node_id = 1, 1, SUPERLINK_NODE_ID

    def get_node_ids(self) -> Iterable[int]:
        return range(1, len(self._names) + 1)

    def get_nodes(self) -> Iterable[NodeInfo]:
        return [NodeInfo(node_id=node, name=self._names[node - 1]) for node in self.get_node_ids()]

    def push_messages(self, messages: Iterable[Message]) -> Iterable[str]:
        pushed = []
        for message in messages:
            name = message.metadata.__dict__["_message_id"] = str(uuid4())
            self._replies[name] = self._answer[message.metadata.dst_node_id - 1](message)
            pushed.append(name)
        return pushed

    def pull_messages(self, names: Iterable[str]) -> Iterable[Message]:
        return [self._replies.pop(name) for name in list(names) if name in self._replies]

    def forget(self, names: Iterable[str]) -> None:
        pass


@pytest.mark.parametrize(
    ("asked", "nonsense"),
    [
        ("introduce", {"refusal": "no such word"}),
        ("introduce", {"refusal": ["data"]}),
        ("introduce", {"signature": [1, 2]}),
        ("keys", {"refusal": ["data"]}),
        ("keys", {"signed": b"short"}),
        ("shares", {"sealed": ["text"] * 3}),
        ("masked", {"epsilon": float("nan")}),
        ("agreed", {"survivors": [b"a", b"b", b"c", b"d"]}),
        ("opened", {"shares": ["x" * 66] * 4}),
        ("opened", {"shares": [b"x"] * 3}),
        ("over", {"refusal": 7}),
    ],
)
def test_nothing_that_a_site_says_stops_the_others(
    consortium: Made, first_weights: Arrays, tmp_path: Path, asked: str, nonsense: Told
) -> None:
    here = consortium({"a": 0.2, "b": 0.1, "c": 0.2, "d": 0.3}, rounds=1, patience=3.0)

    def site(name: str) -> Callable[[Message], Message]:
        folder = here.folder / name
        approval, key = read_approval(folder, here.plan), read_node_key(folder)
        mine = Participant(here.plan, approval, key, folder, lambda: here.trainings[name])
        app = site_app(lambda context: mine)

        def answer(message: Message) -> Message:
            reply = app(message, no_context())
            if name != "a" or message.metadata.message_type.split(".")[1] != asked:
                return reply
            told, arrays = unpacked(reply.content)
            return Message(packed(told | nonsense, arrays), reply_to=message)

        return answer

    record = record_of(here.plan, here.out)
    app = coordinator_app(here.plan, here.out, record, weights_to_begin(here.plan, here.out, record))
    app(grid=Answered({name: site(name) for name in here.plan.names}), context=None)
    assert read_record(here.out).state == "finished"
    assert set(record.history[0].took_part) >= {"b", "c", "d"}
    assert np.isclose(here.gained(record, first_weights), 0.2, atol=1e-6)
