"""A site's end of the wire: it calls the coordinator, takes messages one at a time, and answers them.

It speaks Flower's Fleet API with Flower's client. It tells nothing but its answers: not how long they took, which would
hint at how much data there is, and no error's own words.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric import ec
from flwr.app import Message
from flwr.app.message import remove_content_from_message
from flwr.common.constant import HEARTBEAT_MIN_INTERVAL
from flwr.common.serde import message_from_proto, message_to_proto
from flwr.proto.fleet_pb2 import ActivateNodeRequest, PullMessagesRequest, PushMessagesRequest
from flwr.proto.heartbeat_pb2 import SendNodeHeartbeatRequest
from flwr.proto.message_pb2 import ConfirmMessageReceivedRequest, PullObjectRequest, PushObjectRequest
from flwr.proto.node_pb2 import Node
from flwr.supercore.inflatable.inflatable_object import (
    UnexpectedObjectContentError,
    get_all_nested_objects,
    get_object_tree,
    iterate_object_tree,
)
from flwr.supercore.inflatable.inflatable_utils import inflate_object_from_contents
from flwr.supercore.primitives.asymmetric import public_key_to_bytes
from flwr.supernode.fleet_http_client import FleetHttpClient
from flwr.supernode.node_auth_http_interceptor import NodeAuthHttpInterceptor

from medveil.errors import InputError

LONGEST = 30.0  # seconds between two calls to a coordinator that does not answer
_NOW, _LATER = 0.05, 1.0  # seconds between two looks for a message: just after one, and when there was none for long
_TRIES = 100  # for a part of a message that is still being stored
_ODD = (ValueError, TypeError, LookupError, AttributeError, UnexpectedObjectContentError)  # at nonsense

Handler = Callable[[Message], Message]


class Refused(InputError):
    """The coordinator does not know this site, or is not the one of the plan."""


class _Unknown(Exception):
    """The coordinator has begun anew and has to be called again."""


@dataclass(frozen=True)
class Connection:
    """`authority` is the certificate of the plan in PEM; without it, only this machine may be called."""

    address: str
    node_key: ec.EllipticCurvePrivateKey
    authority: bytes | None

    def answer(
        self,
        handler: Handler,
        over: threading.Event,
        noticed: Callable[[str], None] = lambda words: None,
        *,
        give_up: float | None = None,
    ) -> None:
        """Until `over` is set. A coordinator that is gone is called again, for `give_up` seconds or for good.

        The node does not sign off: Flower would drop an answer of it that the coordinator has not yet looked at.
        """
        wait, gone = 1.0, None
        while not over.is_set():
            try:
                with self._client() as client:
                    node = self._activated(client)
                    if gone is not None:
                        noticed("the coordinator answers again")
                    wait, gone = 1.0, None
                    self._serve(client, node, handler, over)
            except _Unknown:
                continue
            except (httpx.HTTPError, OSError):
                now = time.monotonic()
                if gone is None:
                    gone = now
                    noticed("the coordinator does not answer; it is called again until it does")
                if give_up is not None and now - gone > give_up:
                    raise InputError(
                        f"the coordinator at {self.address} does not answer; when it does, run the same command"
                    ) from None
                over.wait(wait)
                wait = min(2 * wait, LONGEST)
            except _ODD:
                raise self._another() from None

    def _another(self) -> Refused:
        return Refused(f"at {self.address} answers something else than a medveil coordinator")

    def _client(self) -> Any:
        return FleetHttpClient.from_server_address(
            self.address,
            self.authority is None,
            self.authority,
            interceptors=[NodeAuthHttpInterceptor(self.node_key, self.node_key.public_key())],
        )

    def _activated(self, client: Any) -> Node:
        key = public_key_to_bytes(self.node_key.public_key())
        try:
            answer = client.ActivateNode(ActivateNodeRequest(public_key=key, heartbeat_interval=HEARTBEAT_MIN_INTERVAL))
        except httpx.HTTPStatusError as refused:
            if refused.response.status_code in (401, 403):
                raise Refused(
                    "the coordinator does not know this site's node key; it must be in the plan, and the two clocks "
                    "within some seconds of each other"
                ) from None
            if refused.response.status_code == 404:
                raise self._another() from None
            raise
        except httpx.ConnectError as failed:
            if "CERTIFICATE_VERIFY_FAILED" in str(failed):
                raise Refused(
                    f"whoever answers at {self.address} cannot show the certificate of the plan; nothing was sent"
                ) from None
            raise
        return Node(node_id=answer.node_id)

    def _serve(self, client: Any, node: Node, handler: Handler, over: threading.Event) -> None:
        stopped = threading.Event()
        beating = threading.Thread(target=self._beat, args=(node, stopped), daemon=True)
        beating.start()
        try:
            pause = _NOW
            while not over.is_set():
                if self._one(client, node, handler):
                    pause = _NOW
                else:
                    over.wait(pause)
                    pause = min(1.2 * pause, _LATER)
        except httpx.HTTPStatusError as refused:
            if refused.response.status_code == 401:
                raise _Unknown from None
            raise
        finally:
            stopped.set()
            beating.join(1)

    def _beat(self, node: Node, stopped: threading.Event) -> None:
        """A sign of life, also while the site trains."""
        with self._client() as client:
            while not stopped.wait(HEARTBEAT_MIN_INTERVAL * 0.6):
                _quietly(
                    lambda: client.SendNodeHeartbeat(
                        SendNodeHeartbeatRequest(node=node, heartbeat_interval=HEARTBEAT_MIN_INTERVAL)
                    )
                )

    def _one(self, client: Any, node: Node, handler: Handler) -> bool:
        """One message, if there is one."""
        found = client.PullMessages(PullMessagesRequest(node=node))
        if not found.messages_list:
            return False
        head, tree = message_from_proto(found.messages_list[0]), found.message_object_trees[0]
        run, name = head.metadata.run_id, head.metadata.message_id
        contents = {part.object_id: self._part(client, node, run, part.object_id) for part in iterate_object_tree(tree)}
        client.ConfirmMessageReceived(ConfirmMessageReceivedRequest(node=node, run_id=run, message_object_id=name))
        message: Message = inflate_object_from_contents(name, contents)
        message.metadata.__dict__["_message_id"] = name
        self._send(client, node, handler(message))
        return True

    def _part(self, client: Any, node: Node, run: int, name: str) -> bytes:
        for _ in range(_TRIES):
            answer = client.PullObject(PullObjectRequest(node=node, run_id=run, object_id=name))
            if answer.object_found and answer.object_available:
                return bytes(answer.object_content)
            time.sleep(_NOW)
        raise httpx.ReadTimeout("a part of a message does not come")

    def _send(self, client: Any, node: Node, reply: Message) -> None:
        reply.metadata.__dict__["_message_id"] = reply.object_id
        run = reply.metadata.run_id
        asked = client.PushMessages(
            PushMessagesRequest(
                node=node,
                messages_list=[message_to_proto(remove_content_from_message(reply))],
                message_object_trees=[get_object_tree(reply)],
                clientapp_runtime_list=[0.0],
            )
        )
        wanted = set(asked.objects_to_push)
        for name, part in get_all_nested_objects(reply).items():
            if name in wanted:
                client.PushObject(
                    PushObjectRequest(
                        node=node,
                        run_id=run,
                        object_id=name,
                        object_content=part.deflate(),
                        session_id=asked.session_id,
                    )
                )


def _quietly(call: Callable[[], Any]) -> None:
    with suppress(httpx.HTTPError, *_ODD):  # whoever waits for an answer notices
        call()
