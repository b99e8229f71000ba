"""Answers whose inside is not what their head says."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from flwr.app import Message
from flwr.app.message import remove_content_from_message
from flwr.common.serde import message_to_proto
from flwr.proto.fleet_pb2 import PushMessagesRequest
from flwr.proto.message_pb2 import PushObjectRequest
from flwr.supercore.inflatable.inflatable_object import get_all_nested_objects, get_object_tree

from medveil.federated.apps.connection import Connection
from medveil.federated.apps.link import served
from medveil.federated.apps.records import packed, unpacked
from medveil.federated.credentials import read_node_key

Made = Callable[..., Any]  # a consortium of the steps its sites take


class Forging(Connection):
    """Its answers say, inside, that they answer another message."""

    def _send(self, client: Any, node: Any, reply: Message) -> None:
        asked, reply.metadata.__dict__["_reply_to_message_id"] = reply.metadata.reply_to_message_id, "0" * 64
        reply.metadata.__dict__["_message_id"] = reply.object_id
        tree, parts = get_object_tree(reply), {n: one.deflate() for n, one in get_all_nested_objects(reply).items()}
        reply.metadata.__dict__["_reply_to_message_id"] = asked
        head = message_to_proto(remove_content_from_message(reply))
        wanted = client.PushMessages(PushMessagesRequest(node=node, messages_list=[head], message_object_trees=[tree]))
        for name, content in parts.items():
            client.PushObject(
                PushObjectRequest(
                    node=node,
                    run_id=reply.metadata.run_id,
                    object_id=name,
                    object_content=content,
                    session_id=wanted.session_id,
                )
            )


def test_an_answer_counts_for_what_was_asked_whatever_it_says(consortium: Made) -> None:
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3})
    port, over = here.plan.coordinator.port, threading.Event()
    calling = Forging(here.plan.coordinator.address, read_node_key(here.folder / "a"), None)

    def answer(message: Message) -> Message:
        over.set()
        return Message(packed({"word": "yes"}), reply_to=message)

    with served(here.plan.node_keys, "127.0.0.1", port, None) as grid:
        site = threading.Thread(target=calling.answer, args=(answer, over))
        site.start()
        until = time.monotonic() + 20
        while not (nodes := list(grid.get_node_ids())) and time.monotonic() < until:
            time.sleep(0.05)
        (asked,) = grid.push_messages([Message(packed({}), nodes[0], "query.introduce")])
        found: list[Message] = []
        while not found and time.monotonic() < until:
            found = list(grid.pull_messages({asked}))
            time.sleep(0.05)
        site.join(20)
    assert found[0].metadata.reply_to_message_id == asked and found[0].metadata.src_node_id == nodes[0]
    assert unpacked(found[0].content)[0] == {"word": "yes"}
