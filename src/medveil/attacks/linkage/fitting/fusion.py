"""How much each attacker's score counts in their sum: learned on pairs of the teaching half that they had not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from medveil.attacks.linkage.fitting.views import Floats

_LEAST = 1e-3  # what links nothing still breaks ties
_RIDGE = 1e-3  # perfectly linked lessons would otherwise run to infinity


def fusion_weights(scores: Sequence[Sequence[NDArray[np.floating]]]) -> Floats:
    """Fold by fold each attacker's scores of images × reports, own pairs on the diagonal; every weight is positive.

    The weights make the own report the likeliest among all of its fold, and the own image too.
    """
    folds = [np.stack([np.asarray(each, dtype=np.float64) for each in fold]) for fold in scores]
    pairs = sum(fold.shape[1] for fold in folds)

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, slope = 0.0, np.zeros(len(weights))
        for fold in folds:
            total = np.tensordot(weights, fold, axes=1)
            own = np.eye(len(total))
            for axis in (0, 1):
                value -= float(np.trace(log_softmax(total, axis=axis)))
                slope += np.tensordot(fold, softmax(total, axis=axis) - own, axes=2)
        ridge = _RIDGE * weights
        return value / (2 * pairs) + float(ridge @ weights) / 2, slope / (2 * pairs) + ridge

    count = folds[0].shape[0]
    found = minimize(loss, np.ones(count), jac=True, method="L-BFGS-B", bounds=[(_LEAST, None)] * count)
    return np.asarray(found.x)
