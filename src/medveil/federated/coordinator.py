"""The coordinator's command: serve the sites of a plan until its rounds are done, and keep what came of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from medveil.errors import SettingsError
from medveil.federated.credentials import read_identity
from medveil.federated.participant import Arrays
from medveil.federated.plan import Plan, is_loopback
from medveil.federated.record import FILE, Record, SiteRecord, read_record, read_weights, save
from medveil.runtime.locks import locked
from medveil.runtime.storage import make_folder

First = Callable[[], Arrays]


def coordinate(
    plan: Plan,
    out: Path,
    *,
    credentials: Path | None = None,
    host: str | None = None,
    port: int | None = None,
    noticed: Callable[[str], None] = lambda words: None,
    after: Callable[[Record], None] = lambda record: None,
    first: First | None = None,
) -> Record:
    """All rounds that are left. `first` makes the weights to begin with, by the recipe unless given."""
    from medveil.federated.apps.coordinator_app import coordinator_app
    from medveil.federated.apps.link import Certificate, served

    listening = host or ("0.0.0.0" if plan.coordinator.authority else plan.coordinator.host)  # noqa: S104  (TLS only)
    certificate = None
    if plan.coordinator.authority:
        if credentials is None:
            raise SettingsError("the plan has a certificate; name the folder that holds it with --credentials")
        identity = read_identity(credentials, plan.coordinator.host)
        if identity.authority != plan.coordinator.authority:
            raise SettingsError(f"the certificate in {credentials} is not the one of the plan")
        certificate = Certificate(identity.certificate, identity.key)
    elif not is_loopback(listening):
        raise SettingsError("without a certificate the coordinator listens on this machine only, such as 127.0.0.1")
    with running(plan, out) as record:
        shared = weights_to_begin(plan, out, record, first)
        app = coordinator_app(plan, out, record, shared, noticed=noticed, after=after)
        with served(plan.node_keys, listening, port or plan.coordinator.port, certificate) as grid:
            app(grid=grid, context=None)
    return record


class running:  # noqa: N801  (a context manager, used as one)
    """The record of this plan in a folder, held by one coordinator at a time."""

    def __init__(self, plan: Plan, out: Path) -> None:
        self._plan, self._out = plan, out

    def __enter__(self) -> Record:
        make_folder(self._out)
        self._lock = locked(self._out, wait=False)
        try:
            self._lock.__enter__()
        except BlockingIOError:
            raise SettingsError(f"another coordinator is at work in {self._out}") from None
        return record_of(self._plan, self._out)

    def __exit__(self, *failed: object) -> None:
        self._lock.__exit__(*failed)  # type: ignore[arg-type]


def at_work(out: Path) -> bool:
    """Whether a coordinator holds the folder; Windows cannot tell."""
    if sys.platform == "win32":
        return True
    try:
        with locked(out, wait=False):
            return False
    except BlockingIOError:
        return True


def record_of(plan: Plan, out: Path) -> Record:
    """As it was left, or a new one."""
    if (out / FILE).exists():
        record = read_record(out)
        if record.plan != plan.digest:
            raise SettingsError(f"{out} holds the run of another plan; name another folder")
        return record
    sites = {name: SiteRecord() for name in plan.names}
    return Record(plan.digest, plan.title, plan.rounds, plan.secure_sums, plan.aggregation, sites)


def weights_to_begin(plan: Plan, out: Path, record: Record, first: First | None = None) -> Arrays:
    """Of the last whole round, or the recipe's; on disk before a site is asked."""
    if record.weights:
        return read_weights(out, record)
    if first is None:
        from medveil.federated.local_training import initial  # brings PyTorch

        shared = initial(plan.recipe)
    else:
        shared = first()
    save(out, record, shared)
    return shared
