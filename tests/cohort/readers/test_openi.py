from __future__ import annotations

import io
import tarfile

import numpy as np
import pandas as pd
import pytest

from medveil.cohort.input import read_cohort
from medveil.cohort.readers.openi import labels_of


def xml(
    uid: str, images: dict[str, str], terms: tuple[str, ...] = ("normal",), findings: str = "Clear &amp; dry."
) -> str:
    parents = "".join(
        f'<parentImage id="{image}"><figureId>F1</figureId><caption>{caption}</caption>'
        f'<panel type="single"><url>/x/{image}.jpg</url></panel></parentImage>'
        for image, caption in images.items()
    )
    majors = "".join(f"<major>{term}</major>" for term in terms)
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<eCitation><meta type="rr"/><uId id="{uid}"/>'
        '<MedlineCitation Owner="Indiana University"><Article PubModel="Electronic"><Abstract>'
        '<AbstractText Label="COMPARISON">None.</AbstractText><AbstractText Label="INDICATION"/>'
        f'<AbstractText Label="FINDINGS">{findings}</AbstractText>'
        '<AbstractText Label="IMPRESSION">Normal chest x-XXXX.</AbstractText>'
        f"</Abstract></Article></MedlineCitation><MeSH>{majors}</MeSH>{parents}</eCitation>"
    )


BOMB = '<!DOCTYPE a [<!ENTITY b "cc"><!ENTITY c "&b;&b;">]>'
REPORTS = {
    "1.xml": xml("CXR1", {"CXR1_1_IM-0001-3001": "PA and lateral", "CXR1_1_IM-0001-4001": "PA and lateral"}),
    "2.xml": xml("CXR2", {"CXR2_IM-0652-1001": "Portable AP chest"}, ("Cardiomegaly/mild", "Opacity/lung/base/left")),
    "3.xml": xml("CXR3", {}),
    "4.xml": xml("CXR4", {"CXR4_IM-1-1": "PA"}, ("no indexing",)),
    "5.xml": xml("CXR5", {"CXR5_IM-1-1": "PA"}).replace("<eCitation>", BOMB + "<eCitation>"),
    "6.xml": "<eCitation><uId",
}


def archive(path) -> None:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in {**REPORTS, "../../escape.xml": xml("CXR7", {"CXR7": "PA"})}.items():
            member = tarfile.TarInfo(f"ecgen-radiology/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))


@pytest.fixture(params=["archive", "folder"])
def published(tmp_path, picture, request):
    root = tmp_path / "openi"
    root.mkdir()
    if request.param == "archive":
        archive(root / "NLMCXR_reports.tgz")
    else:
        (root / "ecgen-radiology").mkdir()
        for name, text in {**REPORTS, "7.xml": xml("CXR7", {"CXR7": "PA"})}.items():
            (root / "ecgen-radiology" / name).write_text(text)
    for image in ("CXR1_1_IM-0001-3001", "CXR1_1_IM-0001-4001", "CXR2_IM-0652-1001", "CXR4_IM-1-1"):
        picture(root / "NLMCXR_png" / f"{image}.png")
    return root


def test_published_layout(published, reasons):
    cohort = read_cohort(published)
    table = cohort.table
    assert cohort.name == "openi"
    assert list(table["image_id"]) == ["CXR1_1_IM-0001-3001", "CXR1_1_IM-0001-4001", "CXR2_IM-0652-1001", "CXR4_IM-1-1"]
    assert list(table["patient_id"]) == ["CXR1", "CXR1", "CXR2", "CXR4"]
    assert table["report"][0] == "COMPARISON: None.\nFINDINGS: Clear & dry.\nIMPRESSION: Normal chest x-XXXX."
    assert list(table["view"].astype(object).where(table["view"].notna(), None)) == [None, None, "AP", "PA"]
    assert list(table["No Finding"][:3]) == [1, 1, 0]
    assert (table["Cardiomegaly"][2], table["Lung Opacity"][2], table["Edema"][2]) == (1, 1, 0)
    assert np.isnan(table["No Finding"][3])
    assert reasons(cohort) == {
        "report without image": 1,
        "report declares entities": 1,
        "report is not XML": 1,
        "missing file": 1,
    }
    assert sorted(path.name for path in published.parent.iterdir()) == ["openi"]


def test_downsized_copy_with_views_and_split(tmp_path, picture):
    archive(tmp_path / "NLMCXR_reports.tgz")
    (tmp_path / "split.csv").write_text(
        "file,study,uid,imageid,view,split\n"
        "CXR1_0.jpg,CXR1_1_IM-0001,1,CXR1_1_IM-0001-4001,Frontal,train\n"
        "CXR2_0.jpg,CXR2_IM-0652,2,CXR2_IM-0652-1001,Frontal,val\n"
    )
    picture(tmp_path / "images" / "CXR1_0.jpg")
    picture(tmp_path / "images" / "CXR2_0.jpg")
    table = read_cohort(tmp_path).table
    assert list(table["path"]) == ["images/CXR1_0.jpg", "images/CXR2_0.jpg"]
    assert list(table["view"]) == ["PA", "AP"]
    assert list(table["split"]) == ["train", "val"]


@pytest.mark.parametrize(
    ("terms", "positive"),
    [
        (["Thickening/pleura/apex"], {"Pleural Other"}),
        (["Opacity/lung/base", "Pulmonary Atelectasis/base/left"], {"Lung Opacity", "Atelectasis"}),
        (["Cardiac Shadow/enlarged/mild"], {"Cardiomegaly"}),
        (["Calcinosis"], set()),
    ],
)
def test_terms(terms, positive):
    assert {label for label, value in labels_of(terms).items() if value == 1} == positive
    assert set(labels_of(terms).values()) <= {0.0, 1.0}


def test_unindexed_studies_have_no_labels():
    assert labels_of(["no indexing"]) == labels_of([]) == {}
    assert labels_of(["Technical Quality of Image Unsatisfactory ", "Nodule"])["Lung Lesion"] == 1


@pytest.mark.real_data
def test_real_data(real_data):
    cohort = read_cohort(real_data / "iu_xray")
    assert len(cohort) == 2440
    assert cohort.table["report"].notna().all()
    assert len(cohort.frontal()) == 2440
    assert cohort.table["split"].value_counts().to_dict() == {"train": 2140, "val": 300, "test": 0}
    assert cohort.table["No Finding"].mean() == pytest.approx(0.34, abs=0.03)
    assert pd.Series([problem.reason for problem in cohort.problems]).unique().tolist() == ["report without image"]
