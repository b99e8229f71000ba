"""What is protected: the table of images, one way in for every command, DICOM, and the phantom hospital.

Start at `input.read_source`: it gives the files of a folder and their `Cohort` (`cohort`; its columns are in `schema`).
`tables` reads spreadsheets, `readers` the published data sets, `dicom` the files; `phantom` invents a hospital.
"""

from medveil.cohort.cohort import Cohort, Problem
from medveil.cohort.schema import LABELS

__all__ = ["LABELS", "Cohort", "Problem"]
