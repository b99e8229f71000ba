"""What is protected: the table of studies, dataset readers, DICOM, and the phantom hospital."""

from medveil.cohort.cohort import Cohort, Problem
from medveil.cohort.schema import LABELS

__all__ = ["LABELS", "Cohort", "Problem"]
