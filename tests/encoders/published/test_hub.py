"""Fetching, against a small server that speaks the hub's protocol."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from medveil.encoders.published.hub import needed

COMMIT = "c" * 40
FILES = {
    "config.json": b'{"model_type": "clip"}',
    "model.safetensors": b"safe weights",
    "pytorch_model.bin": b"pickled weights",
    "modeling_evil.py": b"raise SystemExit",
    "onnx/model.onnx": b"another format",
    "vocab.json": b"{}",
}


class Hub(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        path = self.path.split("?")[0]
        file = path.removeprefix(f"/an-owner/a-model/resolve/{COMMIT}/")
        told: object
        if path.startswith("/api/models/an-owner/a-model"):
            if "/tree/" in path:
                told = [{"type": "file", "path": f, "size": len(c), "oid": "0" * 40} for f, c in FILES.items()]
            else:
                told = {"id": "an-owner/a-model", "sha": COMMIT, "siblings": [{"rfilename": f} for f in FILES]}
            self._send(200, json.dumps(told).encode(), {"Content-Type": "application/json"}, body)
        elif file in FILES:
            type(self).asked.append(file)
            headers = {"ETag": hashlib.sha1(FILES[file]).hexdigest(), "X-Repo-Commit": COMMIT}
            self._send(200, FILES[file], headers, body)
        else:
            self._send(404, b"", {"X-Error-Code": "RepoNotFound"}, body)

    def _send(self, status: int, content: bytes, headers: dict[str, str], body: bool) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(content))}).items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    Hub.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def fetch(name: str, home: Path, port: int, **more: str) -> str:
    """What fetching prints: the folder, or the sentence it fails with."""
    code = """
import sys
from medveil.encoders.published.hub import fetch
from medveil.errors import SettingsError
try:
    print(fetch(sys.argv[1]))
except SettingsError as error:
    print(error)
"""
    settings = {"HF_ENDPOINT": f"http://127.0.0.1:{port}", "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1", **more}
    ran = subprocess.run(
        [sys.executable, "-c", code, name], env=os.environ | settings, stdout=subprocess.PIPE, text=True, check=True
    )
    return ran.stdout.strip()


def test_only_what_is_needed_is_fetched_and_then_kept(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    folder = Path(fetch("an-owner/a-model", tmp_path, server.server_port))
    assert {path.name for path in folder.iterdir()} == {"config.json", "model.safetensors", "vocab.json"}
    assert (folder / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert set(Hub.asked) == {"config.json", "model.safetensors", "vocab.json"}
    offline = fetch("an-owner/a-model", tmp_path, server.server_port, HF_HUB_OFFLINE="1")
    assert Path(offline) == folder


def test_what_cannot_be_fetched_is_told_in_a_sentence(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    assert fetch("an-owner/another", tmp_path, server.server_port).startswith("the hub has no model an-owner/another")
    offline = fetch("an-owner/a-model", tmp_path, server.server_port, HF_HUB_OFFLINE="1")
    assert offline.startswith("the model an-owner/a-model is not on this machine and the hub cannot be reached")


@pytest.mark.parametrize(
    ("files", "chosen"),
    [
        # BioViL-T: two files of weights that do not stand for one another
        (
            ["biovil_t_image_model_proj_size_128.pt", "pytorch_model.bin", "config.json", "modeling_cxrbert.py"],
            {"biovil_t_image_model_proj_size_128.pt", "pytorch_model.bin", "config.json"},
        ),
        # BiomedCLIP
        (
            ["open_clip_config.json", "open_clip_pytorch_model.bin", "vocab.txt", "example_data/a.jpg"],
            {"open_clip_config.json", "open_clip_pytorch_model.bin", "vocab.txt"},
        ),
        # both formats, in one piece or several
        (["model.safetensors", "pytorch_model.bin"], {"model.safetensors"}),
        (["open_clip_model.safetensors", "open_clip_pytorch_model.bin"], {"open_clip_model.safetensors"}),
        (
            [
                "model-00001-of-00002.safetensors",
                "model-00002-of-00002.safetensors",
                "pytorch_model-00001-of-00001.bin",
            ],
            {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"},
        ),
        (["spiece.model", "tf_model.h5", "flax_model.msgpack", "README.md"], {"spiece.model", "README.md"}),
    ],
)
def test_safetensors_go_before_pickled_weights(files: list[str], chosen: set[str]) -> None:
    assert needed(files) == chosen
