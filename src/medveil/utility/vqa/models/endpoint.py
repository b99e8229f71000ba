"""`Endpoint`: a chat with a model behind any OpenAI-compatible address, by plain HTTP.

What is sent goes to this machine alone unless the user has named the other one: no proxy is taken from the
environment, no redirect is followed, and a name must lead where it says. What comes back is small, in time and of the
expected shape, or it becomes one sentence that tells neither what was sent nor what came.
"""

from __future__ import annotations

import json
import ssl
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

from medveil.encoders.published.libraries import library
from medveil.errors import SettingsError
from medveil.utility.vqa.models.connection import Clock, EndpointError, GuardedNetwork, LeadsElsewhere

Message = Mapping[str, Any]
PATH = "/chat/completions"
SECONDS = 120.0  # for one question, from looking up the name to the last byte
MOST_BYTES = 1 << 20  # of a reply
TOKENS = 64
_ADVICE = {
    401: "check its key",
    403: "check its key",
    404: "check its address and the name of the model",
    429: "it is busy, so try again later",
    503: "it is busy, so try again later",
}


@dataclass(frozen=True)
class Endpoint:
    """`url` up to and with its version, such as http://localhost:8000/v1; `model` as that server calls it.

    `consent` names the host that data may be sent to; this machine needs none. `key` is sent as a bearer token, to
    another machine only over https.
    """

    url: str
    model: str
    consent: str | None = None
    key: str | None = field(default=None, repr=False)
    seconds: float = SECONDS
    most_bytes: int = MOST_BYTES

    def __post_init__(self) -> None:
        address = _address(self.url)
        if self.consent is not None and self.consent.strip().lower() != address.hostname:
            raise SettingsError("the consent names another host than the endpoint's address does; name that very host")
        if self.key and self.consent is not None and address.scheme != "https":
            raise SettingsError("a key is sent to another machine over https only; give an address that begins so")
        if self.key and not (self.key.isascii() and self.key.isprintable()):
            raise SettingsError("the endpoint's key has characters that no key has; check where it was copied from")
        if not self.model.strip():
            raise SettingsError("an endpoint must be told which of its models to use; name one")

    @property
    def place(self) -> str:
        """Host and port, for messages and records."""
        return _address(self.url).netloc.lower()

    def chat(
        self, messages: Sequence[Message], *, tokens: int = TOKENS, schema: Mapping[str, Any] | None = None
    ) -> str:
        """The text of the reply, greedy. `schema` asks for JSON of that shape, which a server may disregard."""
        asked: dict[str, Any] = {
            "model": self.model,
            "messages": list(messages),
            "temperature": 0,
            "seed": 0,
            "max_tokens": tokens,
            "stream": False,
        }
        if schema is not None:
            shape = {"name": "reply", "strict": True, "schema": dict(schema)}
            asked["response_format"] = {"type": "json_schema", "json_schema": shape}
        reply = self._exchange(json.dumps(asked).encode())
        try:
            return _plain(_content(json.loads(reply)))
        except (ValueError, RecursionError, LookupError, TypeError):
            raise EndpointError(
                f"the endpoint {self.place} did not answer in the form of a chat; check that its address is that of "
                "an OpenAI-compatible server"
            ) from None

    def _exchange(self, body: bytes) -> bytes:
        """The bytes of a whole reply of status 200."""
        core = library("httpcore")
        try:
            return self._reply(body)
        except LeadsElsewhere:
            raise LeadsElsewhere(
                f"the endpoint {self.place} is not on this machine; nothing was sent, and --consent with its host "
                "allows it"
            ) from None
        except core.TimeoutException:
            raise EndpointError(
                f"the endpoint {self.place} did not answer within {self.seconds:g} seconds; "
                "try a faster one or allow more time"
            ) from None
        except core.ConnectError:
            raise EndpointError(
                f"the endpoint {self.place} cannot be reached; check its address, that it is running, and its "
                "certificate if it has one"
            ) from None
        except (core.ProtocolError, core.NetworkError, core.UnsupportedProtocol, ValueError, OSError):
            raise EndpointError(
                f"the endpoint {self.place} broke off or does not speak HTTP; check its address and try again"
            ) from None

    def _reply(self, body: bytes) -> bytes:
        core, address = library("httpcore"), _address(self.url)
        headers = {"Host": address.netloc, "Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        this_machine = (address.hostname or "").rpartition(".")[2] == "localhost"
        network = GuardedNetwork(Clock(self.seconds), elsewhere=self.consent is not None and not this_machine)
        with (
            core.ConnectionPool(network_backend=network, ssl_context=_trust(address), retries=0) as pool,
            pool.stream("POST", _target(address), headers=headers, content=body) as response,
        ):
            if response.status != 200:
                raise self._refused(int(response.status))
            received = bytearray()
            for piece in response.iter_stream():
                received += piece
                if len(received) > self.most_bytes:
                    raise EndpointError(
                        f"the endpoint {self.place} answered with more than {self.most_bytes:,} bytes, which is no "
                        "answer to a question; check its address"
                    )
        return bytes(received)

    def _refused(self, status: int) -> EndpointError:
        if 300 <= status < 400:
            advice = "it points to another address, which is not followed; give the final one if you trust it"
        else:
            advice = _ADVICE.get(status, "see the server's own messages")
        return EndpointError(f"the endpoint {self.place} refused with status {status}; {advice}")


def _address(url: str) -> SplitResult:
    try:
        address = urlsplit(url.strip())
        port = address.port
    except ValueError:
        address, port = urlsplit(""), None
    usable = address.scheme in ("http", "https") and address.hostname and address.hostname.isascii() and port != 0
    if not usable or address.username is not None or address.query or address.fragment or not url.strip().isprintable():
        raise SettingsError(
            "the endpoint's address is not one of a server; give it like http://localhost:8000/v1, without a user, "
            "a key or a query in it"
        )
    return address


def _target(address: SplitResult) -> str:
    path = address.path.rstrip("/").removesuffix(PATH)
    return f"{address.scheme}://{address.netloc}{path}{PATH}"


def _trust(address: SplitResult) -> ssl.SSLContext | None:
    """The certificates this machine trusts, so that a hospital's own authority counts."""
    return ssl.create_default_context() if address.scheme == "https" else None


def _content(reply: Any) -> str:
    """The first choice's text, in either of the two ways servers write it."""
    content = reply["choices"][0]["message"]["content"]
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part["type"] == "text")
    if not isinstance(content, str):
        raise TypeError
    return content


def _plain(text: str) -> str:
    """Without what would steer a terminal or could not be written: control characters, lone surrogates."""
    kept = (char if char in "\n\t" or not unicodedata.category(char).startswith("C") else " " for char in text)
    return "".join(kept).strip()
