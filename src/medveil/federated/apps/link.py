"""The coordinator's end of the wire: Flower's Fleet API, for the nodes of the plan alone, and a Grid over it.

Of Flower's SuperLink this serves what sites need and nothing else. There is no Control API, by which whoever reaches
the port could start programs, no app for sites to fetch, and no registration: a node is known by its key in the plan.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from cryptography.hazmat.primitives import serialization
from fastapi import APIRouter, FastAPI, HTTPException
from flwr.app import Error, Message
from flwr.app.message import remove_content_from_message
from flwr.common.constant import NOOP_ACCOUNT_NAME, NOOP_FLWR_AID, SUPERLINK_NODE_ID, ErrorCode
from flwr.proto.fleet_pb2 import ActivateNodeRequest, ActivateNodeResponse, PushMessagesRequest, PushMessagesResponse
from flwr.proto.node_pb2 import NodeInfo
from flwr.server.superlink.linkstate import LinkState, LinkStateFactory
from flwr.serverapp import Grid
from flwr.supercore.constant import FLWR_IN_MEMORY_DB_NAME, NOOP_FEDERATION_ID, TaskType
from flwr.supercore.error import http_error_translator
from flwr.supercore.inflatable.inflatable_object import (
    get_all_nested_objects,
    get_object_tree,
    iterate_object_tree,
    no_object_id_recompute,
)
from flwr.supercore.inflatable.inflatable_utils import inflate_object_from_contents
from flwr.supercore.object_store import NoObjectInStoreError, ObjectStoreFactory
from flwr.supercore.primitives.asymmetric import public_key_to_bytes
from flwr.supercore.protobuf.routing import ProtobufRoute
from flwr.supercore.protobuf.translation import PROTOBUF_REQUEST_DEPENDENCY, ProtobufTranslationMiddleware
from flwr.supercore.run import Run
from flwr.supercore.task_identity import TaskIdentity
from flwr.superlink.federation import NoOpFederationManager
from flwr.superlink.routers.fleet.node_auth import NodeAuthMiddleware
from flwr.superlink.routers.fleet.router import router as fleet_router
from flwr.superlink.servicer.fleet import fleet_handlers
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware

from medveil.errors import SettingsError, StorageError

_PAUSE = 0.05  # seconds between two looks
_PULSE = 15.0  # seconds between two signs of life of the run
_WITHHELD = {"/v1/fleet/register-node", "/v1/fleet/unregister-node", "/v1/fleet/get-fab", "/v1/fleet/get-run"}


@dataclass(frozen=True)
class Certificate:
    """Of the coordinator: files in PEM."""

    certificate: Path
    key: Path


@contextmanager
def served(
    nodes: Mapping[str, bytes], host: str, port: int, certificate: Certificate | None, *, patience: float = 20.0
) -> Iterator[LinkGrid]:
    """A grid of these nodes, by name, each with its public key in PEM, for as long as the block lasts."""
    factory = LinkStateFactory(FLWR_IN_MEMORY_DB_NAME, NoOpFederationManager(), ObjectStoreFactory())
    grid = LinkGrid(factory.state(), nodes)
    server = _Server(
        uvicorn.Config(
            _application(factory, grid),
            host=host,
            port=port,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            ssl_certfile=certificate.certificate if certificate else None,
            ssl_keyfile=certificate.key if certificate else None,
            timeout_graceful_shutdown=5,
        )
    )
    thread = threading.Thread(target=server.run_quietly, daemon=True)
    thread.start()
    until = time.monotonic() + patience
    while not server.started and thread.is_alive() and time.monotonic() < until:
        time.sleep(_PAUSE)
    if not server.started:
        server.should_exit = True
        raise StorageError(f"port {port} cannot be opened on {host}; is another program using it? choose another port")
    over = threading.Event()
    pulse = threading.Thread(target=grid.keep_alive, args=(over,), daemon=True)
    pulse.start()
    try:
        yield grid
    finally:
        over.set()
        server.should_exit = True
        thread.join(10)
        pulse.join(1)


class _Server(uvicorn.Server):  # type: ignore[misc]
    def install_signal_handlers(self) -> None:
        """An interrupt belongs to the command."""

    def run_quietly(self) -> None:
        """A port that is taken ends the thread; whoever started it sees that it has not started."""
        try:
            self.run()
        except (SystemExit, OSError, ssl.SSLError):
            self.should_exit = True


class LinkGrid(Grid):  # type: ignore[misc]
    """Flower's Grid over the link's state, in the same process."""

    def __init__(self, state: LinkState, nodes: Mapping[str, bytes]) -> None:
        self.state = state
        self.activations: dict[int, int] = {}  # how often a node has come
        self._heads: dict[str, Message] = {}  # of replies that are under way
        self.names = {
            state.create_node(NOOP_FLWR_AID, NOOP_ACCOUNT_NAME, _key(pem), 0, name=name): name
            for name, pem in nodes.items()
        }
        run = state.create_run(
            "", "", "", {}, NOOP_FEDERATION_ID, None, NOOP_FLWR_AID, primary_task_type=TaskType.SERVER_APP
        )
        (task,) = state.get_tasks(run_ids=[run])
        if not (state.claim_task(task.task_id) and state.activate_task(task.task_id)):
            raise RuntimeError("Flower's state does not take a run")
        self._task = task.task_id
        (self._run,) = state.get_run_info(run_ids=[run])
        TaskIdentity.run_id, TaskIdentity.task_id, TaskIdentity.node_id = run, task.task_id, SUPERLINK_NODE_ID

    @property
    def run(self) -> Run:
        return self._run

    def set_run(self, run: Run) -> None:
        self._run = run

    def keep_alive(self, over: threading.Event) -> None:
        while not over.wait(_PULSE):
            self.state.acknowledge_task_heartbeat(self._task)

    def create_message(self, *_: Any, **__: Any) -> Message:
        raise NotImplementedError("Flower's Message is made by its constructor")

    def get_node_ids(self) -> Iterable[int]:
        return list(self.state.get_nodes(self._run.run_id))

    def get_nodes(self) -> Iterable[NodeInfo]:
        return self.state.get_node_info(node_ids=list(self.get_node_ids()))

    def push_messages(self, messages: Iterable[Message]) -> Iterable[str]:
        """Returns the ids under which replies can be pulled; one that could not be stored has none."""
        pushed = []
        run = self._run.run_id
        with no_object_id_recompute():
            for message in messages:
                message.metadata.__dict__["_message_id"] = message.object_id
                session = self.state.start_session(run)
                stored, missing = self.state.store_message_and_object_tree(
                    remove_content_from_message(message), get_object_tree(message), session
                )
                for name, part in get_all_nested_objects(message).items():
                    if name in missing:
                        self.state.store_object(run, session, name, part.deflate())
                pushed.append(message.metadata.message_id if stored else "")
        return pushed

    def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Message]:
        """Replies that have arrived whole. Those under way are left for the next look, so that one site's slow line
        holds up no other."""
        found = []
        for asked in message_ids:
            if asked not in self._heads:
                for head in self.state.get_message_res(message_ids={asked}, run_id=self._run.run_id):
                    self._heads[asked] = head
            head = self._heads.get(asked)
            message = head if head is None or head.has_error() else self._whole(head)
            if message is not None:
                found.append(message)
                self.forget([asked])
        return found

    def _whole(self, head: Message) -> Message | None:
        """With what its head says, which Flower has checked: whose it is, and what it answers."""
        name, run, store = head.metadata.message_id, self._run.run_id, self.state.object_store
        try:
            parts = {tree.object_id for tree in iterate_object_tree(store.get_object_tree(name))}
        except NoObjectInStoreError:
            return None
        contents = {part: self.state.get_object(run, part) for part in parts}
        if not all(contents.values()):
            return None
        store.delete(name)
        try:
            content = inflate_object_from_contents(name, contents).content
        except Exception:  # a stranger's bytes
            return Message(Error(ErrorCode.UNKNOWN, "not a message"), metadata=head.metadata)
        return Message(content, metadata=head.metadata)

    def forget(self, message_ids: Iterable[str]) -> None:
        """Messages that nobody waits for any more: who comes late does not get them, and no answer to them is kept."""
        for name in message_ids:
            self._heads.pop(name, None)
            self.state.delete_messages(message_ins_ids={name})
            self.state.object_store.delete(name)

    def send_and_receive(self, messages: Iterable[Message], *, timeout: float | None = None) -> Iterable[Message]:
        waiting = {one for one in self.push_messages(messages) if one}
        until = None if timeout is None else time.monotonic() + timeout
        found: list[Message] = []
        while waiting and (until is None or time.monotonic() < until):
            arrived = list(self.pull_messages(waiting))
            found += arrived
            waiting -= {one.metadata.reply_to_message_id for one in arrived}
            time.sleep(_PAUSE)
        return found


def _key(pem: bytes) -> bytes:
    try:
        return bytes(public_key_to_bytes(serialization.load_pem_public_key(pem)))
    except ValueError:
        raise SettingsError("a site's key in the plan is not one that `medveil federated keys` made") from None


def _application(factory: LinkStateFactory, grid: LinkGrid) -> FastAPI:
    """Flower's Fleet router behind Flower's node authentication, and what it lacks."""
    state = grid.state
    own = APIRouter(prefix="/v1/fleet", route_class=ProtobufRoute)

    def activate(request: Annotated[ActivateNodeRequest, PROTOBUF_REQUEST_DEPENDENCY]) -> ActivateNodeResponse:
        """A node that was killed may come back before Flower notices that it was gone."""
        node = state.get_node_id_by_public_key(request.public_key)
        if node is None:
            raise HTTPException(403, "this node key is not in the plan")
        state.deactivate_node(node)
        answer = fleet_handlers.activate_node(request=request, state=state)
        grid.activations[node] = grid.activations.get(node, 0) + 1
        return answer

    def push(request: Annotated[PushMessagesRequest, PROTOBUF_REQUEST_DEPENDENCY]) -> PushMessagesResponse:
        """Flower does not compare the node that signs with the one that the message names."""
        if any(one.metadata.src_node_id != request.node.node_id for one in request.messages_list):
            raise HTTPException(403, "a node answers for itself alone")
        return fleet_handlers.push_messages(request=request, state=state)

    own.post("/activate-node")(activate)
    own.post("/push-messages")(push)
    own.routes += [
        route
        for route in fleet_router.routes
        if route.path not in _WITHHELD | {"/v1/fleet/activate-node", "/v1/fleet/push-messages"}
    ]
    application = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        middleware=[
            Middleware(BaseHTTPMiddleware, dispatch=http_error_translator),
            Middleware(ProtobufTranslationMiddleware),
            Middleware(NodeAuthMiddleware),
        ],
    )
    application.state.linkstate_factory = factory
    application.state.enable_supernode_auth = True
    application.include_router(own)
    return application
