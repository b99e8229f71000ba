"""The control: who was trained on, guessed without any model, from what patients, films and reports look like.

Where members and non-members come from other years, hospitals or scanners, this alone tells them apart, and a model
that seems to betray its members may betray nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.membership.groups import patients_of
from medveil.cohort import Cohort
from medveil.cohort.features import demographics, image_features, thumbnail

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
WORDS = 100
PARTS = 12  # principal parts of films and of words


def blind_scores(members: Cohort, others: Cohort, *, seed: int) -> Floats:
    """One a patient, members first; each by a linear fit to the half of the patients they are not in."""
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    features = _features([_one_each(members), _one_each(others)])
    member = np.arange(len(features)) < len(patients_of(members))
    parts = min(PARTS, features.shape[1], len(features) // 4)
    fit = make_pipeline(
        StandardScaler(), PCA(parts, random_state=seed), StandardScaler(), LogisticRegression(C=0.1, max_iter=2000)
    )
    folds = StratifiedKFold(2, shuffle=True, random_state=seed)
    return np.asarray(cross_val_predict(fit, features, member, cv=folds, method="decision_function"), np.float64)


def _one_each(cohort: Cohort) -> Cohort:
    """The first image of every patient, in the order of `patients_of`."""
    return cohort.where(~cohort.table["patient_id"].duplicated())


def _features(cohorts: list[Cohort]) -> NDArray[np.float32]:
    import pandas as pd
    from sklearn.feature_extraction.text import HashingVectorizer

    table = pd.concat([cohort.table for cohort in cohorts], ignore_index=True)
    texts = table["report"].fillna("").astype(str)
    words = HashingVectorizer(n_features=WORDS, alternate_sign=False).transform(texts).toarray().astype(np.float32)
    films = np.concatenate([image_features(cohort, thumbnail) for cohort in cohorts])
    lengths = np.log1p(texts.str.len().to_numpy(np.float32))[:, None]
    return np.concatenate([demographics(table), films, words, lengths], axis=1)
