"""Both apps in Flower's simulation, on Ray, in this machine's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flwr.app import Context
from flwr.serverapp import ServerApp
from flwr.simulation.run_simulation import _run_simulation
from flwr.supercore.telemetry import EventType

from medveil.errors import MedveilError
from medveil.federated.apps.site_app import site_app
from medveil.federated.participant import Participant
from medveil.federated.plan import Plan
from medveil.runtime.cluster import ray_cluster

_plans: dict[Any, Plan] = {}  # of this process


def run(server: ServerApp, plan: Plan, participant: Callable[[Plan, int], Participant]) -> None:
    """`participant` finds a site by its number, in one of Ray's processes."""
    with ray_cluster() as ray:
        place = ray.put(plan)  # once for all messages: with many sites it is long

        def found(context: Context) -> Participant:
            if place not in _plans:
                _plans[place] = ray.get(place)
            return participant(_plans[place], int(context.node_config["partition-id"]))

        try:
            _run_simulation(
                num_supernodes=len(plan.sites),
                client_app=site_app(found),
                server_app=server,
                backend_config={"client_resources": {"num_cpus": 1, "num_gpus": 0.0}},
                exit_event=EventType.PYTHON_API_RUN_SIMULATION_LEAVE,
            )
        except RuntimeError as failed:
            if isinstance(failed.__cause__, MedveilError):
                raise failed.__cause__ from None
            raise MedveilError(
                "the simulation came to a halt; what is done is kept, and the same command continues"
            ) from None
