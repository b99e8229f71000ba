"""Labels predicted from simple image features.

Patients are dealt into folds; each fold is predicted by a probe fitted on the others, so every
image is scored by a model that never saw its patient. Nothing is tuned.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from medveil.cohort import LABELS, Cohort
from medveil.cohort.features import demographics, image_features, texture
from medveil.cohort.labels import POLICIES
from medveil.errors import NotMeasurable
from medveil.finding import Figure, Finding, Series, Table
from medveil.stats.auc import WeightedAUC, honest_auc
from medveil.stats.bootstrap import replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate

Floats = NDArray[np.float64]


def probe_labels(name: str, cohort: Cohort, *, folds: int, components: int, fewest: int, seed: int) -> Finding:
    """Macro AUROC over the labels that at least `fewest` patients have, and as many have not."""
    frontal = cohort.frontal()
    targets, counts = POLICIES["uncertain-missing"].apply(frontal.table)
    patients, units = unit_codes(frontal.table["patient_id"].to_numpy())
    measured = [k for k in range(len(LABELS)) if _enough(targets[:, k], counts[:, k], patients, fewest)]
    if not measured:
        raise NotMeasurable(
            f"a label probe needs a label with at least {fewest} patients who have it and {fewest} who do not"
        )
    weights = unit_weights(units, seed=seed)
    fold = np.random.default_rng([seed, units]).permutation(units)[patients] % folds
    truth = (targets[:, measured], counts[:, measured])
    scores = _cross_fit(image_features(frontal, texture), *truth, fold, components)
    control = _cross_fit(demographics(frontal.table), *truth, fold, components)
    aucs, draws = _aucs(scores, *truth, patients, weights)
    control_aucs, _ = _aucs(control, *truth, patients, weights[:1])
    names = [LABELS[k] for k in measured]
    estimates = {
        label: _estimate(
            aucs[i],
            draws[:, i],
            control_aucs[i],
            truth[1][:, i],
            patients,
            _smaller(truth[0][:, i], truth[1][:, i], patients),
        )
        for i, label in enumerate(names)
    }
    everything = np.ones(len(patients), bool)
    macro = _estimate(aucs.mean(), np.nanmean(draws, axis=1), control_aucs.mean(), everything, patients)
    return _finding(name, {"macro AUROC": macro, **estimates}, truth, names, folds, components, fewest)


def _enough(target: NDArray[np.float32], counts: NDArray[np.bool_], patients: NDArray[np.intp], fewest: int) -> bool:
    return _smaller(target, counts, patients) >= fewest


def _smaller(target: NDArray[np.float32], counts: NDArray[np.bool_], patients: NDArray[np.intp]) -> int:
    """How many patients have a finding, or have not, whichever are fewer."""
    return min(len(np.unique(patients[counts & (target == value)])) for value in (1, 0))


def _cross_fit(
    features: NDArray[np.float32],
    targets: NDArray[np.float32],
    counts: NDArray[np.bool_],
    fold: NDArray[np.intp],
    components: int,
) -> Floats:
    """Scores of every image from probes that never saw its patient, as log odds."""
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    scores = np.zeros(targets.shape)
    for k in np.unique(fold):
        train, test = fold != k, fold == k
        useful = features[:, features[train].std(axis=0) > 0]
        if not test.any() or not useful.size:
            continue
        size = min(components, useful.shape[1], int(train.sum()) - 1)
        reduce = make_pipeline(StandardScaler(), PCA(size, random_state=0), StandardScaler()).fit(useful[train])
        fitted, unseen = reduce.transform(useful[train]), reduce.transform(useful[test])
        for label in range(targets.shape[1]):
            use = counts[train, label]
            wanted = targets[train, label][use]
            if len(np.unique(wanted)) == 2:
                probe = LogisticRegression(C=0.02, class_weight="balanced", max_iter=500)
                probe.fit(fitted[use], wanted)
                scores[test, label] = probe.decision_function(unseen)
    return scores


def _aucs(
    scores: Floats,
    targets: NDArray[np.float32],
    counts: NDArray[np.bool_],
    patients: NDArray[np.intp],
    weights: Floats,
) -> tuple[Floats, Floats]:
    """AUROC by label, and its replicates: redraws × labels."""
    values, draws = [], []
    for label in range(targets.shape[1]):
        use = counts[:, label]
        auc = WeightedAUC(scores[use, label], targets[use, label] == 1)
        who = patients[use]
        values.append(auc())
        draws.append(replicates(partial(_weighted_auc, auc, who), weights))
    return np.array(values), np.stack(draws, axis=1)


def _weighted_auc(auc: WeightedAUC, who: NDArray[np.intp], weights: Floats) -> float:
    return auc(weights[who])


def _estimate(
    value: float,
    draws: Floats,
    control: float,
    counts: NDArray[np.bool_],
    patients: NDArray[np.intp],
    fewest: int | None = None,
) -> Estimate:
    found = Estimate.from_replicates(
        float(value),
        draws,
        n=int(counts.sum()),
        units=len(np.unique(patients[counts])),
        chance=0.5,
        control=float(control),
    )
    return honest_auc(found, fewest)


def _finding(
    part: str,
    estimates: dict[str, Estimate],
    truth: tuple[NDArray[np.float32], NDArray[np.bool_]],
    names: list[str],
    folds: int,
    components: int,
    fewest: int,
) -> Finding:
    macro = estimates["macro AUROC"]
    by_label = [estimates[name] for name in names]
    positives = [int(((truth[0][:, i] == 1) & truth[1][:, i]).sum()) for i in range(len(names))]
    return Finding(
        part=part,
        kind="measure",
        question="Can the findings still be learned from the images?",
        answer=(
            f"A simple probe reached a mean AUROC of {macro.value:.3f} over {len(names)} findings; "
            f"a coin toss has 0.5, age, sex, view and site alone {macro.control:.3f}."
        ),
        headline="macro AUROC",
        scale="score",
        estimates=estimates,
        method=(
            f"Thumbnail, edge and gray-level features, reduced to {components} components; logistic regression; "
            f"{folds} folds by patient, each predicted by a probe that never saw its patients; "
            "uncertain labels left out, labels not mentioned taken as absent; "
            f"findings with fewer than {fewest} patients on either side left out."
        ),
        limits=("Simple features only; a trained network would learn more, before and after.",),
        figures=(
            Figure(
                title="AUROC by finding",
                kind="interval",
                x_title="",
                y_title="AUROC",
                series=(
                    Series(
                        "probe",
                        tuple(names),
                        tuple(e.value for e in by_label),
                        tuple(e.low for e in by_label),
                        tuple(e.high for e in by_label),
                    ),
                ),
            ),
        ),
        tables=(
            Table(
                "Images with each finding",
                ("finding", "images with it"),
                tuple(zip(names, positives, strict=True)),
            ),
        ),
        glossary={
            "AUROC": "The chance that an image with the finding is ranked above one without it; 0.5 is a coin toss.",
            "macro AUROC": "The mean AUROC over the findings that occur often enough to measure.",
        },
    )
