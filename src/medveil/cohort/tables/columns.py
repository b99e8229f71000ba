"""What the columns of a table are called: the cohort's own names, the usual English ones, and those the user maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from medveil.cohort.schema import COLUMNS, LABELS

ALIASES: Mapping[str, tuple[str, ...]] = {
    "path": ("path", "image_path", "file", "filename", "file_name", "file_path", "filepath", "image", "image_file"),
    "patient_id": (
        *("patient_id", "patient", "subject_id", "subject", "patient_key", "mrn", "patient_number"),
        *("medical_record_number",),
    ),
    "image_id": ("image_id", "dicom_id", "sop_instance_uid"),
    "study_id": ("study_id", "study", "study_instance_uid", "study_uid", "accession_number", "accession"),
    "site": ("site", "hospital", "institution", "institution_name"),
    "view": ("view", "view_position", "projection"),
    "frame": ("frame",),
    "report": ("report", "report_text", "text", "radiology_report"),
    "age": ("age", "patient_age"),
    "sex": ("sex", "gender", "patient_sex", "patient_gender"),
    "date": ("date", "study_date", "exam_date", "acquisition_date"),
    "split": ("split",),
    **{label: (label.lower().replace(" ", "_"),) for label in LABELS},
}


def squeezed(name: str) -> str:
    """How names of columns compare: `Pleural Effusion`, `pleural_effusion` and `PleuralEffusion` are one."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


CONTRACT: Mapping[str, str] = {squeezed(column): column for column in COLUMNS}
_USUAL = {column: tuple(squeezed(alias) for alias in aliases) for column, aliases in ALIASES.items()}


def understood(header: Iterable[str], mapped: Iterable[tuple[str, str]] = ()) -> dict[str, str]:
    """The table's own column for each column of the cohort that it has; what the user maps comes first."""
    names = list(header)
    plain = {squeezed(name): name for name in reversed(names)}
    found = {column: plain[squeezed(name)] for column, name in mapped if squeezed(name) in plain}
    taken = set(found.values())
    for column, aliases in _USUAL.items():
        usual = next((plain[alias] for alias in aliases if alias in plain and plain[alias] not in taken), None)
        if column not in found and usual is not None:
            found[column] = usual
            taken.add(usual)
    return found
