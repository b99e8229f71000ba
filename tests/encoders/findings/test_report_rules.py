from __future__ import annotations

import pytest

from medveil.encoders.findings.report_rules import FINDINGS, report_findings


def stated(text: str) -> set[str]:
    return {name for name, there in zip(FINDINGS, report_findings([text])[0], strict=True) if there}


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("Small left pleural effusion.", {"effusion"}),
        ("No pleural effusion or pneumothorax.", set()),
        ("No focal consolidation. There is a right effusion.", {"effusion"}),
        ("No pneumothorax, but a small effusion remains.", {"effusion"}),
        ("The lungs are clear of focal airspace disease, pneumothorax, or pleural effusion.", set()),
        ("The heart is enlarged.", {"cardiomegaly"}),
        ("The heart is not enlarged.", set()),
        ("Heart size is normal.", set()),
        ("Pneumothorax is no longer seen.", set()),
        ("The endotracheal tube has been removed.", set()),
        ("Possible right lower lobe pneumonia.", {"pneumonia"}),
        ("INDICATION: rule out pneumonia\nFINDINGS: Clear lungs.", set()),
        ("INDICATION: pneumonia\nIMPRESSION: Cardiomegaly.", {"cardiomegaly"}),
        ("Sternotomy wires are intact. Calcified granuloma.", {"sternotomy", "granuloma"}),
        ("A 1.7 cm nodule. No effusion.", {"nodule"}),
        ("", set()),
    ],
)
def test_what_is_denied_is_not_stated(text: str, findings: set[str]) -> None:
    assert stated(text) == findings


def test_many_reports_are_one_table() -> None:
    assert report_findings([]).shape == (0, len(FINDINGS))
    assert report_findings(["Effusion.", "Clear."]).sum(axis=1).tolist() == [1, 0]
