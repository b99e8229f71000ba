"""The sum of clipped gradients of a batch, without ever forming the gradient of one example.

One pass forward and one back give, for every layer, its input and the gradient at its output, a row an example. They
are enough. The gradient of a linear layer for an example is the outer product of the two rows, so its squared length
is the product of theirs, and the inner product of two examples' gradients is the product of two inner products. With
the lengths known, the clipped sum is one weighted matrix product.

Clipping is a promise, so it is done in double precision from the features on: in single precision a gradient's row
depends on the batch it was computed in, by more than the noise is made for once heads magnify it, and squares overflow.
A unit whose gradient has no finite length takes no part in the sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.alignment.heads import Head, Heads
from medveil.defenses.alignment.losses import Loss

# squared lengths are rounded up by this share, so that rounding never lets a unit exceed the clipping norm
ROUNDING = 1e-9


@dataclass
class _Passed:
    """What one layer saw: rows that enter its gradient, and its output."""

    layer: nn.Linear | nn.GroupNorm | nn.LayerNorm
    rows: Tensor
    output: Tensor


def clipped_sum(
    heads: Heads, loss: Loss, images: Tensor, reports: Tensor, units: Tensor, clip: float | None
) -> list[Tensor]:
    """Sum over units of the unit's gradient, shortened to length `clip` where it is longer; one tensor a parameter.

    `images` and `reports` are features, `units` (0, 1, …) says to which unit each pair belongs; the gradient of a unit
    is that of the sum of its pairs' losses, which reaches the heads through its own pairs only. A clipped sum is in
    double precision.
    """
    if not len(images):
        return [torch.zeros_like(parameter) for parameter in heads.parameters()]
    if clip is None:
        passed, flows = _back(heads, loss, images, reports)
        return [part for layer, flow in zip(passed, flows, strict=True) for part in _weighted(layer, flow)]
    passed, flows = _back(heads, loss, images.double(), reports.double())
    lengths = _unit_lengths(passed, flows, units)
    weights = torch.where(lengths.isfinite(), clip / lengths.clamp(min=clip), 0.0)[units]
    return [
        part
        for layer, flow in zip(passed, flows, strict=True)
        for part in _weighted(_without(layer, weights), _nothing_where(weights == 0, flow) * weights[:, None])
    ]


def unit_lengths(heads: Heads, loss: Loss, images: Tensor, reports: Tensor, units: Tensor) -> Tensor:
    """The length of every unit's gradient before clipping; not finite where the unit takes no part."""
    return _unit_lengths(*_back(heads, loss, images.double(), reports.double()), units)


def _without(layer: _Passed, weights: Tensor) -> _Passed:
    """What the layer saw of those who take part: nothing times infinity would be no number."""
    return _Passed(layer.layer, _nothing_where(weights == 0, layer.rows), layer.output)


def _nothing_where(left_out: Tensor, rows: Tensor) -> Tensor:
    return torch.where(left_out[:, None], 0.0, rows) if left_out.any() else rows


def _back(heads: Heads, loss: Loss, images: Tensor, reports: Tensor) -> tuple[list[_Passed], tuple[Tensor, ...]]:
    with torch.enable_grad():
        image_layers, image_outputs = _forward(heads.image, images)
        report_layers, report_outputs = _forward(heads.report, reports)
        # a row that is no number would spoil the others' in the products on the way back
        image_outputs, report_outputs = (
            _nothing_where(~rows.isfinite().all(1), rows) for rows in (image_outputs, report_outputs)
        )
        total = loss(functional.normalize(image_outputs, dim=1), functional.normalize(report_outputs, dim=1)).sum()
        passed = image_layers + report_layers
        flows = torch.autograd.grad(total, [layer.output for layer in passed])
    return passed, flows


def _forward(head: Head, features: Tensor) -> tuple[list[_Passed], Tensor]:
    """Through the head, remembering; the weights count as constants, so that no gradient of theirs is formed."""
    passed: list[_Passed] = []
    value = features
    for layer in head:
        match layer:
            case nn.Linear():
                rows = value
                value = functional.linear(value, _constant(layer.weight, value), _maybe(layer.bias, value))
            case nn.GroupNorm():
                rows = functional.group_norm(value, layer.num_groups, eps=layer.eps)
                value = torch.addcmul(_constant(layer.bias, rows), rows, _constant(layer.weight, rows))
            case nn.LayerNorm():
                rows = functional.layer_norm(value, layer.normalized_shape, eps=layer.eps)
                value = torch.addcmul(_constant(layer.bias, rows), rows, _constant(layer.weight, rows))
            case _:
                value = layer(value)
                continue
        if not value.requires_grad:
            value.requires_grad_()
        passed.append(_Passed(layer, rows.detach(), value))
    return passed, value


def _constant(tensor: Tensor, like: Tensor) -> Tensor:
    return tensor.detach().to(like.dtype)


def _maybe(tensor: Tensor | None, like: Tensor) -> Tensor | None:
    return None if tensor is None else _constant(tensor, like)


def _unit_lengths(passed: list[_Passed], flows: tuple[Tensor, ...], units: Tensor) -> Tensor:
    squares = torch.stack([_squares(*both) for both in zip(passed, flows, strict=True)]).sum(0)
    count = int(units.max()) + 1
    longest = squares.new_zeros(count).index_add_(0, units, squares.sqrt()).square()
    if count == len(units):
        together = squares.new_zeros(count).index_add_(0, units, squares)
    else:
        same = units[:, None] == units[None, :]
        products = squares.new_zeros(len(units), len(units))
        for both in zip(passed, flows, strict=True):
            products += _products(*both)
        together = squares.new_zeros(count).index_add_(0, units, torch.where(same, products, 0.0).sum(1))
    return (together.clamp(min=0) + ROUNDING * longest).sqrt()


def _squares(layer: _Passed, flow: Tensor) -> Tensor:
    """Squared length of every example's gradient in this layer."""
    if isinstance(layer.layer, nn.Linear):
        rows = layer.rows.square().sum(1)
        return (rows if layer.layer.bias is None else rows + 1) * flow.square().sum(1)
    return (flow * layer.rows).square().sum(1) + flow.square().sum(1)


def _products(layer: _Passed, flow: Tensor) -> Tensor:
    """Inner products of all examples' gradients in this layer."""
    flows = flow @ flow.T
    if isinstance(layer.layer, nn.Linear):
        rows = layer.rows @ layer.rows.T
        return (rows if layer.layer.bias is None else rows + 1) * flows
    scaled = flow * layer.rows
    return scaled @ scaled.T + flows


def _weighted(layer: _Passed, flow: Tensor) -> list[Tensor]:
    """Sum of the examples' gradients in this layer, the weights already in `flow`."""
    if not isinstance(layer.layer, nn.Linear):
        return [(flow * layer.rows).sum(0), flow.sum(0)]
    return [flow.T @ layer.rows] + ([] if layer.layer.bias is None else [flow.sum(0)])
