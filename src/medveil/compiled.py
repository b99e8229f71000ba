"""Networks compiled for the processor: the same function, without the cost of running it layer by layer."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor, nn

Floats = NDArray[np.float32]
Compiled = Callable[[Floats], Floats]


def compiled(network: nn.Module, example: Tensor, *, varying: tuple[int, ...], threads: int) -> Compiled:
    """A network with one input and one output, as a function of arrays as large as the example but for some axes."""
    import torch

    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that sizes stay as they are: those not named as varying do
        traced = torch.jit.freeze(torch.jit.trace(network.eval(), example, check_trace=False))  # type: ignore[no-untyped-call]
    model = _converted(traced)
    shape = [-1 if axis in varying else size for axis, size in enumerate(example.shape)]
    model.inputs[0].get_node().set_element_type(_openvino().Type.f32)
    model.reshape(shape)
    return _on_processor(model, threads)


def compiled_onnx(path: str, *, threads: int) -> Compiled:
    """The same for a model in ONNX's format."""
    return _on_processor(_openvino().Core().read_model(path), threads)


def _openvino() -> Any:
    # it would report its use over the network; without this package it cannot
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
    return importlib.import_module("openvino")


def _converted(traced: Any) -> Any:
    _openvino()
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    frontend = FrontEndManager().load_by_framework("pytorch")
    decoder = TorchScriptPythonDecoder(traced)  # must outlive the conversion
    return frontend.convert(frontend.load(decoder))


def _on_processor(model: Any, threads: int) -> Compiled:
    # full precision whatever the processor offers: the same answer everywhere
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
    request = _openvino().Core().compile_model(model, "CPU", settings).create_infer_request()

    def run(values: Floats) -> Floats:
        request.infer([np.ascontiguousarray(values)], share_inputs=True)
        return np.array(request.get_output_tensor(0).data)

    return run
