"""Connections that reach only where they were allowed to, and that end in time: how httpcore is let at the network.

A name is looked up once, and what was looked up is what is connected to: it cannot turn into another machine in
between. The time limit is one for everything, so that a byte now and then does not prolong it.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from typing import Any

from medveil.encoders.published.libraries import library
from medveil.errors import MedveilError

PIECE = 1 << 16  # bytes written before the clock is read again


class EndpointError(MedveilError):
    """An endpoint that cannot be used or that answers nothing of use. Never tells what was sent or received."""


class LeadsElsewhere(EndpointError):
    """A name or an address of another machine, without consent."""


class Clock:
    """What is left of the time for one request."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self, late: type[Exception]) -> float:
        """Seconds; raises `late` where there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise late
        return left


class GuardedNetwork:
    """httpcore's way to the network: to this machine alone unless `elsewhere` is allowed, until the clock runs out."""

    def __init__(self, clock: Clock, *, elsewhere: bool) -> None:
        self._clock = clock
        self._elsewhere = elsewhere
        self._core = library("httpcore")

    def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> GuardedStream:
        addresses = self._looked_up(host, port)
        if not self._elsewhere and not all(map(is_loopback, addresses)):
            raise LeadsElsewhere
        for address in addresses:
            try:
                left = self._clock.left(self._core.ConnectTimeout)
                return GuardedStream(self._core.SyncBackend().connect_tcp(address, port, left), self._clock)
            except self._core.ConnectError:
                continue
        raise self._core.ConnectError

    def _looked_up(self, host: str, port: int) -> list[str]:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise self._core.ConnectError from None
        return list(dict.fromkeys(str(address[0]) for *_, address in found))


class GuardedStream:
    """One connection; whatever limit httpcore asks for, each step gets what is left of the time."""

    def __init__(self, stream: Any, clock: Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._core = library("httpcore")

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        received: bytes = self._stream.read(max_bytes, self._clock.left(self._core.ReadTimeout))
        return received

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), PIECE):
            self._stream.write(buffer[start : start + PIECE], self._clock.left(self._core.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Any:
        left = self._clock.left(self._core.ConnectTimeout)
        return GuardedStream(self._stream.start_tls(ssl_context, server_hostname, left), self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def is_loopback(address: str) -> bool:
    found = ipaddress.ip_address(address.split("%")[0])
    return bool((getattr(found, "ipv4_mapped", None) or found).is_loopback)
