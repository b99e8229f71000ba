from __future__ import annotations

import numpy as np
import torch
from scipy.stats import norm

from medveil.defenses.anatomy.dcm_deid.codes import Codes, CodesPlan, IdentityPredictor, Mixture, rounded


def mixture() -> Mixture:
    found = Mixture(2, 3)
    with torch.no_grad():
        found.weights.copy_(torch.tensor([[0.0, 1.0, -1.0], [2.0, 0.0, 0.5]]))
        found.means.copy_(torch.tensor([[-3.0, 0.2, 2.0], [0.0, 5.0, -1.0]]))
        found.log_variances.copy_(torch.tensor([[0.0, -1.0, 1.0], [0.5, -2.0, 0.0]]))
    return found


def test_codelength_is_that_of_the_normal_distributions() -> None:
    numbers = torch.arange(-6.0, 7.0)
    codes = torch.stack([numbers, numbers]).view(1, 2, 1, -1)
    found = mixture()
    bits = found.bits(codes)[0, :, 0].detach().numpy()
    for channel in range(2):
        weights = torch.softmax(found.weights[channel], 0).detach().numpy()
        means, spreads = (
            found.means[channel].detach().numpy(),
            np.exp(found.log_variances[channel].detach().numpy() / 2),
        )
        high = (weights * norm.cdf(numbers.numpy()[:, None] + 0.5, means, spreads)).sum(1)
        low = (weights * norm.cdf(numbers.numpy()[:, None] - 0.5, means, spreads)).sum(1)
        assert np.allclose(bits[channel], -np.log2(high - low), rtol=1e-3)


def test_probabilities_of_all_whole_numbers_add_up_to_one_and_stay_finite_far_out() -> None:
    numbers = torch.arange(-200.0, 201.0)
    total = mixture().probability(torch.stack([numbers, numbers]).view(1, 2, 1, -1)).sum(-1)
    assert torch.allclose(total, torch.ones_like(total), atol=1e-5)
    far = mixture().bits(torch.full((1, 2, 1, 1), 10_000.0))
    assert torch.isfinite(far).all() and (far > 30).all()


def test_rounding_passes_the_gradient_as_if_nothing_had_happened() -> None:
    values = torch.tensor([-1.4, 0.3, 2.6], requires_grad=True)
    whole = rounded(values)
    assert whole.tolist() == [-1, 0, 3]
    (whole * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert values.grad is not None and values.grad.tolist() == [1, 2, 3]


def test_codes_are_whole_and_the_mask_parts_them() -> None:
    torch.manual_seed(0)
    plan = CodesPlan(features=6, identity=4, width=64)
    codes, features = Codes(plan), torch.randn(2, 6, 8, 8) * 3
    coded = codes.code(features)
    assert coded.codes.shape == (2, 32, 8, 8) and torch.equal(coded.codes, coded.codes.round())
    assert set(coded.mask.unique().tolist()) <= {0.0, 1.0}
    assert torch.equal(coded.mask > 0, codes.likely_identity(coded.codes) > 0)
    assert codes.features(coded.codes).shape == features.shape
    assert torch.equal(codes.code(features).mask, coded.mask)  # nothing is drawn unless asked
    drawn = codes.code(features, temperature=1.0).mask
    assert not torch.equal(drawn, coded.mask)
    loose = Codes(CodesPlan(features=6, identity=4, width=64, discrete=False)).code(features).codes
    assert not torch.equal(loose, loose.round())


def test_the_loss_reaches_encoder_mask_and_mixture() -> None:
    torch.manual_seed(0)
    plan = CodesPlan(features=6, identity=4, width=64)
    codes, predictor = Codes(plan), IdentityPredictor(plan)
    coded = codes.code(torch.randn(2, 6, 8, 8) * 3, temperature=1.0)
    telling = coded.codes * coded.mask
    (predictor(telling).norm() + codes.bits(telling).mean()).backward()
    for layer in (codes.encoder[0], codes.part):
        assert layer.weight.grad is not None and layer.weight.grad.abs().sum() > 0
    assert codes.mixture.means.grad is not None and codes.mixture.means.grad.abs().sum() > 0
    assert codes.decoder[0].weight.grad is None  # identity is found in the codes, not in the features


def test_more_alike_codes_are_shorter() -> None:
    found = mixture()
    likely, odd = torch.full((1, 2, 4, 4), 0.0), torch.full((1, 2, 4, 4), 9.0)
    assert found.bits(likely).sum() < found.bits(odd).sum()
