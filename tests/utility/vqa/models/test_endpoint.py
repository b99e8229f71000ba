"""Over a real socket: what an endpoint may answer, and where nothing is sent."""

from __future__ import annotations

import base64
import datetime as dt
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from medveil.errors import SettingsError
from medveil.utility.vqa.models.connection import EndpointError, LeadsElsewhere, is_loopback
from medveil.utility.vqa.models.endpoint import Endpoint
from medveil.utility.vqa.models.endpoint_answers import EndpointAnswers
from tests.conftest import whole_request

MESSAGES = [{"role": "user", "content": "Is the heart of Ms Quillfeather large?"}]
HEAD = b"HTTP/1.1 200 OK\r\n"
Serving = Callable[[bytes | Callable[[socket.socket], None]], Any]


def dribbling(pieces: bytes, every: float = 0.05) -> Callable[[socket.socket], None]:
    def reply(connection: socket.socket) -> None:
        for place in range(len(pieces)):
            connection.sendall(pieces[place : place + 1])
            time.sleep(every)

    return reply


def sized(body: bytes) -> bytes:
    return HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


def endless(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"\r\n")
    while True:
        connection.sendall(b"x" * 65536)


def never_ready(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 99)


def silent(connection: socket.socket) -> None:
    connection.recv(1)  # until the other side has had enough


def test_a_chat_is_asked_greedily_and_its_text_comes_back(loopback: Serving, chat_reply: Any) -> None:
    server = loopback(chat_reply(" No. "))

    assert Endpoint(server.url, "small", key="k-123").chat(MESSAGES, tokens=7, schema={"type": "object"}) == "No."

    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    asked = json.loads(body)
    assert head.startswith(b"POST /v1/chat/completions HTTP/1.1") and b"Bearer k-123" in head
    assert asked["messages"] == MESSAGES and asked["model"] == "small" and asked["max_tokens"] == 7
    assert asked["temperature"] == 0 and asked["seed"] == 0 and asked["stream"] is False
    assert asked["response_format"]["json_schema"]["schema"] == {"type": "object"}


@pytest.mark.parametrize("ending", ["", "/", "/chat/completions"])
def test_the_address_may_end_where_servers_say_it_does(loopback: Serving, chat_reply: Any, ending: str) -> None:
    server = loopback(chat_reply("yes"))
    Endpoint(server.url + ending, "small").chat(MESSAGES)
    assert server.requests[0].startswith(b"POST /v1/chat/completions ")


def test_text_in_parts_is_joined(loopback: Serving, chat_reply: Any) -> None:
    server = loopback(chat_reply([{"type": "text", "text": "left "}, {"type": "x"}, {"type": "text", "text": "lung"}]))
    assert Endpoint(server.url, "small").chat(MESSAGES) == "left lung"


def test_what_steers_a_terminal_or_cannot_be_written_is_dropped(loopback: Serving, chat_reply: Any) -> None:
    server = loopback(chat_reply("\x1b[2Jye\ud800s\x00"))
    assert Endpoint(server.url, "small").chat(MESSAGES) == "[2Jye s"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (b"", "broke off"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "does not speak HTTP"),
        (HEAD + b"Content-Length: 4000\r\n\r\n{", "broke off"),
        (HEAD + b"Content-Length: -3\r\n\r\n{}", "broke off"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "broke off"),
        (HEAD + b"X: " + b"a" * 300_000 + b"\r\n\r\n", "broke off"),
        (sized(b"{"), "form of a chat"),
        (sized(b"\xff\xfe"), "form of a chat"),
        (sized(b"[" * 60_000), "form of a chat"),
        (sized(b"null"), "form of a chat"),
        (sized(b'{"choices": []}'), "form of a chat"),
        (sized(b'{"choices": [{"message": {"content": null}}]}'), "form of a chat"),
        (sized(b'{"choices": [{"message": {"content": [{"type": "text", "text": 3}]}}]}'), "form of a chat"),
        (sized(b'{"choices": [{"message": {"content": ["yes"]}}]}'), "form of a chat"),
        (sized(b'{"choices": [{"message": {"content": 1' + b"0" * 9000 + b"}}]}"), "form of a chat"),
        (sized(b"x" * 70_000), "more than 65,536 bytes"),
        (endless, "more than 65,536 bytes"),
        (b"HTTP/1.1 401 No\r\n\r\nQuillfeather", "status 401; check its key"),
        (b"HTTP/1.1 500 Quillfeather\r\n\r\n", "status 500"),
        (silent, "within 0.4 seconds"),
        (dribbling(HEAD), "within 0.4 seconds"),
        (dribbling(HEAD + b"\r\n" + b" " * 99), "within 0.4 seconds"),
        (never_ready, "within 0.4 seconds"),
    ],
    ids=range(23),
)
def test_a_bad_reply_is_one_sentence_that_tells_nothing(loopback: Serving, reply: Any, said: str) -> None:
    server = loopback(reply)
    seconds = 0.4 if "0.4" in said else 20
    with pytest.raises(EndpointError) as raised:
        Endpoint(server.url, "small", seconds=seconds, most_bytes=1 << 16, key="k-123").chat(MESSAGES)
    assert said in str(raised.value)
    assert "Quillfeather" not in str(raised.value) and "k-123" not in str(raised.value)
    assert raised.value.__cause__ is None and raised.value.exit_code == 2


def test_a_server_that_does_not_read_cannot_hold_the_caller() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(EndpointError, match=r"within 0\.4 seconds"):
            Endpoint(url, "small", seconds=0.4).chat([{"role": "user", "content": "x" * 40_000_000}])


def test_a_redirect_is_not_followed(loopback: Serving, chat_reply: Any) -> None:
    other = loopback(chat_reply("yes"))
    server = loopback(f"HTTP/1.1 307 Moved\r\nLocation: {other.url}/chat/completions\r\n\r\n".encode())
    with pytest.raises(EndpointError, match="points to another address"):
        Endpoint(server.url, "small").chat(MESSAGES)
    assert not other.requests


def test_a_proxy_of_the_environment_is_not_used(
    loopback: Serving, chat_reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, server = loopback(chat_reply("yes")), loopback(chat_reply("no"))
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    assert Endpoint(server.url, "small").chat(MESSAGES) == "no"
    assert not proxy.requests


def test_nobody_at_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(EndpointError, match="cannot be reached"):
        Endpoint(f"http://127.0.0.1:{port}", "small").chat(MESSAGES)


def looked_up_as(*addresses: str) -> Callable[..., Any]:
    def getaddrinfo(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return getaddrinfo


@pytest.mark.parametrize("addresses", [("192.0.2.7",), ("127.0.0.1", "192.0.2.7"), ("0.0.0.0",)])
def test_without_consent_nothing_leaves_this_machine(
    monkeypatch: pytest.MonkeyPatch, addresses: tuple[str, ...]
) -> None:
    """Not by a name that leads elsewhere either, be it localhost, not even where it leads here too."""
    monkeypatch.setattr(socket, "getaddrinfo", looked_up_as(*addresses))
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: pytest.fail("connected"))
    for host in ("localhost", "models.example"):
        with pytest.raises(LeadsElsewhere, match="nothing was sent"):
            Endpoint(f"http://{host}:8000/v1", "small").chat(MESSAGES)


def test_consent_is_for_the_host_it_names(monkeypatch: pytest.MonkeyPatch, loopback: Serving, chat_reply: Any) -> None:
    with pytest.raises(SettingsError, match="names another host"):
        Endpoint("http://models.example/v1", "small", consent="models.example.org")
    called: list[Any] = []

    def create_connection(address: tuple[str, int], *_: Any, **__: Any) -> socket.socket:
        called.append(address)
        here = socket.socket()
        here.connect(("127.0.0.1", server.port))
        return here

    server = loopback(chat_reply("yes"))
    monkeypatch.setattr(socket, "getaddrinfo", looked_up_as("192.0.2.7"))
    monkeypatch.setattr(socket, "create_connection", create_connection)
    assert Endpoint("http://models.example:81/v1", "small", consent=" Models.Example").chat(MESSAGES) == "yes"
    assert called == [("192.0.2.7", 81)] and b"Host: models.example:81" in server.requests[0]
    with pytest.raises(LeadsElsewhere):
        Endpoint("http://localhost:81/v1", "small", consent="localhost").chat(MESSAGES)
    monkeypatch.undo()


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8000", "ftp://localhost", "http://", "http://user:word@localhost", "http://localhost/v1?key=3",
     "http://localhost:99999/v1", "http://localhost/\r\nX: y", "http://[::1", "file:///etc/passwd"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="not one of a server"):
        Endpoint(url, "small")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": " "}, "which of its models"),
        ({"key": "k\nHost: x"}, "characters that no key has"),
        ({"key": "k", "url": "http://far.example", "consent": "far.example"}, "over https only"),
    ],
)
def test_settings_that_would_go_wrong_are_refused(settings: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        Endpoint(**{"url": "http://localhost:1/v1", "model": "small", **settings})


def test_the_key_is_not_shown() -> None:
    assert "k-123" not in repr(Endpoint("http://localhost:1", "small", key="k-123"))


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
def test_addresses_of_this_machine(address: str) -> None:
    assert is_loopback(address)


@pytest.mark.parametrize("address", ["0.0.0.0", "10.0.0.1", "::", "fe80::1%eth0", "::ffff:10.0.0.1", "128.0.0.1"])
def test_addresses_of_others(address: str) -> None:
    assert not is_loopback(address)


@pytest.mark.parametrize("shape", [(9, 7), (9, 7, 3)])
def test_an_answer_model_sends_the_pixels_and_the_words(
    loopback: Serving, chat_reply: Any, shape: tuple[int, ...]
) -> None:
    server = loopback(chat_reply("yes"))
    image = np.random.default_rng(0).integers(0, 256, shape, np.uint8)

    model = EndpointAnswers(Endpoint(server.url, "small"))

    assert model.answer(image, "Is it?", note="A note.") == "yes"
    assert model.name == f"small at 127.0.0.1:{server.port}"
    content = json.loads(server.requests[0].partition(b"\r\n\r\n")[2])["messages"][-1]["content"]
    sent = base64.b64decode(content[0]["image_url"]["url"].partition("base64,")[2])
    decoded = cv2.imdecode(np.frombuffer(sent, np.uint8), cv2.IMREAD_UNCHANGED)
    assert np.array_equal(decoded if decoded.ndim == 2 else decoded[..., ::-1], image)
    assert content[1]["text"] == "A note.\n\nIs it?"


def test_of_a_book_for_an_answer_the_beginning_is_kept(loopback: Serving, chat_reply: Any) -> None:
    """A server that disregards how much was asked for fills neither the terminal nor the journal."""
    server = loopback(chat_reply("yes " * 200_000))
    assert EndpointAnswers(Endpoint(server.url, "small")).answer(None, "Is it?") == ("yes " * 1_000).strip()


def test_a_question_alone_has_no_picture(loopback: Serving, chat_reply: Any) -> None:
    server = loopback(chat_reply("yes"))
    EndpointAnswers(Endpoint(server.url, "small")).answer(None, "Is it?")
    content = json.loads(server.requests[0].partition(b"\r\n\r\n")[2])["messages"][-1]["content"]
    assert content == [{"type": "text", "text": "Is it?"}]


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Of localhost, by an authority that nobody knows: key and certificate in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (tmp_path / "localhost.pem").write_bytes(plain + made.public_bytes(pem))
    return tmp_path / "localhost.pem"


def encrypted(certificate: Path, reply: bytes, received: list[bytes]) -> Callable[[socket.socket], None]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def serve(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            received.append(whole_request(secured))
            secured.sendall(reply)

    return serve


@pytest.mark.parametrize("trusted", [True, False])
def test_https_needs_a_certificate_that_this_machine_trusts(
    certificate: Path, chat_reply: Any, monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    received: list[bytes] = []
    serve = encrypted(certificate, chat_reply("yes"), received)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        monkeypatch.setattr(socket, "getaddrinfo", looked_up_as("127.0.0.1"))
        thread = threading.Thread(target=lambda: suppressed(serve, listening.accept()[0]))
        thread.start()
        if trusted:
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        endpoint = Endpoint(f"https://localhost:{listening.getsockname()[1]}/v1", "small", key="k-123", seconds=20)
        if trusted:
            assert endpoint.chat(MESSAGES) == "yes" and b"k-123" in received[0]
        else:
            with pytest.raises(EndpointError, match="certificate"):
                endpoint.chat(MESSAGES)
        thread.join()
    assert bool(received) == trusted


def suppressed(serve: Callable[[socket.socket], None], connection: socket.socket) -> None:
    with connection, suppress(OSError):
        serve(connection)
