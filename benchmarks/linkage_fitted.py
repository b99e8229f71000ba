"""What attackers fitted to the data at hand link on Indiana pairs, beside the encoder as it is and the labels alone.

    python benchmarks/linkage_fitted.py --data DATA --pairs 600

A sample of the train pairs of iu_xray, one a patient, in pools of 100. Nothing is kept of what is learned.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from medveil.attacks.linkage.run import encode_by_all, run_linkage
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.cohort.input import read_cohort


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    cohort = read_cohort(options.data / "iu_xray").frontal()
    cohort = cohort.where(((cohort.table["split"] == "train") & cohort.table["report"].notna()).to_numpy())
    drawn = np.random.default_rng(options.seed).permutation(len(cohort))[: options.pairs]
    cohort = cohort.where(np.isin(np.arange(len(cohort)), drawn))
    settings = LinkageSettings(pools=(100, "all"))
    vectors = encode_by_all(cohort, settings.encoders)
    started = time.perf_counter()
    result = run_linkage(cohort, vectors, seed=options.seed, settings=settings)
    print(f"{len(cohort)} pairs, {time.perf_counter() - started:.0f} s after encoding")
    numbers = result.tables["linkage"]
    asked = numbers[
        (numbers["metric"] == "Recall@1")
        & (numbers["direction"] == "image to report")
        & (numbers["protocol"] == "random")
        & (numbers["unit"] == "patient")
    ]
    for pool, rows in asked.groupby("pool"):
        print(f"Recall@1 among {pool}: labels alone {rows['control'].iat[0]:.1%}, chance {rows['chance'].iat[0]:.2%}")
        for name, value, low, high in rows[["encoder", "value", "low", "high"]].itertuples(index=False):
            print(f"  {name:24} {value:6.2%} ({low:.2%} to {high:.2%})")
    print(result.finding.power)
    print(result.finding.verdict)


if __name__ == "__main__":
    main()
