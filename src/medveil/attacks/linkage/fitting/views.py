"""Images and reports as an attacker sees them before any link is learned: vectors, words, and findings by rules.

Nothing here looks at who belongs to whom. Whoever attacks has all the images and all the reports, so the axes along
which they vary are found on all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.stats.factorisation import eigenvectors
from medveil.stats.kernels.grid import Codes

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]

AXES = 200  # of images; of reports, half as many of words
_FEWEST_WORDS = 2  # reports a word stands in, to count
_MOST_WORDS = 5000
_WORD = r"(?u)\b[^\W_]{2,}\b"
_SAMPLE = 5000  # images that axes are found on


@dataclass(frozen=True)
class Views:
    """Row i of every table is a pair and belongs to patient `patients[i]`."""

    images: Singles
    reports: Singles
    findings: NDArray[np.bool_] | None  # that the reports state; None where the text is not at hand
    patients: Codes

    def __len__(self) -> int:
        return len(self.patients)

    def take(self, rows: Codes | NDArray[np.bool_]) -> Views:
        findings = None if self.findings is None else self.findings[rows]
        return Views(self.images[rows], self.reports[rows], findings, self.patients[rows])


def views_of(
    images: Sequence[Singles], reports: Sequence[Singles], texts: Sequence[str] | None, patients: Codes
) -> Views:
    """Of one or more vectors for every image and every report, and of the reports' text where it is at hand."""
    told, findings = list(reports), None
    if texts is not None:
        from medveil.encoders.findings.report_rules import report_findings

        findings = report_findings(texts)
        words = _words(texts)
        told += [] if words is None else [words]
    return Views(_axes(images), _axes(told), findings, patients)


def _axes(parts: Sequence[Singles]) -> Singles:
    """The main axes of all parts together, each part weighing the same."""
    centred = [part - part.mean(axis=0, dtype=np.float64) for part in parts]
    both = np.concatenate([part / (np.sqrt((part**2).sum(axis=1).mean()) or 1.0) for part in centred], axis=1)
    some = both[np.linspace(0, len(both) - 1, min(len(both), _SAMPLE)).round().astype(np.intp)]
    values, directions = eigenvectors(some.T @ some)
    return (both @ directions[:, np.argsort(-values)[:AXES]]).astype(np.float32)


def _words(texts: Sequence[str]) -> Singles | None:
    """Words and pairs of words, rare ones counting more, as axes; None where no two reports share a word."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    reader = TfidfVectorizer(
        min_df=_FEWEST_WORDS,
        max_features=_MOST_WORDS,
        ngram_range=(1, 2),
        sublinear_tf=True,
        token_pattern=_WORD,
        dtype=np.float32,
    )
    try:
        counted = reader.fit_transform(texts)
    except ValueError:  # an empty vocabulary
        return None
    axes = min(AXES // 2, counted.shape[1] - 1, counted.shape[0] - 1)
    if axes < 1:
        return None
    return np.asarray(TruncatedSVD(axes, random_state=0).fit_transform(counted), dtype=np.float32)
