"""The loop as attackers use it: each run has a folder of its own, which its settings and films name."""

from __future__ import annotations

from pathlib import Path

from medveil.training.loop import Progress, Trainee, run


def learn(trainee: Trainee, keep: Path | None, progress: Progress) -> None:
    """To the end; with a folder to keep the state in, from where a killed run of the same stopped."""
    out = None
    if keep is not None:
        keep.mkdir(mode=0o700, parents=True, exist_ok=True)
        keep.chmod(0o700)
        out = keep / trainee.fingerprint[:16]
    run(trainee, out, progress=progress)
