"""How many phantom radiographs one core draws in a second.

    python benchmarks/phantom_drawing.py --images 200 --size 512

Draws the visits of a hospital's first patients, without writing anything, on one thread, and prints
images per second of wall clock and of processor time; on a busy machine the second is the one to compare.
The whole hospital must make 25 images a second on two cores, so drawing may take 50 ms of one core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from medveil.cohort.phantom.plan import PatientPlan, VisitPlan, plan_patient
from medveil.cohort.phantom.radiograph import draw


def visits(count: int, seed: int) -> Iterator[tuple[PatientPlan, VisitPlan]]:
    number = 0
    while count > 0:
        patient = plan_patient(seed, number, 3)
        for visit in patient.visits[:count]:
            yield patient, visit
        count -= len(patient.visits)
        number += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=200)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    plan = list(visits(options.images, options.seed))
    draw(*plan[0], sites_seed=options.seed, size=options.size)  # imports and tables
    wall, cpu = time.perf_counter(), time.process_time()
    for patient, visit in plan:
        draw(patient, visit, sites_seed=options.seed, size=options.size)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{len(plan)} images of {options.size} px")
    print(f"wall clock:     {len(plan) / wall:6.1f} images/s  {1000 * wall / len(plan):6.1f} ms each")
    print(f"processor time: {len(plan) / cpu:6.1f} images/s  {1000 * cpu / len(plan):6.1f} ms each")


if __name__ == "__main__":
    main()
