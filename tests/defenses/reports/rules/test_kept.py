"""What looks like an identifier and is none: the rules leave it alone."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from medveil.defenses.reports.rules import find_by_rules

KEPT = """
Kerley B lines and a Swan-Ganz catheter. | Foley catheter in place. | Left Hickman with its tip in the SVC.
Follow-up per Fleischner criteria, see Fleischner Society guidelines. | A Port-A-Cath and a Dobhoff tube.
Hodgkin lymphoma in remission.
Bochdalek hernia, Hampton hump, Westermark sign, Ghon complex. | Pancoast tumor.
Quinton, Broviac and Groshong catheters.
No Blakemore tube. | Nissen fundoplication and Whipple procedure.
Crohn disease, Parkinson disease, Chiari malformation, Schatzki ring.
3/4 of the lung is opacified. | A 1.5 cm nodule. | T12/L1 compression fracture at C5-6. | 2/6 systolic murmur.
BP 120/80.
image 45 of 123 (series 3). | Over 24 hours. | 5/5 strength. | The left 3rd and 4th ribs. | 8 x 9 mm. | CTR > 0.5
10th rib
No pneumothorax or pleural effusion. | Right upper lobe opacity, unchanged. | 54-year-old woman with cough.
89 year old man.
Stage T2N1M0, GFR 54. | Christmas tree pattern. | Fleischner 2017. | in 2000 ml | Spring water. | for 1-1/2 weeks
mild MR. Cath pending. | retired from the Navy. | LI-RADS 2018. | Worked up for PE. | dr will call | dr long ago
Lesion is a 4 mm nodule. | [**2118-3-14**] admitted. | Agent Orange exposure.
GCS 15. | 20 pack-year smoker. | ratio of 1:20 | Temp 101 F | sats 97% on 2L | WBC 12000 /uL | Lasix 40 mg b.i.d.
XXXX year old with XXXX. Dr. XXXX called. | ___ year old woman, seen ___ at ___. | This may represent atelectasis.
May represent edema.
The patient will follow up. | PA and lateral views of the chest. | Long history of COPD. | Small left effusion.
Clear lungs.
tonsils 7 mm below McRae line | Evans index 0.27 | valve at 120 mmH2O. Young patient | Ottawa ankle rules positive
PHQ-9 4/27 | MoCA 11/30 | Apgar was 9/9 | the Atkins diet
Child-Pugh B. Boston brace | Pat Loc: ER | Host ready, AE title set | Contrast: OPTIRAY Amt: 100 | grew Candida
AP/lat views | SVC/RA junction | transferred from outside hospital | Hospital course was uneventful. | room air
in the emergency department
Wagner 2 ulcer | Alvarado 8. | Forrest III | SAH, Hunt-Hess 4 | Braxton Hicks q8 | Killip II
Zimmer splint | Rey-Osterrieth copy
see http://loinc.org for it | "system":"http://loinc.org","code":"36643-5" | Philadelphia chromosome positive
CAG: LAD 90% | take two in the morning | ten to twelve days | five to seven weeks
Bruce protocol 9:30 | Chief Complaint: pain
admitted to Medicine | transferred to Surgical ICU | Facility: Extended care | Hospital: day 3 | on I-131 therapy
Nursing asked for a film | Cough returns to baseline
father 100 pack-years
Lachman neg | Nottingham 6, Prague C2M4 | Jarisch-Herxheimer | D/C Foley POD1 | McDonald 2017 met | Surgery: Whipple
student at home
two views of the chest | the nodule measures four point two millimeters | in three to four weeks
ribs five six seven eight and nine | the fourth rib | on the fourth attempt | pain ten out of ten | on day five
given two and then four milligrams | may first show edema | march on to the second dose | grade three of four
a one to one ratio 1:1:2 | iris and retina normal | facial nerve 7th | twenty four hours later
at one hundred percent | at forty five degrees | c o p d and p r n | of the second portion | by the third week
driver for Cardiology | by the American College of Radiology | r/o pneumonia | Referred to Cardiology
""".strip()


def test_nothing_is_found_in_ordinary_reports() -> None:
    wrong = []
    for line in KEPT.splitlines():
        for text in line.split(" | "):
            for written in (text, text.upper()):
                wrong += [(written, written[one.start : one.end]) for one in find_by_rules(written)]
    assert wrong == []


@pytest.mark.parametrize("strong", ["Dr. Kerley called.", "Technologist: Samuel Foley, RT(R)", "Mr. Hickman was seen."])
def test_an_eponym_with_a_title_or_degree_is_a_person(strong: str) -> None:
    assert find_by_rules(strong)


LONG = (
    *(
        "1",
        "9 ",
        "1/",
        "1-",
        "1.",
        "Smith ",
        "Smith, ",
        "van ",
        "a@b.",
        "Dr. Smith ",
        "Hospital of ",
        "12 Main Street, ",
    ),
    *(
        "A",
        "(555) ",
        "+1 ",
        "1.2.",
        "AB/cd ",
        "'",
        "A-",
        "MRN# # ",
        "Town, NX 12345 ",
        "Smith, MD ",
        "RA12-",
        "www.a.b/",
        "LONG^ALICE^",
        "http://",
        "one ",
        "room one ",
        "a dot ",
        "spelled a ",
        "s-",
        "a:",
        "County ",
        "Ash County ",
        "plate A1 ",
        "iris 1-",
        "(01)12345678901234(10)",
        "\n",
        "e\u0301",
    ),
)


@pytest.mark.parametrize("piece", LONG)
def test_long_monotonous_texts_come_to_an_end(piece: str) -> None:
    find_by_rules((piece * 20_000)[:40_000])


@pytest.mark.real_data
def test_few_false_alarms_on_real_texts(real_data: Path) -> None:
    questions = json.loads((real_data / "vqa_rad" / "questions.json").read_text())
    assert sum(bool(find_by_rules(one["question"])) for one in questions) <= len(questions) // 500
    with (real_data / "covid19" / "metadata.csv").open() as file:
        notes = [row["clinical_notes"] for row in csv.DictReader(file) if row.get("clinical_notes")]
    assert sum(bool(find_by_rules(note)) for note in notes) <= len(notes) // 30  # some do name a date or a town


def test_a_department_is_nobody_though_it_spells_a_given_name() -> None:
    assert find_by_rules("Results were discussed with ED and faxed.") == []
