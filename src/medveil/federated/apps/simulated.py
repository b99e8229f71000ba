"""Both apps on one machine: Flower's simulation backend runs the sites' app in Ray's processes, and a Grid feeds it.

Flower's own simulation looks through all messages for every site again and again, so that its work grows with the
square of the sites. Here a message goes to a process as soon as one is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from uuid import uuid4

from flwr.app import Context, Error, Message, RecordDict
from flwr.common.constant import SUPERLINK_NODE_ID, ErrorCode
from flwr.proto.node_pb2 import NodeInfo
from flwr.server.superlink.fleet.vce.backend.raybackend import RayBackend
from flwr.serverapp import Grid, ServerApp
from flwr.supercore.run import Run
from flwr.supercore.task_identity import TaskIdentity

from medveil.federated.apps.site_app import site_app
from medveil.federated.participant import Participant
from medveil.federated.plan import Plan
from medveil.runtime.cluster import ray_cluster

_plans: dict[Any, Plan] = {}  # of this process
_SITE = "partition-id"  # Flower's word for the number of a simulated site


def run(server: ServerApp, plan: Plan, participant: Callable[[Plan, int], Participant]) -> None:
    """`participant` finds a site by its number, in one of Ray's processes."""
    with ray_cluster() as ray:
        place = ray.put(plan)  # once for all messages: with many sites it is long

        def found(context: Context) -> Participant:
            if place not in _plans:
                _plans[place] = ray.get(place)
            return participant(_plans[place], int(context.node_config[_SITE]))

        app = site_app(found)
        backend = RayBackend({"client_resources": {"num_cpus": 1, "num_gpus": 0.0}})
        backend.build(lambda: app)
        with ThreadPoolExecutor(backend.num_workers) as threads:
            server(grid=SimulatedGrid(backend, threads, len(plan.sites)), context=None)


class SimulatedGrid(Grid):  # type: ignore[misc]
    """Flower's Grid over processes of this machine; a node's number is that of its site, from 1."""

    def __init__(self, backend: RayBackend, threads: ThreadPoolExecutor, count: int) -> None:
        self._backend, self._threads = backend, threads
        self._run = Run.create_empty(1)
        self._contexts = {
            number + 1: Context(
                run_id=1, node_id=number + 1, node_config={_SITE: number}, state=RecordDict(), run_config={}
            )
            for number in range(count)
        }
        self._running: dict[str, Future[Message]] = {}
        TaskIdentity.run_id, TaskIdentity.task_id, TaskIdentity.node_id = 1, 1, SUPERLINK_NODE_ID

    @property
    def run(self) -> Run:
        return self._run

    def set_run(self, run: Run) -> None:
        self._run = run

    def create_message(self, *_: Any, **__: Any) -> Message:
        raise NotImplementedError("Flower's Message is made by its constructor")

    def get_node_ids(self) -> Iterable[int]:
        return list(self._contexts)

    def get_nodes(self) -> Iterable[NodeInfo]:
        return [NodeInfo(node_id=node) for node in self._contexts]

    def push_messages(self, messages: Iterable[Message]) -> Iterable[str]:
        pushed = []
        for message in messages:
            name = message.metadata.__dict__["_message_id"] = str(uuid4())
            self._running[name] = self._threads.submit(self._answered, message)
            pushed.append(name)
        return pushed

    def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Message]:
        done = [name for name in message_ids if name in self._running and self._running[name].done()]
        return [self._running.pop(name).result() for name in done]

    def forget(self, message_ids: Iterable[str]) -> None:
        for name in message_ids:
            if held := self._running.pop(name, None):
                held.cancel()

    def send_and_receive(self, messages: Iterable[Message], *, timeout: float | None = None) -> Iterable[Message]:
        return [self._running.pop(name).result(timeout) for name in self.push_messages(messages)]

    def _answered(self, message: Message) -> Message:
        """One that could not be answered counts as lost, as over a wire."""
        node = message.metadata.dst_node_id
        try:
            reply, self._contexts[node] = self._backend.process_message(message, self._contexts[node])
        except Exception:  # its words may quote the data
            reply = Message(Error(ErrorCode.CLIENT_APP_RAISED_EXCEPTION, "a simulated site is lost"), reply_to=message)
        return reply
