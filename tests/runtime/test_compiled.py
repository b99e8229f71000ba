"""Compiled networks: the same answers, and silence on the network."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import nn

from medveil.runtime.compiled import compiled


def small_network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU6(), nn.Conv2d(8, 8, 3, 1, 1, groups=8), nn.Upsample(scale_factor=2.0)
    ).eval()


def test_gives_the_network_s_answers_at_every_size() -> None:
    network = small_network()
    run = compiled(network, torch.zeros(1, 1, 32, 32), varying=(0, 2, 3), threads=1)
    for shape in ((1, 1, 32, 32), (3, 1, 64, 96)):
        values = np.random.default_rng(0).random(shape, dtype=np.float32)
        with torch.no_grad():
            expected = network(torch.from_numpy(values)).numpy()
        np.testing.assert_allclose(run(values), expected, atol=1e-5)


def test_answers_are_the_caller_s_to_keep() -> None:
    run = compiled(small_network(), torch.zeros(1, 1, 32, 32), varying=(0,), threads=1)
    first = run(np.zeros((1, 1, 32, 32), np.float32))
    kept = first.copy()
    run(np.ones((1, 1, 32, 32), np.float32))
    np.testing.assert_array_equal(first, kept)


def test_threads_that_ask_at_once_get_their_own_answers() -> None:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Conv2d(1, 16, 5, padding=2), nn.ReLU(), nn.Conv2d(16, 1, 5, padding=2)).eval()
    run = compiled(network, torch.zeros(1, 1, 64, 64), varying=(2, 3), threads=1)
    rng = np.random.default_rng(0)
    asked = [rng.random((1, 1, 64, 64 + 32 * (number % 3)), dtype=np.float32) for number in range(60)]
    alone = [run(values) for values in asked]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(run, asked))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


SILENT = """
import socket

def refuse(*told, **more):
    raise SystemExit("reached for the network")

socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
import torch
from medveil.runtime.compiled import compiled

network = torch.nn.Conv2d(1, 1, 3)
compiled(network, torch.zeros(1, 1, 8, 8), varying=(0,), threads=1)(torch.zeros(1, 1, 8, 8).numpy())
import sys, threading, time
time.sleep(1)
told = [name for name in sys.modules if name.startswith("openvino_telemetry") and sys.modules[name] is not None]
assert not told and threading.active_count() == 1, (told, threading.enumerate())
print("silent")
"""


def test_reports_nothing_to_anyone() -> None:
    done = subprocess.run([sys.executable, "-c", SILENT], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "silent", done.stderr
