"""Networks compiled for the processor: the same function, without the cost of running it layer by layer.

What is compiled may be called from several threads at once.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from medveil.runtime.threads import one_torch_thread

if TYPE_CHECKING:
    from torch import Tensor, nn

Floats = NDArray[np.float32]
Compiled = Callable[[Floats], Floats]
_TRACING = threading.Lock()


def compiled(
    network: nn.Module,
    example: Tensor,
    *,
    varying: tuple[int, ...],
    threads: int,
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> Compiled:
    """A network with one input and one output, as a function of arrays as large as the example but for some axes.

    Convolutions whose inputs' ranges are given, by the names of their modules, work with whole numbers of eight bits.
    """
    model = _converted(_traced(network.eval().requires_grad_(False), example, named=bool(ranges)))
    shape = [-1 if axis in varying else size for axis, size in enumerate(example.shape)]
    model.inputs[0].get_node().set_element_type(_openvino().Type.f32)
    model.reshape(shape)
    if ranges:
        _quantise(model, ranges)
    return _on_processor(model, threads)


def _traced(network: nn.Module, example: Tensor, *, named: bool) -> Any:
    """With the names of its modules only if asked, for those take most of the time."""
    import torch

    # one at a time, for the filter of warnings is the whole process's
    with _TRACING, torch.no_grad(), one_torch_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that sizes stay as they are: those not named as varying do
        if named:
            return torch.jit.freeze(torch.jit.trace(network, example, check_trace=False))  # type: ignore[no-untyped-call]
        return torch.jit.trace(lambda values: network(values), example, check_trace=False)  # type: ignore[no-untyped-call]


def compiled_onnx(path: str, *, threads: int) -> Compiled:
    """The same for a model in ONNX's format."""
    return _on_processor(_openvino().Core().read_model(path), threads)


def compiled_tflite(path: str, *, threads: int) -> Compiled:
    """The same for a model of TensorFlow Lite; several outputs come side by side, the widest first."""
    openvino = _openvino()
    model = openvino.Core().read_model(path)
    outputs = sorted(model.outputs, key=lambda output: -output.shape[-1])
    joined = importlib.import_module("openvino.opset13").concat(
        [output.get_node().input_value(0) for output in outputs], axis=-1
    )
    return _on_processor(openvino.Model([joined], model.get_parameters()), threads)


def _openvino() -> Any:
    # it would report its use over the network; without this package it cannot
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
    # some virtual machines announce the processor's matrix unit but cannot run it
    os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_VNNI")
    return importlib.import_module("openvino")


def _converted(traced: Any) -> Any:
    _openvino()
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    frontend = FrontEndManager().load_by_framework("pytorch")
    decoder = TorchScriptPythonDecoder(traced)  # must outlive the conversion
    return frontend.convert(frontend.load(decoder))


def _quantise(model: Any, ranges: Mapping[str, tuple[float, float]]) -> None:
    """Round the inputs and weights of convolutions; the compiler then computes them in whole numbers."""
    rounded: dict[str, Any] = {}
    for node in model.get_ordered_ops():
        layer = node.get_friendly_name().removeprefix("__module.").split("/")[0]
        if node.get_type_name() != "Convolution" or layer not in ranges:
            continue
        source = node.input(0).get_source_output()
        name = source.get_node().get_friendly_name()
        if name not in rounded:
            low, high = (np.full((1, 1, 1, 1), end, np.float32) for end in ranges[layer])
            rounded[name] = _rounded(source, low, high, levels=256)
        node.input(0).replace_source_output(rounded[name].output(0))
        weights = node.input(1).get_source_output().get_node().get_data().astype(np.float32)
        most = steps_of(weights) * 127
        constant = importlib.import_module("openvino.opset13").constant(weights)
        node.input(1).replace_source_output(_rounded(constant, -most, most, levels=255).output(0))


def steps_of(weights: Floats) -> Floats:
    """What one stands for in each filter's whole numbers, which go up to 64.

    They could go up to 127, but on older processors the sum of two products must fit into sixteen bits.
    """
    return np.abs(weights).max(axis=(1, 2, 3), keepdims=True) / np.float32(64)


def _rounded(source: Any, low: Floats, high: Floats, *, levels: int) -> Any:
    operations = importlib.import_module("openvino.opset13")
    ends = [operations.constant(end) for end in (low, high, low, high)]
    return operations.fake_quantize(source, *ends, levels)


def _on_processor(model: Any, threads: int) -> Compiled:
    # full precision whatever the processor offers: the same answer everywhere
    # unpinned: two processes would be tied to the same core
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "ENABLE_CPU_PINNING": False}
    ready = _openvino().Core().compile_model(model, "CPU", settings)
    idle = deque([ready.create_infer_request()])  # as many as threads have ever asked at once

    def run(values: Floats) -> Floats:
        try:
            request = idle.pop()  # a request holds one input and one output: no two threads may share it
        except IndexError:
            request = ready.create_infer_request()
        request.infer([np.ascontiguousarray(values)], share_inputs=True)
        result = np.array(request.get_output_tensor(0).data)
        idle.append(request)
        return result

    return run
