"""The ε of FedVLM's table X, recomputed: as many steps as give the printed ε at σ = 1, and what the other σ cost then.

python benchmarks/federated_epsilon.py
"""

from __future__ import annotations

from medveil.defenses.alignment.accounting import Spending
from medveil.defenses.alignment.accounting import epsilon as spent

DELTA = 1e-5
PRINTED = {0.5: 4.8, 1.0: 3.2, 1.5: 2.5}
SAMPLING = (0.1, 0.01, 0.001)
MOST = 10_000_000


def epsilon(noise: float, sampling: float, steps: int) -> float:
    return spent([Spending(noise, sampling, steps)], DELTA)


def steps_for(sampling: float) -> int:
    """The most steps that cost no more than printed at σ = 1."""
    low, high = 1, 2
    while high < MOST and epsilon(1.0, sampling, high) <= PRINTED[1.0]:
        low, high = high, 2 * high
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        low, high = (middle, high) if epsilon(1.0, sampling, middle) <= PRINTED[1.0] else (low, middle)
    return low


def main() -> None:
    print("| share of patients in a step | steps |", " | ".join(f"ε at σ = {noise:g}" for noise in PRINTED), "|")
    print("|---|---|", "---|" * len(PRINTED), sep="")
    print("| as printed | |", " | ".join(f"{value:g}" for value in PRINTED.values()), "|")
    for sampling in SAMPLING:
        steps = steps_for(sampling)
        found = " | ".join(f"{epsilon(noise, sampling, steps):.2f}" for noise in PRINTED)
        print(f"| {sampling:g} | {steps:,} | {found} |", flush=True)


if __name__ == "__main__":
    main()
