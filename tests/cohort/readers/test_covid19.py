from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from medveil.cohort.input import read_cohort

HEADER = (
    "patientid,offset,sex,age,finding,RT_PCR_positive,survival,intubated,intubation_present,went_icu,in_icu,"
    "needed_supplemental_O2,extubated,temperature,pO2_saturation,leukocyte_count,neutrophil_count,lymphocyte_count,"
    "view,modality,date,location,folder,filename,doi,url,license,clinical_notes,other_notes,\n"
)
ROWS = (
    '2,0,M,65,Pneumonia/Viral/COVID-19,Y,Y,N,N,N,N,Y,,,,,,,PA,X-ray,"January 22, 2020","Cho Ray Hospital, Vietnam",'
    'images,a.jpeg,10.1056/x,https://x,,"On January 22, 2020, a 65-year-old man",,\n'
    '2,0,M,65,Pneumonia/Viral/COVID-19,Y,Y,N,N,N,N,Y,,,,,,,L,X-ray,"January 22, 2020","Cho Ray Hospital, Vietnam",'
    "images,b.jpeg,10.1056/x,https://x,,,,\n"
    "4,,F,52,No Finding,,,,,,,,,,,,,,AP Supine,X-ray,2020,,images,c.png,,,,,,\n"
    "5,0,,,todo,,,,,,,,,,,,,,AP,X-ray,11/27/19,,images,d.png,,,,,,\n"
    "6,0,M,30,Pneumonia,,,,,,,,,,,,,,Axial,CT,2020,,volumes,e.nii.gz,,,,,,\n"
    ",0,M,30,Pneumonia,,,,,,,,,,,,,,PA,X-ray,2020,,images,f.png,,,,,,\n"
    "7,0,M,30,Pneumonia,,,,,,,,,,,,,,PA,X-ray,2020,,images,gone.png,,,,,,\n"
)


def test_published_layout(tmp_path, picture, reasons):
    (tmp_path / "metadata.csv").write_text(HEADER + ROWS)
    for name in ("a.jpeg", "b.jpeg", "c.png", "d.png", "f.png", "stranger.png"):
        picture(tmp_path / "images" / name)
    cohort = read_cohort(tmp_path)
    table = cohort.table
    assert cohort.name == "covid19"
    assert list(table["image_id"]) == ["a.jpeg", "b.jpeg", "c.png", "d.png"]
    assert list(table["view"]) == ["PA", "LATERAL", "AP", "AP"]
    assert table["study_id"][0] == table["study_id"][1]
    assert table["report"][0] == "On January 22, 2020, a 65-year-old man"
    assert list(table["date"]) == [
        pd.Timestamp("2020-01-22"),
        pd.Timestamp("2020-01-22"),
        pd.NaT,
        pd.Timestamp("2019-11-27"),
    ]
    assert list(table["Pneumonia"][:3]) == [1, 1, 0]
    assert list(table["No Finding"][:3]) == [0, 0, 1]
    assert np.isnan(table["Pneumonia"][3])
    assert reasons(cohort) == {"not an X-ray": 1, "row without patient id": 1, "missing file": 1, "not in the table": 1}


@pytest.mark.real_data
def test_real_data(real_data):
    cohort = read_cohort(real_data / "covid19")
    assert len(cohort) == 500
    assert cohort.table["patient_id"].nunique() == 264
    assert cohort.table["report"].notna().sum() == 337
    assert cohort.problems == ()
    assert cohort.image(0).ndim == 2
